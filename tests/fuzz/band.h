/* SPDX-License-Identifier: MIT */
/* Records of tasks and maps, each made of a few bytes of an input, so that what is changed in an
 * input changes one field. */
#ifndef TESTS_FUZZ_BAND_H
#define TESTS_FUZZ_BAND_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "timeline-records.h"

enum { BAND_OP = 12, BAND_PAGE = 4096, BAND_NAMES = 8 };
enum band_kind { BAND_MMAP, BAND_MMAP2, BAND_COMM, BAND_FORK, BAND_EXIT, BAND_OTHER, NR_BAND };

static inline uint32_t band_u16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

/*
 * The record of an operation: its kind, process, name, flags, first page, pages, parent, what is
 * added to the time. The time is passed on.
 */
static inline void band_make(const uint8_t op[BAND_OP], uint64_t *time_ns, struct timed *ret_rec)
{
	static const char *const names[BAND_NAMES] = { "[vdso]",    "/nowhere/a", "/nowhere/b",
						       "//anon",    "[stack]",    "",
						       "/dev/zero", "[heap]" };
	uint32_t pid = op[1] % 8, page = band_u16(op + 4), nr_pages = band_u16(op + 6);
	const char *name = names[op[2] % BAND_NAMES];
	uint16_t misc = op[3] & 1 ? XP_MISC_MMAP_DATA : 0; /* and COMM_EXEC, FORK_EXEC */

	*time_ns += band_u16(op + 10) << (op[3] >> 4 & 7);
	*ret_rec = (struct timed){ .time_ns = *time_ns };
	switch (op[0] % NR_BAND) {
	case BAND_MMAP:
		ret_rec->mmap.pid = ret_rec->mmap.tid = pid;
		ret_rec->mmap.address = (uint64_t)page * BAND_PAGE;
		ret_rec->mmap.len = (uint64_t)nr_pages * BAND_PAGE;
		ret_rec->mmap.offset = (uint64_t)op[8] * BAND_PAGE;
		finish_record(ret_rec, XP_RECORD_MMAP, misc, sizeof(ret_rec->mmap), name);
		break;
	case BAND_MMAP2:
		ret_rec->mmap2.pid = ret_rec->mmap2.tid = pid;
		ret_rec->mmap2.address = (uint64_t)page * BAND_PAGE;
		ret_rec->mmap2.len = (uint64_t)nr_pages * BAND_PAGE;
		ret_rec->mmap2.offset = (uint64_t)op[8] * BAND_PAGE;
		ret_rec->mmap2.prot = misc ? PROT_READ : PROT_READ | PROT_EXEC;
		ret_rec->mmap2.major = op[9];
		finish_record(ret_rec, XP_RECORD_MMAP2, 0, sizeof(ret_rec->mmap2), name);
		break;
	case BAND_COMM:
		ret_rec->comm.pid = pid;
		ret_rec->comm.tid = op[8] & 7 ? pid : pid + 100;
		finish_record(ret_rec, XP_RECORD_COMM, misc, sizeof(ret_rec->comm), "name");
		break;
	case BAND_FORK:
	case BAND_EXIT:
		ret_rec->task.pid = pid;
		ret_rec->task.tid = op[2] & 1 ? pid + 100 : pid;
		ret_rec->task.parent_pid = ret_rec->task.parent_tid = op[8] % 8;
		ret_rec->task.time_ns = *time_ns;
		finish_record(ret_rec,
			      op[0] % NR_BAND == BAND_FORK ? XP_RECORD_FORK : XP_RECORD_EXIT, misc,
			      sizeof(ret_rec->task), NULL);
		break;
	default:
		finish_record(ret_rec, op[2], 0, sizeof(struct xp_record), NULL);
		break;
	}
}

#endif
