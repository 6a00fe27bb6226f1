/* SPDX-License-Identifier: MIT */
/*
 * Maps and forks -> 32-bit processes. Source: the kernel's arch/x86/entry/vdso/vma.c and
 * arch/arm64/kernel/vdso.c; measured on x86-64, Linux 6.1: [vdso] of i386 programs at 0xf7f84000,
 * of others at 0x7ffc1c9f2000.
 */
#include "compat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/record.h>

#include "vec.h"

struct process {
	int32_t pid;
	bool is_compat;
};

static struct process *find(const struct compat *compat, int32_t pid)
{
	uint64_t hash = xp_hash_word(xp_hash_seed(), (uint32_t)pid);
	size_t at;

	for (struct index_walk walk = index_walk(&compat->by_pid, hash); index_next(&walk, &at);)
		if (compat->processes[at].pid == pid)
			return &compat->processes[at];
	return NULL;
}

/* Those that never were are not kept. */
static int set(struct compat *compat, int32_t pid, bool is_compat)
{
	struct process *process = find(compat, pid);

	if (process)
		process->is_compat = is_compat;
	if (process || !is_compat)
		return 0;
	if (vec_add(&compat->processes, compat->nr, sizeof(*compat->processes)) ||
	    index_add(&compat->by_pid, xp_hash_word(xp_hash_seed(), (uint32_t)pid), compat->nr))
		return -ENOMEM;
	compat->processes[compat->nr++] = (struct process){ pid, is_compat };
	return 0;
}

static int note_map(struct compat *compat, const struct xp_record *record)
{
	const struct xp_record_mmap *map = (const void *)record;
	const char *name = (const char *)record + (record->type == XP_RECORD_MMAP2
							   ? sizeof(struct xp_record_mmap2)
							   : sizeof(struct xp_record_mmap));

	if (strcmp(name, "[vdso]") != 0)
		return 0;
	return set(compat, (int32_t)map->pid, map->address <= UINT32_MAX);
}

int compat_note(struct compat *compat, const struct xp_record *record)
{
	const struct xp_record_task *task = (const void *)record;

	if (record->type == XP_RECORD_MMAP || record->type == XP_RECORD_MMAP2)
		return note_map(compat, record);
	if (record->type == XP_RECORD_FORK && task->pid != task->parent_pid)
		return set(compat, (int32_t)task->pid,
			   compat_has(compat, (int32_t)task->parent_pid));
	return 0;
}

bool compat_has(const struct compat *compat, int32_t pid)
{
	const struct process *process = compat->nr ? find(compat, pid) : NULL;

	return process && process->is_compat;
}

void compat_fini(struct compat *compat)
{
	index_fini(&compat->by_pid);
	free(compat->processes);
}
