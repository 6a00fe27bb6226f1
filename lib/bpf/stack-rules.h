/* SPDX-License-Identifier: MIT */
/*
 * Rules by which the kernel finds callers, as stack-walk.bpf.h and stack-rules.c have them: tables
 * that xperf writes into memory which it shares with the kernel.
 *
 * A process has a range of maps, a map the rows of its file, a row a rule from an address on. What
 * changes while it is read is never wrong: a range is written before a process has it, and is used
 * again when nobody can have it any more.
 */
#ifndef BPF_STACK_RULES_H
#define BPF_STACK_RULES_H

#include <linux/types.h>

enum {
	RULE_ROWS_MAX = 2 << 20,
	RULE_MAPS_MAX = 256 << 10,
	RULE_MAPS_OF_PROCESS = 4096, /* more are not searched */
	RULE_FILES_MAX = 16384,
	RULE_PROCESSES_MAX = 16384,
	RULE_CHANGES = 65536, /* a power of two */
	RULE_NO_FILE = 0,     /* memory: code that was made */
	RULE_UNKNOWN = 64,    /* processes that can be asked for at once; a power of two */
};

/* How the caller of a function is found. */
enum rule_row_kind {
	ROW_NONE,      /* nothing is described */
	ROW_ODD,       /* it is described by an expression, or by another register */
	ROW_OUTERMOST, /* there is no caller */
	ROW_SP,        /* CFA = stack pointer + offset */
	ROW_BP,        /* CFA = frame pointer + offset */
	ROW_DEREF_BP,  /* CFA = what is in memory at frame pointer + offset */
	ROW_PLT,       /* CFA = stack pointer + 8, and a word more where pc & 15 >= offset */
	ROW_SIGNAL,    /* registers are above the stack pointer */
};

/*
 * The rule that holds from an address on, up to the next row.
 * @rule: enum rule_row_kind in 4 bits; in 8 bits where the caller's frame pointer is, as words from
 *        the CFA on, 0: still in the register; in 20 bits the offset. The return address is at CFA
 *        - 8
 */
struct rule_row {
	__u32 address; /* from the beginning of the file's code */
	__u32 rule;
};

enum { ROW_BP_SHIFT = 4, ROW_OFFSET_SHIFT = 12, ROW_OFFSET_MAX = (1 << 19) - 1 };

/* Why a chain ends; rule_file.ended counts up to RULE_ENDS_OF_FILES. */
enum rule_end {
	RULE_END_NO_ROW,  /* nothing describes the code */
	RULE_END_ODD,     /* what describes it is no rule of these */
	RULE_END_NOT_YET, /* rules of the file are not made yet */
	RULE_END_INSIDE,  /* the frame pointer did not lead to code */
	RULE_ENDS_OF_FILES,
	RULE_END_COMPLETE = RULE_ENDS_OF_FILES,
	RULE_END_NO_MAP, /* no code is mapped there */
	RULE_END_NEW,    /* maps of the process are not known yet */
	RULE_END_LIMIT,  /* there is no room for more frames */
	RULE_END_STACK,  /* the stack cannot be read there, or does not go outwards */
	RULE_END_32_BIT, /* a program of 32 bits, whose frame pointers are followed */
	RULE_NR_ENDS,
};

enum rule_file_state {
	RULE_FILE_PENDING, /* rows will come */
	RULE_FILE_HAS_ROWS,
	RULE_FILE_POINTERS, /* there are none: frame pointers are followed */
};

struct rule_file {
	__u32 first, nr; /* rows */
	__u32 state;
	__u32 padding;
	__u64 ended[RULE_ENDS_OF_FILES]; /* chains, in the kernel */
};

/* @bias: of a program counter to the addresses of rows */
struct rule_map {
	__u64 start, end;
	__u64 bias;
	__u32 file, padding;
};

/* Maps of a process, in the order of addresses: @first, and @nr in the lower half. One word, so
 * that it is read whole. @known_ns: when they were read from /proc; 0: they were not */
struct rule_process {
	__u64 maps;
	__u64 known_ns;
};

/* What all have in common. @known_ns: maps up to then are in the tables. @unknown: processes
 * without maps whose stacks the kernel was to walk, by the lowest bits of their numbers; 0: none */
struct rule_control {
	__u64 known_ns;
	__u32 unknown[RULE_UNKNOWN];
};

#endif
