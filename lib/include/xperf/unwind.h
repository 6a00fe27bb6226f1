/* SPDX-License-Identifier: MIT */
/*
 * Unwinding: the call chain of a thread, from its registers and its stack.
 *
 * Compilers describe in each file how the caller of a function is found from any of its
 * instructions (call frame information, CFI). xperf looks the description up once per part of a
 * function and keeps it as a short rule: which register points to the frame, and where the return
 * address and the caller's registers were saved. A chain is then computed from rules.
 *
 * struct xp_unwind holds the rules of files and is shared by threads; struct xp_unwinder is one
 * thread's. Neither knows samples: where something is mapped, and what is in memory, are answered
 * by functions of the caller, so stored stacks and live ones are unwound alike.
 */
#ifndef XPERF_UNWIND_H
#define XPERF_UNWIND_H

#include <xperf/api.h>
#include <xperf/sample.h>

struct xp_symbol_file;
struct xp_symbols;

XP_BEGIN_DECLS

/** struct xp_unwind - the rules of files; any thread may use it */
struct xp_unwind;
/** struct xp_unwind_file - one file's rules; valid as long as the struct xp_unwind it is from */
struct xp_unwind_file;
/** struct xp_unwinder - computes chains; used by one thread at a time */
struct xp_unwinder;

/** enum xp_unwind_method - how frames are computed */
enum xp_unwind_method {
	XP_UNWIND_AUTO,      /* by rules; what no rule can express, by evaluating expressions */
	XP_UNWIND_RULES,     /* by rules only: a chain ends where none can express it; to compare */
	XP_UNWIND_LIBUNWIND, /* by libunwind, each frame of this machine's code; to compare */
	XP_UNWIND_LIBDW,     /* by libdw's description of each pc, without rules; to compare */
};

/**
 * struct xp_unwind_opts - how to unwind
 * @size:   sizeof(struct xp_unwind_opts), lets the struct grow
 * @memory_max_bytes: what descriptions and rules of all files may occupy, approximately; those of
 *          files that were not used for longest are dropped then, and read again if needed. 0: 512
 *          MiB
 * @method: see above
 * @no_frame_pointers: a chain ends where code is in no file and nothing describes it. Otherwise the
 *          frame pointer is followed there, and the caller is marked XP_UNWIND_BY_FRAME_POINTER.
 *          Code of files that nothing describes is read, function by function; where it says
 *          nothing, or cannot be read, the chain ends
 */
struct xp_unwind_opts {
	size_t size;
	uint64_t memory_max_bytes;
	enum xp_unwind_method method;
	bool no_frame_pointers;
	uint8_t padding[3]; /* never used */
};

/**
 * xp_unwind_new - make an empty set of rules
 * @symbols: says where files are: symfs, build-id cache, debug files. Their symbols are not read.
 *           Borrowed until xp_unwind_free()
 * @opts:    NULL: as if all were 0
 *
 * Returns 0, -EINVAL, -E2BIG (@opts), -ENOSYS (@method needs a library that is not installed),
 * -ENOMEM.
 */
XP_API int xp_unwind_new(struct xp_symbols *symbols, const struct xp_unwind_opts *opts,
			 struct xp_unwind **ret_unwind);
/** xp_unwind_free - free it and its files, after all unwinders; NULL is allowed. */
XP_API void xp_unwind_free(struct xp_unwind *unwind);

/**
 * xp_unwind_open - the rules of a recorded file
 * @path:     as recorded: "/usr/lib/libc.so.6", "[vdso]"
 * @build_id: of the recorded file, 20 bytes at most: a file with another one is not used. NULL: not
 *            known
 * @build_id_len: its bytes
 * @ret_file: always set but for -ENOMEM: one without rules says why. Owned by @unwind
 *
 * The file is searched where xp_symbols_open() searches it, its description also in separate debug
 * files. Asked again for the same path and build id, gives the same file. Nothing is read before
 * the first frame in it; from then on the file is open until xp_unwind_free().
 *
 * Returns 0 or -ENOMEM.
 */
XP_API int xp_unwind_open(struct xp_unwind *unwind, const char *path, const void *build_id,
			  size_t build_id_len, struct xp_unwind_file **ret_file);
/** xp_unwind_open_file - the same of a recorded file with all that is known of it. Returns 0,
 * -EINVAL or -E2BIG (the size of @file), -ENOMEM. */
XP_API int xp_unwind_open_file(struct xp_unwind *unwind, const struct xp_symbol_file *file,
			       struct xp_unwind_file **ret_file);
/**
 * struct xp_unwind_mapped - a file that a process has mapped
 * @size:  sizeof(struct xp_unwind_mapped), lets the struct grow
 * @path:  from /proc/PID/maps or a MMAP2 record
 * @pid:   the process
 * @major, @minor, @inode, @inode_generation: from there, too; @inode 0: not known, any file at the
 *         path is used. @inode_generation 0: not known
 * @start, @end: addresses of one map of the file; 0: not known
 * @build_id, @build_id_len: of a record that has it instead of the inode; NULL: not known
 *
 * Source: linux/perf_event.h, PERF_RECORD_MMAP2; proc_pid_maps(5).
 */
struct xp_unwind_mapped {
	size_t size;
	const char *path;
	int32_t pid;
	uint32_t major, minor;
	uint32_t padding; /* never used */
	uint64_t inode, inode_generation;
	uint64_t start, end;
	const void *build_id;
	size_t build_id_len;
};

/**
 * xp_unwind_open_mapped - the rules of a file that a process has mapped now
 * @mapped:   which file, and of which process
 * @ret_file: set if 0 is returned. If the file was replaced at its path, and the mapped one can
 *            no longer be opened, it is one without rules that says so
 *
 * The file is opened at once, so that it can be deleted afterwards, as the process sees it, also in
 * a container (/proc/PID/root). A program that is in no directory is opened as long as its process
 * lives; other files, too, if the caller may open them through the map (CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE). Asked again for a file with the same device, inode and time of change,
 * gives the same file; that costs an open(2).
 *
 * Returns 0, -EINVAL or -E2BIG (the size of @mapped), -ENOMEM, -EMFILE, -ENFILE.
 */
XP_API int xp_unwind_open_mapped(struct xp_unwind *unwind, const struct xp_unwind_mapped *mapped,
				 struct xp_unwind_file **ret_file);
/** xp_unwind_file_name - the path it was opened by. Returns it; valid as long as the file. */
XP_API const char *xp_unwind_file_name(const struct xp_unwind_file *file);
/** xp_unwind_file_reason - why a file has no rules, as a clause for the user: "the file does not
 * exist". Returns static text; "" if it has some, or no frame in it was computed yet. */
XP_API const char *xp_unwind_file_reason(struct xp_unwind_file *file);

/**
 * struct xp_unwind_map - what is mapped at an address
 * @start, @end: addresses; @end is the first one after it
 * @offset: of @start in the file, bytes
 * @file:   NULL: memory that is no file's, such as code of a JIT compiler
 * @is_executable: code may be there; true if it is not known
 */
struct xp_unwind_map {
	uint64_t start, end;
	uint64_t offset;
	struct xp_unwind_file *file;
	bool is_executable;
};

/**
 * struct xp_unwind_calls - how an unwinder sees an address space
 * @size: sizeof(struct xp_unwind_calls), lets the struct grow
 * @map:  finds the map of an address. Returns 1 with *ret_map, which is zeroed before; 0: nothing
 *        is mapped there; a negative errno: that cannot be found out. The chain then ends, and
 *        xp_unwinder_walk() returns it
 * @read: copies memory that is not in the stack of struct xp_unwind_start. Returns how many bytes
 *        it has copied from the beginning of the range, 0: none. NULL: there is no other memory.
 *        Content of mapped files is read without it
 * @data: handed to both
 */
struct xp_unwind_calls {
	size_t size;
	int (*map)(void *data, uint64_t address, struct xp_unwind_map *ret_map);
	size_t (*read)(void *data, uint64_t address, void *buf, size_t len);
	void *data;
};

/**
 * xp_unwinder_new - make an unwinder
 * @unwind:  the rules; borrowed, and may be shared with other unwinders
 * @machine: what uname(2) calls the machine that ran: "x86_64", "aarch64", "i686"; NULL: this one
 * @calls:   copied
 *
 * Returns 0, -EINVAL, -E2BIG (@calls), -EOPNOTSUPP (unwinding on such machines is not known),
 * -ENOMEM.
 */
XP_API int xp_unwinder_new(struct xp_unwind *unwind, const char *machine,
			   const struct xp_unwind_calls *calls, struct xp_unwinder **ret_unwinder);
/** xp_unwinder_free - free it; NULL is allowed. */
XP_API void xp_unwinder_free(struct xp_unwinder *unwinder);

/**
 * struct xp_unwind_start - where a thread was
 * @size:  sizeof(struct xp_unwind_start), lets the struct grow
 * @regs:  its registers, at least those of pc and stack pointer; as samples have them. Their ABI
 *         says whether it ran 32-bit code
 * @stack: a copy of the stack; NULL: none. Borrowed for the call
 * @stack_len: bytes of it that are valid
 * @stack_address: of its first byte; 0: it is the stack pointer, as in samples
 * @space: a number of the address space and of the state of its maps: while it stays the same,
 *         answers of @map of struct xp_unwind_calls are kept. 0: none is kept
 */
struct xp_unwind_start {
	size_t size;
	struct xp_regs regs;
	const void *stack;
	uint64_t stack_len;
	uint64_t stack_address;
	uint64_t space;
};

/** enum xp_unwind_end - why a chain ended */
enum xp_unwind_end {
	XP_UNWIND_COMPLETE,    /* the outermost function of the thread was reached */
	XP_UNWIND_END_OF_DUMP, /* memory that is needed is not in the copy of the stack */
	XP_UNWIND_NO_INFO,     /* nothing describes the code at the last pc, or no longer says where
				* its caller is */
	XP_UNWIND_NOT_MAPPED,  /* nothing is mapped at the last pc */
	XP_UNWIND_LIMIT,       /* the chain has @max frames, and goes on */
	XP_UNWIND_BAD,         /* the stack is damaged, or is no stack: frames do not go outwards */
	XP_UNWIND_NO_STACK,    /* there is no byte of the stack: a process that is in execve(2) has
				* none any more. It is not said where memory can be read */
	XP_UNWIND_NO_FILE,     /* the file that the last pc is in could not be read: it is gone, or
				* was replaced */
	XP_UNWIND_NO_LIBRARY,  /* libdw, which reads descriptions of code, is missing */
	XP_UNWIND_PROBED, /* the last pc is the kernel's trampoline of return probes, which was put
			   * in the place of the return address; where that was is the kernel's
			   * secret */
};

/** enum xp_unwind_mark - what is special about a frame, bits */
enum xp_unwind_mark {
	XP_UNWIND_BY_FRAME_POINTER = 1, /* found by the frame pointer, without a description of the
					 * code that it called: callers may be missing before it */
	XP_UNWIND_INTERRUPTED = 2,      /* a signal interrupted it: its pc is no return address */
	XP_UNWIND_BY_LIBRARY = 4,       /* found by libunwind, or by evaluating expressions */
	XP_UNWIND_JOINED = 8,           /* never set here: from the stack of another sample */
	XP_UNWIND_NOT_CALLED = 16, /* the stack of a fiber begins with it, or it is a trampoline
				    * of the kernel: its pc is no return address */
};

/**
 * struct xp_unwind_chain - room for a call chain, and what was found
 * @size:  sizeof(struct xp_unwind_chain), lets the struct grow
 * @pcs:   room for @max addresses. The first is the pc, the others are return addresses as they are
 *         on the stack, as in recorded call chains: the innermost function comes first
 * @sps:   room for @max stack pointers, those of each function at its pc; NULL: not wanted
 * @marks: room for @max sets of enum xp_unwind_mark; NULL: not wanted
 * @max:   frames, at least 1
 * @nr:    set by xp_unwinder_walk(): frames that were found
 * @end:   set: why there are no more
 * @end_file: set: with XP_UNWIND_NO_INFO, _NO_FILE and _NO_LIBRARY, the file that the last pc is
 * in; else NULL
 */
struct xp_unwind_chain {
	size_t size;
	uint64_t *pcs;
	uint64_t *sps;
	uint8_t *marks;
	size_t max;
	size_t nr;
	struct xp_unwind_file *end_file;
	enum xp_unwind_end end;
	uint32_t padding; /* never used */
};

/**
 * xp_unwinder_walk - compute the call chain of a thread
 * @start: where it was
 * @chain: its room is borrowed for the call; the rest is set
 *
 * Bytes of the stack and of files are not trusted: a chain may be wrong, but it ends. Nothing is
 * allocated once the rules are known.
 *
 * Returns 0 with at least one frame, -EINVAL (a size is not set, @max is 0, pc or stack pointer are
 * not among the registers), -E2BIG (@start or @chain are of a newer version), -EOPNOTSUPP (32-bit
 * code of a machine for which it is not known). With the frames that were found, of a chain
 * that ends too early: what @map returned; -ENOMEM, -EMFILE, -ENFILE: a file of this chain, or of
 * one that another thread computes meanwhile, could not be read, which the next chain tries again.
 *
 * Source: DWARF 5, 6.4 "Call Frame Information"; Linux Standard Base 5.0, "Exception Frames";
 * System V ABI, AMD64 supplement, 3.4.1 and 6.2.
 */
XP_API int xp_unwinder_walk(struct xp_unwinder *unwinder, const struct xp_unwind_start *start,
			    struct xp_unwind_chain *chain);

/** xp_unwind_end_text - an end as a clause for the user: "the copy of the stack ends". Returns
 * static text; "" of XP_UNWIND_COMPLETE. */
XP_API const char *xp_unwind_end_text(enum xp_unwind_end end);

XP_END_DECLS

#endif
