/* SPDX-License-Identifier: MIT */
/* The rules of files from inside. */
#ifndef UNWIND_UNWIND_IMPL_H
#define UNWIND_UNWIND_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include <xperf/symbol.h>
#include <xperf/unwind.h>

#include "cfi-image.h"
#include "code-file.h"
#include "functions.h"
#include "go-table.h"
#include "index.h"
#include "jit-file.h"
#include "jit.h"
#include "rule.h"
#include "shortage.h"

/* Which file on the disk a process has mapped; all 0: it is a recorded file. */
struct file_identity {
	uint64_t device, inode;
	int64_t change_s, change_ns;
};

/* Frame sections: those of the file, then the one of a separate debug file. */
enum { SOURCE_EH, SOURCE_DEBUG, SOURCE_SEPARATE, NR_SOURCES };

struct frame_source {
	struct cfi_image image;
	struct xp_cfi *cfi; /* NULL: there is none */
};

/* What holds for addresses from @start on, and before @end, both in one page. */
struct row {
	uint16_t start, end;
	uint32_t rule;
};

/* Rows are found by the page they are in, 4 KiB of the file's addresses. */
struct page {
	uint64_t number;
	struct row *rows; /* sorted, without overlap */
	uint32_t nr;
};

/* What is made when the first frame in a file is computed. */
struct file_rules {
	struct frame_source sources[NR_SOURCES];
	struct eh_table table; /* without entries: there is none */
	bool is_searched;      /* for a separate debug file */
	bool has_functions;
	uint64_t entry;             /* where the kernel jumps to; 0: not known */
	struct function *functions; /* by their beginnings */
	size_t nr_functions;
	struct go_file go; /* without bytes: there is no code in Go */
	struct page *pages;
	size_t nr_pages;
	struct index by_number;
	struct rule *rules; /* each once */
	size_t nr_rules;
	struct index by_rule;
	uint64_t bytes; /* approximately */
};

struct xp_unwind_file {
	struct xp_unwind *unwind;
	char *name;                       /* as recorded */
	struct xp_build_id id;            /* of 0 bytes: not known */
	struct file_identity is;          /* with a file */
	uint64_t inode, inode_generation; /* as recorded, without a build id; 0: not known */
	bool is_jit;                      /* it has code that was made, and is no ELF file */

	pthread_mutex_t lock; /* of what follows */
	struct xp_code_file code;
	bool is_open;
	int state; /* enum xp_symtab_state */
	const struct machine *machine;
	struct xp_elf_segment *segments;
	size_t nr_segments;
	bool is_loaded;
	struct file_rules rules;
	struct jit *jit; /* NULL: nothing was read of one that is */
	struct xp_jit_clock jit_clock;
	_Atomic(uint64_t) used; /* a number that grows with each use */
};

struct xp_unwind {
	struct xp_symbols *symbols;
	uint64_t memory_max;
	enum xp_unwind_method method;
	bool no_frame_pointers;
	_Atomic(uint64_t) memory, uses;
	atomic_uint nr_shortages; /* how often there was no memory, or no descriptor, */
	atomic_int shortage;      /* and which of them the last time */

	pthread_mutex_t lock; /* of what follows */
	struct xp_unwind_file **files;
	size_t nr_files;
	struct index by_name;
};

/* Notes if something could not be found out for lack of memory or descriptors: it is not kept, and
 * chains that are computed meanwhile may end early. Returns whether that is so. */
static inline bool unwind_note(struct xp_unwind *unwind, int err)
{
	if (!xp_is_shortage(err))
		return false;
	unwind->shortage = err;
	unwind->nr_shortages++;
	return true;
}

/* Opens the file if it is not open, finds its sections if they are not known. With its lock. */
void xp_unwind_file_load(struct xp_unwind_file *file);
/* The same for a rule of it. Returns false: it cannot be read, or is of another machine. */
bool xp_unwind_file_use(struct xp_unwind_file *file, const struct machine *machine);
/* Opens the file alone if it is not open. With its lock. Returns likewise. */
bool xp_unwind_file_is_open(struct xp_unwind_file *file, const struct machine *machine);
/* Forgets what can be read again. With its lock. */
void xp_unwind_file_unload(struct xp_unwind_file *file);
/* Closes the file itself. With its lock. */
void xp_unwind_file_close(struct xp_unwind_file *file);
/* Opens a file again that was closed. With its lock. */
void xp_unwind_file_open_again(struct xp_unwind_file *file);
/* What libdw says of an address. With its lock. Returns 0, -ENOENT, -ENOMEM. */
int xp_unwind_file_look_up(struct xp_unwind_file *file, uint64_t address, struct cfi_row *ret_row);
/* Notes that so many bytes more are used; forgets other files where there are too many. With the
 * lock of @file. */
void xp_unwind_file_account(struct xp_unwind_file *file, uint64_t bytes);

/* Opens the file, which has been opened, to look at it. With its lock. Returns 0, or as
 * xp_elf_open_fd(). */
int xp_unwind_file_elf(struct xp_unwind_file *file, struct xp_elf **ret_elf);

/* The address of an offset in a file, in its own terms; of a file that has been opened. */
uint64_t xp_unwind_file_address(const struct xp_unwind_file *file, uint64_t offset);
/* Copies bytes of the file, which has been opened. With its lock. Returns how many there were. */
size_t xp_unwind_file_bytes(struct xp_unwind_file *file, uint64_t offset, void *buf, size_t len);
/* The same of its code: of a dump, from one function. */
size_t xp_unwind_file_read(struct xp_unwind_file *file, uint64_t offset, void *buf, size_t len);

/* The same, of any file, and without its lock. */
size_t xp_unwind_file_copy(struct xp_unwind_file *file, uint64_t offset, void *buf, size_t len);
/*
 * The rule of an instruction. @offset: in the file
 * @is_return: it is the one before a return address
 */
struct rule xp_unwind_file_rule(struct xp_unwind_file *file, const struct machine *machine,
				uint64_t offset, bool is_return);
/* The table of functions, and the address of an offset in the file. Returns false: there is none.
 */
bool xp_unwind_file_table(struct xp_unwind_file *file, const struct machine *machine,
			  uint64_t offset, struct eh_table *ret_table, uint64_t *ret_address);
/* Whether the function at an offset is one that nothing calls, or main, by the symbols of the file.
 * @is_return: it has called the one that was looked at before */
bool xp_unwind_file_is_first(struct xp_unwind_file *file, const struct machine *machine,
			     uint64_t offset, bool is_return);
/* Compilers made the code while the program ran: it is in no ELF file. @file may be NULL. */
bool xp_unwind_file_is_made(struct xp_unwind_file *file);
/* Why nothing describes code in a file. */
enum xp_unwind_end xp_unwind_file_end(struct xp_unwind_file *file);
/* What libdw says of an instruction. Returns 0, -ENOENT, -ENOMEM. */
int xp_unwind_file_row(struct xp_unwind_file *file, const struct machine *machine, uint64_t offset,
		       struct cfi_row *ret_row);

#endif
