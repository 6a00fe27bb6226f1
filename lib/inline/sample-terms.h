/* SPDX-License-Identifier: MIT */
/*
 * Conditions on samples, as the library makes them and as a program in the kernel evaluates them
 * (lib/bpf/sample-filter.bpf.c). They are alternatives, up to one that ends them; of each such
 * series one condition has to hold.
 */
#ifndef INLINE_SAMPLE_TERMS_H
#define INLINE_SAMPLE_TERMS_H

#include <linux/types.h>
#include <stdbool.h>

enum { SAMPLE_TERMS_MAX = 32 };

/* What is compared. Each is a value of the sample but the last two, which are the task's. */
enum sample_field {
	SAMPLE_FIELD_IP,
	SAMPLE_FIELD_ID,
	SAMPLE_FIELD_TID,
	SAMPLE_FIELD_PID,
	SAMPLE_FIELD_CPU,
	SAMPLE_FIELD_TIME,
	SAMPLE_FIELD_ADDR,
	SAMPLE_FIELD_PERIOD,
	SAMPLE_FIELD_TRANSACTION,
	SAMPLE_FIELD_WEIGHT,
	SAMPLE_FIELD_PHYS_ADDR,
	SAMPLE_FIELD_CODE_PAGE,
	SAMPLE_FIELD_DATA_PAGE,
	SAMPLE_FIELD_DATA_SOURCE,
	SAMPLE_FIELD_CGROUP,
	SAMPLE_FIELD_UID,
	SAMPLE_FIELD_GID,
};

enum sample_operator {
	SAMPLE_IS,
	SAMPLE_IS_NOT,
	SAMPLE_LESS,
	SAMPLE_LESS_OR_IS,
	SAMPLE_MORE,
	SAMPLE_MORE_OR_IS,
	SAMPLE_HAS_BITS, /* one of them */
};

/*
 * One condition on @bits bits of a field from bit @shift on; 0: all. Of those above them that are
 * behind @more_shift, @more_bits are appended.
 */
struct sample_term {
	__u64 value;
	__u32 field;  /* enum sample_field */
	__u8 op;      /* enum sample_operator */
	__u8 is_last; /* of the alternatives */
	__u8 shift, bits;
	__u8 more_shift, more_bits;
	__u8 padding[6];
};

static inline __attribute__((always_inline)) __u64 sample_part(const volatile struct sample_term *t,
							       __u64 value)
{
	if (!t->bits)
		return value;
	__u64 more = value >> t->more_shift & ((1ULL << t->more_bits) - 1);

	return (value >> t->shift & ((1ULL << t->bits) - 1)) | more << t->bits;
}

static inline __attribute__((always_inline)) bool
sample_term_holds(const volatile struct sample_term *t, __u64 value)
{
	switch (t->op) {
	case SAMPLE_IS:
		return value == t->value;
	case SAMPLE_IS_NOT:
		return value != t->value;
	case SAMPLE_LESS:
		return value < t->value;
	case SAMPLE_LESS_OR_IS:
		return value <= t->value;
	case SAMPLE_MORE:
		return value > t->value;
	case SAMPLE_MORE_OR_IS:
		return value >= t->value;
	default:
		return value & t->value;
	}
}

/* @read: the value of a term's field in the sample @from */
static inline __attribute__((always_inline)) bool
sample_terms_hold(const volatile struct sample_term *terms, __u32 nr,
		  __u64 (*read)(__u32 field, void *from), void *from)
{
	bool any = false;

	for (__u32 i = 0; i < SAMPLE_TERMS_MAX && i < nr; i++) {
		if (!any)
			any = sample_term_holds(&terms[i],
						sample_part(&terms[i], read(terms[i].field, from)));
		if (!terms[i].is_last)
			continue;
		if (!any)
			return false;
		any = false;
	}
	return true;
}

#endif
