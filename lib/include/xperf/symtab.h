/* SPDX-License-Identifier: MIT */
/*
 * Which function an address of a file belongs to: symbols of one file, read once, looked up often.
 *
 * A symbolizer knows where files and their symbols may be: at their path, below another root
 * (symfs), by build id, in the running kernel. The build id decides which of them is right; a
 * file with another one is reported and not used.
 */
#ifndef XPERF_SYMTAB_H
#define XPERF_SYMTAB_H

#include <xperf/api.h>

struct xp_ctx;

XP_BEGIN_DECLS

/** struct xp_symtab - the symbols of one file; once made, it can be read by several threads */
struct xp_symtab;

/** enum xp_symtab_state - what became of a file */
enum xp_symtab_state {
	XP_SYMTAB_FOUND,         /* it has symbols */
	XP_SYMTAB_NO_FILE,       /* there is no such file */
	XP_SYMTAB_OTHER_FILE,    /* the file there is another one: its build id differs */
	XP_SYMTAB_STRIPPED,      /* it has no symbols, and no file with them was found */
	XP_SYMTAB_FORBIDDEN,     /* it may not be read */
	XP_SYMTAB_HIDDEN,        /* the kernel hides its addresses (kptr_restrict) */
	XP_SYMTAB_DAMAGED,       /* it is no ELF file, or a damaged one */
	XP_SYMTAB_NOT_A_FILE,    /* "[heap]", "//anon", "[stack]" */
	XP_SYMTAB_NO_LIBRARY,    /* libelf is missing, with which files are read */
	XP_SYMTAB_UNCERTAIN,     /* nothing says that the running kernel is the recorded one */
	XP_SYMTAB_REPLACED,      /* the file there is another one: its inode differs */
	XP_SYMTAB_NO_DESCRIPTOR, /* no file can be opened now: too many are open (-EMFILE, -ENFILE)
				  */
};

/**
 * struct xp_symbols_opts - where to look
 * @size:     sizeof(struct xp_symbols_opts), lets the struct grow
 * @symfs:    a directory put in front of every path, the recorded machine's root; NULL: none
 * @symfs_flat: all files are in that directory itself
 * @no_vmlinux: the kernel's file is not looked for
 * @vmlinux:  the kernel's file; NULL: found by build id, else kallsyms
 * @kallsyms: a copy of /proc/kallsyms; NULL: that of the running kernel, if it is the recorded one
 * @debug_dir: where perf keeps files by build id; NULL: "$HOME/.debug"
 * @no_demangle: names stay as the file has them
 * @demangle_kernel: those of the kernel, too
 * @demangle_full: names of C++ with their parameters
 * @debuginfod: debug files that are not here are got from the servers in DEBUGINFOD_URLS, if
 *              libdebuginfod is installed
 * @debuginfod_limit_s: seconds after which a file is given up, and no other is asked for; 0: 30
 * @debuginfod_progress: called several times a second meanwhile, by any thread; may be NULL.
 *              @name: of the recorded file; @done, @total: as the library counts, 0: not known
 * @debuginfod_data: handed to it
 * @other_kernel: the running kernel is not known to be the recorded one: a build id has to say so.
 *             Else only one that differs keeps it from being used
 * @cache_dir: where the running kernel's names are kept, so that /proc/kallsyms is read once per
 *             boot: a directory of the user's own, such as "$HOME/.cache/xperf"; it is made, and
 *             the one above it. NULL: they are not kept
 * @this_machine: the recording was made on this machine, so that inodes say which file was
 *             recorded where there is no build id
 *
 * With @symfs, nothing of the running kernel is used.
 */
struct xp_symbols_opts {
	size_t size;
	const char *symfs;
	const char *vmlinux;
	const char *kallsyms;
	const char *debug_dir;
	void (*debuginfod_progress)(void *data, const char *name, long done, long total);
	void *debuginfod_data;
	int debuginfod_limit_s;
	bool no_demangle;
	bool demangle_kernel;
	bool demangle_full;
	bool debuginfod;
	bool other_kernel;
	bool symfs_flat;
	bool no_vmlinux;
	bool this_machine;
	uint8_t padding[4]; /* never used */
	const char *cache_dir;
};

/**
 * struct xp_symbol_file - a file as it was recorded
 * @size:     sizeof(struct xp_symbol_file), lets the struct grow
 * @path:     "/usr/lib/libc.so.6", "[vdso]", "[kernel.kallsyms]", "[module]", a path of
 *            /tmp/perf-PID.map
 * @build_id: 20 bytes at most; NULL: not known
 * @build_id_len: its bytes
 * @inode, @inode_generation: decide without a build id whether the file at @path is the recorded
 *            one, if xp_symbols_opts.this_machine is set; 0: not known
 */
struct xp_symbol_file {
	size_t size;
	const char *path;
	const void *build_id;
	size_t build_id_len;
	uint64_t inode, inode_generation;
};

/** struct xp_symbols - a symbolizer: its tables, each made once */
struct xp_symbols;

/** xp_symbols_new - make a symbolizer. Returns 0, -EINVAL, -E2BIG (@opts), -ENOMEM. */
XP_API int xp_symbols_new(struct xp_ctx *ctx, const struct xp_symbols_opts *opts,
			  struct xp_symbols **ret_symbols);
/** xp_symbols_free - free it and all its tables; NULL is allowed. */
XP_API void xp_symbols_free(struct xp_symbols *symbols);

/**
 * xp_symbols_renew - go on with the next recording of this machine
 *
 * Tables are made once for several recordings that are read one after the other, if this is called
 * before each of them, the first, too, and before xp_resolver_new(). Files that have changed
 * since, by stat(2), are read again, and the kernel's text if other modules are loaded. JIT dumps
 * and processes are forgotten: they are those of a recording.
 *
 * Tables of resolvers that were not freed yet stay, and those that xp_symbols_open() returned. Of
 * others, those are freed that no recording has asked for 16 times in a row; of those that were
 * not asked for last time, there are 64 at most.
 *
 * No other thread uses @symbols meanwhile.
 */
XP_API void xp_symbols_renew(struct xp_symbols *symbols);

/**
 * xp_symbols_add_jitdump - add a file that a JIT compiler has written its code to
 * @pid:  of its process: what it says is found in the table of "/tmp/perf-PID.map"
 * @path: "/home/u/.debug/jit/jit-PID.dump"; copied
 *
 * Before the first table is opened.
 *
 * Returns 0 or -ENOMEM.
 *
 * Source: tools/perf/Documentation/jitdump-specification.txt.
 */
XP_API int xp_symbols_add_jitdump(struct xp_symbols *symbols, int32_t pid, const char *path);

/**
 * xp_symbols_add_process - add a process whose files are searched
 *
 * If it is alive, and in another mount namespace, as in a container, a file that is not at its path
 * is searched below /proc/PID/root, and by build id only. Before the first table is opened.
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_symbols_add_process(struct xp_symbols *symbols, int32_t pid);

/**
 * xp_symbols_open - the table of a file
 * @path:      as recorded: "/usr/lib/libc.so.6", "[vdso]", "[kernel.kallsyms]", "[module]", a path
 *             of /tmp/perf-PID.map
 * @build_id:  of the recorded file, 20 bytes at most; NULL: not known
 * @build_id_len: its bytes
 * @ret_symtab: always set but for -ENOMEM, and owned by @symbols: one without symbols says why
 *
 * Asked again for the same path and build id, gives the same table, unless xp_symbols_renew() was
 * called since, or the state is XP_SYMTAB_NO_DESCRIPTOR: then the file is searched again.
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_symbols_open(struct xp_symbols *symbols, const char *path, const void *build_id,
			   size_t build_id_len, struct xp_symtab **ret_symtab);

/** xp_symbols_open_file - the same of a file with all that is known of it. Returns 0, -EINVAL or
 * -E2BIG (the size of @file), -ENOMEM. */
XP_API int xp_symbols_open_file(struct xp_symbols *symbols, const struct xp_symbol_file *file,
				struct xp_symtab **ret_symtab);

/**
 * xp_symtab_code - read bytes of the recorded file
 * @offset: in the file
 * @ret_machine: the machine its code is for, as ELF numbers them (EM_X86_64 ...)
 *
 * Only of files that are there, and whose build id, if one is recorded, is the same.
 *
 * Returns how many bytes there were, less than @len at the end of the file; 0: none.
 */
XP_API int xp_symtab_code(struct xp_symtab *symtab, uint64_t offset, void *buf, size_t len,
			  int *ret_machine);
/**
 * xp_symtab_code_at - read code by its address
 * @address: as for xp_symtab_find()
 * @ret_machine: as above
 *
 * Files are read as by xp_symtab_code(). The kernel's code is in its file, or in the file kcore
 * beside the text that its symbols are from, as /proc/kcore; that of JIT compilers in jit-PID.dump,
 * where the last function that was at the address counts.
 *
 * Returns how many bytes there were; 0: none.
 */
XP_API int xp_symtab_code_at(struct xp_symtab *symtab, uint64_t address, void *buf, size_t len,
			     int *ret_machine);
/**
 * xp_symtab_code_section - whether an address is in a section of code
 * @address: as for xp_symtab_find()
 * @ret_end: where the section ends, or the space between two of them; greater than @address;
 *           UINT64_MAX: the code has no sections, or none follows
 *
 * Compilers and linkers fill the space between sections with what are no instructions, and
 * disassembling goes wrong after it if it does not begin again with a section.
 *
 * Returns true if it is, or if the code has no sections. Source: elf(5).
 */
XP_API bool xp_symtab_code_section(struct xp_symtab *symtab, uint64_t address, uint64_t *ret_end);
/** xp_symtab_get_state - what became of the file. Returns a state. */
XP_API enum xp_symtab_state xp_symtab_get_state(const struct xp_symtab *symtab);
/** xp_symtab_reason - the same as a clause for the user: "the file does not exist". Returns static
 * text; "" if it has symbols. */
XP_API const char *xp_symtab_reason(const struct xp_symtab *symtab);
/** xp_symtab_path - the file the symbols are of. Returns it; "" if there is none. */
XP_API const char *xp_symtab_path(const struct xp_symtab *symtab);

/**
 * struct xp_function - what is known about an address
 * @name:    demangled if that was asked for; valid as long as the symbolizer
 * @start:   its first address, in the same terms as the address that was looked up
 * @size:    bytes; 0: not known
 * @index:   its position in the table: equal numbers are equal functions
 */
struct xp_function {
	const char *name;
	uint64_t start;
	uint64_t size;
	uint32_t index;
	uint32_t padding; /* never used */
};

/** xp_symtab_address - from an offset in the file to its address in the file's own terms (ELF
 * program headers). Returns it; the offset itself for the kernel and for JIT maps. */
XP_API uint64_t xp_symtab_address(const struct xp_symtab *symtab, uint64_t offset);

/**
 * xp_symtab_find - the function an address is in
 * @address: in the file's own terms: xp_symtab_address(); for the kernel, as its symbols have it:
 *           xp_resolver_frame() takes off how far the kernel was moved
 *
 * A binary search. Names are demangled here, the first time each.
 *
 * Returns 1 with @ret_function, 0: in none.
 */
XP_API int xp_symtab_find(struct xp_symtab *symtab, uint64_t address,
			  struct xp_function *ret_function);

/**
 * struct xp_line - where in the source an address is
 * @name: of an inlined function, as xp_function has names; NULL: not known, or the function itself
 * @file: its path; NULL: not known
 * @line: 0: not known
 * @start_line: where the function that it is in begins; 0: not known
 */
struct xp_line {
	const char *name;
	const char *file;
	uint32_t line, start_line;
};

/**
 * xp_symtab_lines - the line of an address, and of the calls that were inlined there
 * @address:    as for xp_symtab_find(). For a return address, pass one less: the line of the call
 * @ret_lines: as many as are returned, the innermost first: the line itself, in a function that is
 *              inlined where the next one says; the last is in the function that xp_symtab_find()
 *              finds. Valid as long as the symbolizer
 *
 * Reads debug information of the file, which is searched in the same places as its symbols, when
 * the first address is looked up. Each address is looked up once.
 *
 * Returns how many there are; 0: nothing is known, libelf is missing; -ENOMEM; -EMFILE, -ENFILE: a
 * file cannot be opened now, which the next call tries again.
 */
XP_API int xp_symtab_lines(struct xp_symtab *symtab, uint64_t address,
			   const struct xp_line **ret_lines);

XP_END_DECLS

#endif
