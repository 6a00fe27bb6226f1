/* SPDX-License-Identifier: MIT */
/* The symbolizer from inside: what a table is made from, and by whom. */
#ifndef SYMBOL_SYMTAB_IMPL_H
#define SYMBOL_SYMTAB_IMPL_H

#include <pthread.h>
#include <xperf/symtab.h>

#include "elf-file.h"
#include "kernel-text.h"
#include "str.h"
#include "symtab-lines.h"
#include "table.h"

/* The code of a file, or of memory */
struct code {
	int fd; /* -1: none */
	const void *image;
	size_t image_len;
	int machine; /* of its header; 0: there is no code */
};

/* What tells later that a table is true; 0: not known. */
struct stamps {
	uint32_t made_in; /* a round */
	uint64_t file, path, kernel;
};

/* Of what is only there for some files there is a pointer. */
struct xp_symtab {
	struct xp_symtab *next;      /* in the order they were asked for */
	struct xp_symtab *next_slot; /* of those in one place of the hash table */
	struct xp_symbols *symbols;
	char *name;                       /* as recorded */
	struct xp_build_id id;            /* of 0 bytes: not known */
	uint64_t inode, inode_generation; /* 0: likewise */

	pthread_mutex_t *lock; /* of @symbols; it is held while parts of this are made */
	bool is_made, has_code_file, is_stale;
	enum xp_symtab_state state;
	char *path;                      /* NULL: none */
	struct table *table;             /* NULL: no functions; many recorded files have none */
	struct demangler *demangler;     /* NULL: names are shown as they are */
	struct kernel_text *text;        /* instead of a table: the kernel; NULL: no; counted */
	struct xp_elf_segment *segments; /* NULL: addresses are offsets */
	size_t nr_segments;
	struct lines *lines; /* NULL: none was asked for */

	/* symtab-entries.c */
	uint32_t users;        /* that have opened it and not closed it */
	uint32_t round;        /* in which it was asked for last */
	struct stamps *stamps; /* NULL: not known, or there is only one recording */

	struct code *code;     /* NULL: none was asked for */
	struct placed *placed; /* likewise, by address: symtab-code.c */
	char name_text[];      /* what @name points to, of those that are kept */
};

/* A jit-PID.dump. @pid: that has mapped it, as recorded; @id: by which it is kept, of 0 bytes: not
 */
struct jitdump {
	struct jitdump *next;
	struct xp_build_id id;
	int32_t pid;
	char path[];
};

/* A root that is not ours, in a mount namespace, and a process that has it. */
struct symbol_root {
	uint64_t namespace, device, inode;
	int32_t pid;
};

/* @at: found out when the first file is looked for there */
struct symbol_roots {
	int32_t *pids;
	size_t nr_pids;
	struct symbol_root *at;
	size_t nr;
	bool are_known;
};

/* Of which the tables have one in turn, so that it is their own where they are few. Whoever holds
 * one asks for no other of them. */
enum { SYMTAB_LOCKS = 256 };

struct xp_symbols {
	struct xp_ctx *ctx;
	const char *symfs;                                      /* "": none */
	const char *vmlinux, *kallsyms, *debug_dir, *cache_dir; /* NULL: none */
	bool no_demangle, demangle_kernel, other_kernel, no_vmlinux, symfs_flat, this_machine;
	char *strings[5]; /* which those are */

	struct debuginfod *debuginfod; /* NULL: nobody is asked */
	struct jitdump *jitdumps;      /* the last that was recorded is first */

	pthread_mutex_t locks[SYMTAB_LOCKS];
	pthread_mutex_t lock; /* of what follows */
	struct xp_symtab *first;
	struct xp_symtab **slots; /* by path and build id; a power of two of them */
	size_t nr_slots, nr;
	uint32_t round;           /* recordings there were; 0: only one */
	uint64_t kernel_stamp;    /* of its modules; 0: not known */
	bool text_is_read;        /* the running kernel's, or the user's copy of one */
	int text_err;             /* or why not */
	struct kernel_text *text; /* NULL: there is none */
	struct demangler demangler;
	struct symbol_roots roots;
};

void xp_symtab_free(struct xp_symtab *symtab);
void xp_symbols_free_jitdumps(struct xp_symbols *symbols);
/* Finds or adds one, which may not be made yet, for one more user (symtab-entries.c). Under the
 * lock. Returns NULL without memory. */
struct xp_symtab *xp_symbols_entry(struct xp_symbols *symbols, const struct xp_symbol_file *file);
/* The next one who asks for the same file gets a new one. */
void xp_symtab_forget(struct xp_symtab *symtab);
/* Note what tells later that a table is true: before it is made, and after. */
void xp_symtab_stamp_file(struct xp_symtab *symtab);
void xp_symtab_stamp_path(struct xp_symtab *symtab);

/* Each fills a new table and says what became of it; or -ENOMEM. */

/* ELF files, by path and by build id (symtab-files.c). */
int xp_symtab_load_file(struct xp_symtab *symtab);
/* One that is known by its path; its build id has to fit if there is one. */
int xp_symtab_load_path(struct xp_symtab *symtab, const char *path);
/* By the build id only; "debug", "elf" ...: its names in perf's cache. */
int xp_symtab_load_by_id(struct xp_symtab *symtab, const char *const *names);
/* A program that runs from memory has no path, but perf may have kept it by its build id. */
int xp_symtab_load_memory(struct xp_symtab *symtab);
/* As processes in containers see it; only with a build id, or an inode (symtab-roots.c). */
int xp_symtab_load_rooted(struct xp_symtab *symtab);
/* Calls @fn with the path of such a file, until it returns -ENOMEM or has set the path or the
 * descriptor of @symtab. Returns what @fn returned, a state or -ENOMEM. */
int xp_symtab_try_roots(struct xp_symtab *symtab,
			int (*fn)(struct xp_symtab *symtab, const char *path));
void xp_symtab_free_roots(struct symbol_roots *roots);
int xp_symtab_load_vdso(struct xp_symtab *symtab);
/* The running kernel's vDSO if it is the recorded one. Returns NULL: it is not, or not known. */
const void *xp_symtab_vdso(const struct xp_symtab *symtab, size_t *ret_len);
/* What a recorded path stands for. */
enum xp_symtab_kind {
	XP_SYMTAB_KIND_FILE, /* or one in memory */
	XP_SYMTAB_KIND_VDSO,
	XP_SYMTAB_KIND_KERNEL, /* and its modules */
	XP_SYMTAB_KIND_JIT,
	XP_SYMTAB_KIND_NONE,
};
enum xp_symtab_kind xp_symtab_kind_of(const char *path);
/* The process of "/tmp/perf-PID.map"; -1: none. */
int32_t xp_symtab_jit_pid(const char *name);
/* Opens the file itself, if it is the recorded one: where it was, or by its build id. Returns a
 * descriptor or a negative errno. */
int xp_symtab_open_code(struct xp_symtab *symtab);
void xp_symtab_free_placed(struct placed *placed);
/* Whether a recorded path is that of a file, or of one in memory. */
bool xp_symtab_is_file(const char *path);
/* The debug information of a table's file. Returns 0, -ENOMEM, others: there is none. */
int xp_symtab_open_dwarf(struct xp_symtab *symtab, struct xp_dwarf **ret_dwarf);
/* symtab-kernel.c */
int xp_symtab_load_kernel(struct xp_symtab *symtab);
int xp_symtab_load_module(struct xp_symtab *symtab);
/* What a JIT compiler wrote down (symtab-jit.c). */
int xp_symtab_load_jit(struct xp_symtab *symtab);
/* Returns 0 or why it cannot be read. */
int xp_symbols_read_jitdump(const struct xp_symbols *symbols, const struct jitdump *dump,
			    struct xp_str *text);

/* What an ELF file adds to a table (symtab-elf.c). Return 0, -ENODATA: nothing; -ENOMEM. */
int xp_symtab_add_symbols(struct xp_symtab *symtab, struct xp_elf *elf, enum xp_elf_table table);
int xp_symtab_add_plt(struct xp_symtab *symtab, struct xp_elf *elf);
int xp_symtab_add_segments(struct xp_symtab *symtab, const struct xp_elf *elf);
/* Adds the functions of a stripped program in Go. Returns 0, -ENODATA, -ENOMEM (symtab-go.c). */
int xp_symtab_add_go(struct xp_symtab *symtab, struct xp_elf *elf);

/* What speaks against using the running kernel, of which no build id says anything: a state;
 * XP_SYMTAB_FOUND: nothing (symtab-kernel.c). */
int xp_symtab_running_kernel(const struct xp_symtab *symtab);
/* The build id of a recorded file; of 0 bytes: not known. */
struct xp_build_id xp_symtab_id_of(const struct xp_symbol_file *file);
/* Whether two build ids are the same one. */
bool xp_symtab_same_id(const struct xp_build_id *a, const struct xp_build_id *b);
/* True if a file is the one with @id, which may be of 0 bytes: then any is. @its: its own; of 0
 * bytes: it has none, and need not have one where it is kept by its id. */
bool xp_symtab_is_right(const struct xp_symbols *symbols, const char *path,
			const struct xp_build_id *id, const struct xp_build_id *its);
/* Where a recorded file is. Returns the caller's to free; NULL: no memory. */
char *xp_symtab_file_path(const struct xp_symtab *symtab);
/* Where perf keeps what has a build id. Returns the caller's to free; NULL: nowhere, no memory. */
char *xp_symtab_cache_path(const struct xp_symtab *symtab, const char *name);
/* Whether the file at a path is known to be another one than was recorded, by its inode. */
bool xp_symtab_is_replaced(const struct xp_symtab *symtab, const char *path);
/* The state that an error of opening or reading means. */
enum xp_symtab_state xp_symtab_state_of(int err);

#endif
