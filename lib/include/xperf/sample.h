/* SPDX-License-Identifier: MIT */
/* What a sample, and the trailer of every other record, holds. */
#ifndef XPERF_SAMPLE_H
#define XPERF_SAMPLE_H

#include <xperf/api.h>
#include <xperf/record.h>

struct xp_attr;

XP_BEGIN_DECLS

/**
 * struct xp_sample_id - who, when and where
 *
 * Fields the event does not record are -1 (pid, tid, cpu), 0 (ids) and XP_NO_TIME.
 */
struct xp_sample_id {
	int32_t pid, tid;
	uint64_t time_ns;
	uint64_t id;
	uint64_t stream_id;
	int32_t cpu;
	uint32_t padding; /* never used */
};

#define XP_NO_TIME UINT64_MAX

/**
 * struct xp_read_value - what one event of a reading has counted
 * @id:   0 where the event does not record it
 * @lost: samples; 0 where the event does not record it
 */
struct xp_read_value {
	uint64_t value;
	uint64_t id;
	uint64_t lost;
};

/** struct xp_regs - values of registers, in the order of the mask's bits. @abi: 0 none, 1 32-bit, 2
 * 64-bit */
struct xp_regs {
	uint64_t abi;
	uint64_t mask;
	const uint64_t *values;
	int nr;
	uint32_t padding; /* never used */
};

/** struct xp_branch - one entry of a branch stack. @flags as the kernel's union has them. */
struct xp_branch {
	uint64_t from, to, flags;
};

/**
 * struct xp_sample - a decoded sample; pointers point into the record
 *
 * What the event's sample_type has not is 0, NULL, or as in struct xp_sample_id.
 * @size: sizeof(struct xp_sample), set by the caller, also before xp_sample_decode()
 * @period: events since the sample before; where samples do not record it, the event's fixed period
 * @read: u64 words as read(2) gives them, in the layout of the event's read_format
 */
struct xp_sample {
	size_t size;
	const struct xp_record *record;
	struct xp_sample_id id;
	uint64_t ip;
	uint64_t address;
	uint64_t period;
	const uint64_t *read;
	size_t nr_read_words;
	const uint64_t *callchain;
	size_t nr_callchain;
	const void *raw;
	const struct xp_branch *branches;
	size_t nr_branches;
	uint64_t branch_hw_idx;
	const uint64_t *branch_counters;
	uint32_t raw_len;
	bool has_branch_hw_idx;
	uint8_t padding[3]; /* never used */
	struct xp_regs user_regs;
	const void *stack;
	uint64_t stack_len;   /* bytes in the record */
	uint64_t stack_valid; /* bytes of them the kernel has filled */
	uint64_t weight;      /* WEIGHT_STRUCT: all three, as one word */
	uint64_t data_source;
	uint64_t transaction;
	struct xp_regs intr_regs;
	uint64_t phys_address;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	const void *aux;
	uint64_t aux_len;
};

/**
 * xp_sample_decode - decode a sample
 * @record: complete, of type XP_RECORD_SAMPLE, in this machine's byte order, 8-byte aligned
 * @attr:   of the event it belongs to
 *
 * Returns 0, -EINVAL (the size of @ret_sample is not set; it is unchanged then), or -EBADMSG: a
 * length does not fit into the record; @ret_sample then holds what came before. Source:
 * linux/perf_event.h, PERF_RECORD_SAMPLE.
 */
XP_API int xp_sample_decode(const struct xp_record *record, const struct xp_attr *attr,
			    struct xp_sample *ret_sample);

/**
 * struct xp_chain_walk - a walk through a call chain, from the innermost entry outwards
 * @ips, @nr:  the chain, markers included; afterwards what is left of it. Borrowed
 * @cpumode:   at first the sample's (misc & XP_MISC_CPUMODE_MASK), which entries before the first
 *             marker have; then the mode of the present entry: XP_MISC_KERNEL, XP_MISC_USER,
 *             XP_MISC_HYPERVISOR, XP_MISC_GUEST_KERNEL or XP_MISC_GUEST_USER
 * @ip:        the present entry, as sampled
 * @is_return: it is a return address: the call before it is meant. The first entry after a marker
 *             is where that mode was left
 * @is_joined: with XP_MISC_USER: the stack was not copied so far; the frame was one of the thread's
 * in an earlier sample, and its function can have returned since
 * @is_inside, @is_lost: the walk's own
 *
 * Zeroed but for @ips, @nr and @cpumode before the first call of xp_chain_next().
 */
struct xp_chain_walk {
	const uint64_t *ips;
	size_t nr;
	uint64_t ip;
	uint16_t cpumode;
	bool is_return, is_inside, is_lost, is_joined;
};
/** xp_chain_next_marked - xp_chain_next() for programs that cannot use functions of headers.
 * Returns the same. */
XP_API bool xp_chain_next_marked(struct xp_chain_walk *walk);
/**
 * xp_chain_next - the next address of a call chain, and whose it is
 * @walk: moves on to it
 *
 * Markers are no entries. What follows a marker that does not say whose the addresses are is passed
 * over up to the next one: XP_CONTEXT_GUEST (the kernel's or the user's part of a guest),
 * XP_CONTEXT_USER_DEFERRED (a cookie, see xp_timeline_join()), and markers that are not known.
 *
 * Two markers XP_CONTEXT_USER, one directly after the other, that come after an address of user
 * space are xperf's own: addresses that follow are joined. Other programs find a marker that they
 * know, twice.
 *
 * Markers after the last address are xperf's own, too: they say how the chain ends.
 *
 * Returns true, or false after the last one. Source: linux/perf_event.h, enum
 * perf_callchain_context.
 */
static inline bool xp_chain_next(struct xp_chain_walk *walk)
{
	if (!walk->nr)
		return false;
	if (!walk->is_inside || walk->is_lost || *walk->ips >= XP_CONTEXT_MAX)
		return xp_chain_next_marked(walk);
	walk->ip = *walk->ips++;
	walk->nr--;
	walk->is_return = true;
	return true;
}

/** struct xp_lbr_chain - room for call chains made of branches; zeroed at first, @at is the
 * caller's to free */
struct xp_lbr_chain {
	uint64_t *at;
	size_t room;
};
/**
 * xp_sample_use_lbr - make branches of a call stack (--call-graph lbr) a part of the call chain
 * @attr: of the event; where it does not record the call stack, nothing happens
 * @chain: room; @sample's call chain is there afterwards, until the next call
 *
 * The kernel's part stays. What follows the marker of the user's part is replaced by where the
 * last call went to and where each call came from, the latest first.
 *
 * Returns 0, -EINVAL (the size of @sample is not set), -ENOMEM. Source: perf 6.1, measured.
 */
XP_API int xp_sample_use_lbr(struct xp_sample *sample, const struct xp_attr *attr,
			     struct xp_lbr_chain *chain);

/**
 * xp_sample_encode - the record of a sample
 * @sample: its record gives the misc bits; NULL: none are set
 * @buf: 8-byte aligned; NULL with @len 0 to learn the size
 *
 * Raw data and stacks are filled up with zeros to a multiple of 8 bytes, as the kernel does.
 *
 * Returns its bytes, or -ENOBUFS (@len is less), -E2BIG (longer than a record can be; @sample is
 * of a newer version, and holds something that this one does not know), -EINVAL (the reading or the
 * registers are not as @attr has them; the size of @sample is not set).
 *
 * Unstable: it may change or disappear in any version.
 */
XP_API int xp_sample_encode(const struct xp_sample *sample, const struct xp_attr *attr, void *buf,
			    size_t len);

/**
 * struct xp_reading - what an event, or each event of its group, has counted
 * @enabled_ns, @running_ns: 0 where the event does not record them
 * @nr: events, for xp_reading_value()
 * @words, @read_format: where they are; borrowed from the record
 */
struct xp_reading {
	uint64_t enabled_ns;
	uint64_t running_ns;
	size_t nr;
	const uint64_t *words;
	uint64_t read_format;
};

/**
 * xp_reading_decode - decode a reading: @read of struct xp_sample, or what read(2) gave
 * @read_format: of the event's attribute
 *
 * Returns 0 or -EBADMSG (the words are fewer than they should be).
 */
XP_API int xp_reading_decode(const uint64_t *words, size_t nr_words, uint64_t read_format,
			     struct xp_reading *ret_reading);

/**
 * xp_reading_value - one event of a reading. Returns 0 or -EINVAL (@idx is not below its nr).
 */
XP_API int xp_reading_value(const struct xp_reading *reading, size_t idx,
			    struct xp_read_value *ret_value);

/**
 * xp_read_decode - decode a READ record: what an event counted in a thread that has ended
 * @attr: of the event
 *
 * Returns 0 or -EBADMSG (it is none, or too short).
 */
XP_API int xp_read_decode(const struct xp_record *record, const struct xp_attr *attr,
			  int32_t *ret_pid, int32_t *ret_tid, struct xp_reading *ret_reading);

/**
 * xp_sample_id_decode - read the trailer of a record that is no sample
 * @attr: of an event with sample_id_all; without it nothing is known
 *
 * Returns 0 or -EBADMSG (the record is too short for it).
 */
XP_API int xp_sample_id_decode(const struct xp_record *record, const struct xp_attr *attr,
			       struct xp_sample_id *ret_id);

/** xp_sample_id_bytes - length of the trailer. Returns bytes, a multiple of 8. */
XP_API size_t xp_sample_id_bytes(const struct xp_attr *attr);

/**
 * xp_sample_id_encode - write a trailer of xp_sample_id_bytes() bytes.
 *
 * Unstable: it may change or disappear in any version.
 */
XP_API void xp_sample_id_encode(const struct xp_sample_id *id, const struct xp_attr *attr,
				void *buf);

/**
 * xp_sample_id_of - the id a record names its event by, without decoding it
 *
 * Returns it; 0 if the event records none, or the record is too short.
 */
XP_API uint64_t xp_sample_id_of(const struct xp_record *record, const struct xp_attr *attr);

/**
 * xp_sample_time_of - the time of a record, without decoding a sample
 * @attr: of the event it belongs to
 *
 * Returns nanoseconds of the recording's clock; XP_NO_TIME if the event records none, or the record
 * is too short.
 */
XP_API uint64_t xp_sample_time_of(const struct xp_record *record, const struct xp_attr *attr);

XP_END_DECLS

#endif
