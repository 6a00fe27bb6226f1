/* SPDX-License-Identifier: MIT */
/* Records of the side band, made and added to a timeline. */
#ifndef TESTS_TIMELINE_RECORDS_H
#define TESTS_TIMELINE_RECORDS_H

#include <string.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

/* A record with its time. */
struct timed {
	uint64_t time_ns;
	union {
		struct xp_record header;
		struct xp_record_mmap mmap;
		struct xp_record_mmap2 mmap2;
		struct xp_record_comm comm;
		struct xp_record_task task;
		struct xp_record_ksymbol ksymbol;
		struct xp_record_build_id build_id;
		char bytes[192];
	};
};

enum { PROT_RX = 5 };

static inline void finish_record(struct timed *rec, uint32_t type, uint16_t misc, size_t fixed,
				 const char *name)
{
	size_t len = name ? (strlen(name) + 8) & ~(size_t)7 : 0;

	rec->header = (struct xp_record){ type, misc, (uint16_t)(fixed + len) };
	if (name)
		strcpy(rec->bytes + fixed, name);
}

static inline struct timed mmap2_record(uint64_t time_ns, uint32_t pid, uint64_t start,
					uint64_t len, uint64_t offset, const char *name)
{
	struct timed rec = { .time_ns = time_ns };

	rec.mmap2.pid = rec.mmap2.tid = pid;
	rec.mmap2.address = start;
	rec.mmap2.len = len;
	rec.mmap2.offset = offset;
	rec.mmap2.prot = PROT_RX;
	rec.mmap2.flags = 2;
	finish_record(&rec, XP_RECORD_MMAP2, XP_MISC_USER, sizeof(rec.mmap2), name);
	return rec;
}

static inline struct timed kernel_record(uint64_t start, uint64_t len, uint64_t offset,
					 const char *name)
{
	struct timed rec = { 0 };

	rec.mmap.pid = (uint32_t)-1;
	rec.mmap.address = start;
	rec.mmap.len = len;
	rec.mmap.offset = offset;
	finish_record(&rec, XP_RECORD_MMAP, XP_MISC_KERNEL, sizeof(rec.mmap), name);
	return rec;
}

static inline struct timed comm_record(uint64_t time_ns, uint32_t pid, uint32_t tid,
				       const char *name, bool exec)
{
	struct timed rec = { .time_ns = time_ns };

	rec.comm.pid = pid;
	rec.comm.tid = tid;
	finish_record(&rec, XP_RECORD_COMM, exec ? XP_MISC_COMM_EXEC : 0, sizeof(rec.comm), name);
	return rec;
}

static inline struct timed task_record(uint32_t type, uint64_t time_ns, uint32_t pid, uint32_t tid,
				       uint32_t parent_pid, uint32_t parent_tid)
{
	struct timed rec = { .time_ns = time_ns };

	rec.task.pid = pid;
	rec.task.tid = tid;
	rec.task.parent_pid = parent_pid;
	rec.task.parent_tid = parent_tid;
	rec.task.time_ns = time_ns;
	finish_record(&rec, type, type == XP_RECORD_FORK && !time_ns ? XP_MISC_FORK_EXEC : 0,
		      sizeof(rec.task), NULL);
	return rec;
}

static inline struct timed ksymbol_record(uint64_t time_ns, uint64_t start, uint32_t len, bool went,
					  const char *name)
{
	struct timed rec = { .time_ns = time_ns };

	rec.ksymbol.address = start;
	rec.ksymbol.len = len;
	rec.ksymbol.kind = 1;
	rec.ksymbol.flags = went;
	finish_record(&rec, XP_RECORD_KSYMBOL, 0, sizeof(rec.ksymbol), name);
	return rec;
}

static inline int add_record(struct xp_timeline *timeline, const struct timed *rec)
{
	const struct xp_sample_id id = { .pid = -1, .tid = -1, .time_ns = rec->time_ns };

	return xp_timeline_add(timeline, &rec->header, &id);
}

#endif
