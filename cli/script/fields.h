/* SPDX-License-Identifier: MIT */
/* What is printed of a sample: fields, by kind of event. */
#ifndef SCRIPT_FIELDS_H
#define SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

struct xp_attr;
struct xp_data;
struct xp_diag;

/* Bits of a set of fields. */
#define F_COMM           (UINT64_C(1) << 0)
#define F_TID            (UINT64_C(1) << 1)
#define F_PID            (UINT64_C(1) << 2)
#define F_TIME           (UINT64_C(1) << 3)
#define F_CPU            (UINT64_C(1) << 4)
#define F_EVENT          (UINT64_C(1) << 5)
#define F_TRACE          (UINT64_C(1) << 6)
#define F_IP             (UINT64_C(1) << 7)
#define F_SYM            (UINT64_C(1) << 8)
#define F_DSO            (UINT64_C(1) << 9)
#define F_SRCLINE        (UINT64_C(1) << 10)
#define F_SYMOFF         (UINT64_C(1) << 11)
#define F_DSOFF          (UINT64_C(1) << 12)
#define F_INLINED        (UINT64_C(1) << 13) /* functions that are, in call chains: --inline */
#define F_RETURN         (UINT64_C(1) << 14) /* of an address: the call before it is meant */
#define F_PHYS_ADDR      (UINT64_C(1) << 15)
#define F_DATA_PAGE_SIZE (UINT64_C(1) << 16)
#define F_CODE_PAGE_SIZE (UINT64_C(1) << 17)
#define F_INS_LAT        (UINT64_C(1) << 18)
#define F_RETIRE_LAT     (UINT64_C(1) << 19)
#define F_MISC           (UINT64_C(1) << 20)
#define F_BRSTACK        (UINT64_C(1) << 21)
#define F_BRSTACKSYM     (UINT64_C(1) << 22)
#define F_BRSTACKOFF     (UINT64_C(1) << 23)
#define F_IREGS          (UINT64_C(1) << 24)
#define F_UREGS          (UINT64_C(1) << 25)
#define F_FLAGS          (UINT64_C(1) << 26)
#define F_DATA_SRC       (UINT64_C(1) << 27)
#define F_BPF_OUTPUT     (UINT64_C(1) << 28)
#define F_INSN_LEN       (UINT64_C(1) << 29)
#define F_TOD            (UINT64_C(1) << 30)
#define F_CGROUP         (UINT64_C(1) << 31)
#define F_NOTHING        (UINT64_C(1) << 32)
#define F_ADDR           (UINT64_C(1) << 33)
#define F_PERIOD         (UINT64_C(1) << 34)
#define F_WEIGHT         (UINT64_C(1) << 35)
#define F_INSN           (UINT64_C(1) << 36)
#define F_SRCCODE        (UINT64_C(1) << 37)
#define F_METRIC         (UINT64_C(1) << 38)
#define F_BRCNTR         (UINT64_C(1) << 39)
#define F_DISASM         (UINT64_C(1) << 40)
#define F_BRSTACKINSN    (UINT64_C(1) << 41)
#define F_BRSTACKINSNLEN (UINT64_C(1) << 42)
#define F_BRSTACKDISASM  (UINT64_C(1) << 43)
/* Each of these prints the code between branches. */
#define F_BRANCH_CODE (F_BRSTACKINSN | F_BRSTACKINSNLEN | F_BRSTACKDISASM)
/* Of those, what is shown of an address. */
#define F_PLACE ((uint32_t)(F_SYM | F_DSO | F_SYMOFF | F_DSOFF | F_SRCLINE | F_INLINED | F_RETURN))

/* Kinds of events. The first six are types of perf_event_open(2). */
enum kind {
	KIND_HARDWARE,
	KIND_SOFTWARE,
	KIND_TRACEPOINT,
	KIND_CACHE,
	KIND_RAW,
	KIND_BREAKPOINT,
	KIND_SYNTH,
	KIND_OTHER,
	NR_KINDS,
};

/* What is printed of the events of a kind. */
struct kind_fields {
	uint64_t fields;
	uint64_t asked; /* those the user has named: it is an error if they are not there */
	bool is_named;  /* the kind itself was */
};

struct fields {
	struct kind_fields kind[NR_KINDS];
};

void fields_init(struct fields *fields);
/* Parses the text of -F. Returns 0, or -1 with the reason in @diag. */
int fields_parse(struct fields *fields, const char *text, struct xp_diag *diag);
enum kind kind_of(const struct xp_attr *attr);
/*
 * Removes what the events of a recording do not have, but was not asked for. Returns 0, or -1
 * with the reason in @diag.
 */
int fields_fit(struct fields *fields, const struct xp_data *data, bool chains,
	       struct xp_diag *diag);

#endif
