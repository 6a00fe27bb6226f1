/* SPDX-License-Identifier: MIT */
/*
 * What is mapped in a process, as the MMAP2 records the kernel would have written: asked one by
 * one with PROCMAP_QUERY, which hands over numbers and makes no text of what is not wanted, else
 * from the text of /proc/PID/maps.
 *
 * Source: linux/fs.h (Linux 6.11), struct procmap_query; kernel/events/core.c,
 * perf_event_mmap_event(), for the names.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc-text.h"
#include "synth-emit.h"
#include "uapi.h"

/* The walk over the maps of one process. */
struct walk {
	struct synth *synth;
	pid_t pid;
	uint64_t until_ns;
	uint32_t nr;
	bool timed_out;
};

enum { FIXED = sizeof(struct xp_record_mmap2) };

static bool is_wanted(const struct walk *walk, uint32_t prot)
{
	return prot & PROT_EXEC || (walk->synth->opts.data_maps && prot & PROT_READ);
}

/* The clock is looked at once in a while. */
static bool is_late(struct walk *walk)
{
	enum { MAPS_PER_LOOK = 32 };
	const struct xp_ctx *ctx = walk->synth->ctx;

	if (walk->nr++ % MAPS_PER_LOOK == 0)
		walk->timed_out = ctx->sys->now(ctx->sys) > walk->until_ns;
	return walk->timed_out;
}

/* The kernel's own records call memory of no file so, whatever name it was given since. */
static bool is_anonymous(const char *name, size_t len)
{
	static const char named[] = "[anon:";

	return !len || (len >= strlen(named) && !memcmp(name, named, strlen(named)));
}

/* Shared anonymous memory is a file, whose name a process can hide behind another. */
static bool is_anonymous_file(const char *name, size_t len)
{
	static const char named[] = "[anon_shmem:";

	return len >= strlen(named) && !memcmp(name, named, strlen(named));
}

/* Hands out the record; @name may be in its place already. */
static int emit(struct walk *walk, const char *name, size_t len)
{
	static const char anon[] = "//anon", anon_file[] = "/dev/zero (deleted)";
	struct xp_record_mmap2 *mmap2 = &walk->synth->rec.mmap2;

	mmap2->header.misc |= XP_MISC_USER;
	if (!(mmap2->prot & PROT_EXEC))
		mmap2->header.misc |= XP_MISC_MMAP_DATA;
	if (is_late(walk))
		mmap2->header.misc |= XP_MISC_PROC_MAP_PARSE_TIMEOUT;
	mmap2->pid = mmap2->tid = (uint32_t)walk->pid;
	if (is_anonymous(name, len))
		return xp_synth_emit(walk->synth, FIXED, anon, strlen(anon));
	if (is_anonymous_file(name, len))
		return xp_synth_emit(walk->synth, FIXED, anon_file, strlen(anon_file));
	return xp_synth_emit(walk->synth, FIXED, name, len);
}

static struct synth_id *id_slot(struct synth *synth, const struct xp_procmap_query *q)
{
	uint64_t hash = (q->inode ^ (uint64_t)q->dev_minor << 32 ^ (uint64_t)q->dev_major << 48) *
			UINT64_C(0x9e3779b97f4a7c15);

	return &synth->ids[hash >> 32 & (SYNTH_NR_IDS - 1)];
}

/* The build id of a file that the kernel may have given already; NULL: it has none. */
static const struct synth_id *build_id(struct walk *walk, int fd, const struct xp_procmap_query *q)
{
	const struct xp_sys *sys = walk->synth->ctx->sys;
	struct synth_id *slot = id_slot(walk->synth, q);

	if (!q->inode)
		return NULL;
	if (slot->inode != q->inode || slot->major != q->dev_major || slot->minor != q->dev_minor) {
		*slot = (struct synth_id){ .inode = q->inode,
					   .major = q->dev_major,
					   .minor = q->dev_minor };
		struct xp_procmap_query with_id = {
			.size = sizeof(with_id),
			.query_addr = q->vma_start,
			.build_id_size = BUILD_ID_MAX,
			.build_id_addr = (uintptr_t)slot->id,
		};
		if (!sys->ioctl(sys, fd, XP_PROCMAP_QUERY, (unsigned long)&with_id) &&
		    with_id.build_id_size <= BUILD_ID_MAX)
			slot->len = (uint8_t)with_id.build_id_size;
	}
	return slot->len ? slot : NULL;
}

static void set_file(struct walk *walk, int fd, const struct xp_procmap_query *q)
{
	struct xp_record_mmap2 *mmap2 = &walk->synth->rec.mmap2;
	const struct synth_id *id = walk->synth->opts.build_ids ? build_id(walk, fd, q) : NULL;

	if (id) {
		mmap2->header.misc |= XP_MISC_MMAP_BUILD_ID;
		mmap2->build_id_size = id->len;
		memcpy(mmap2->build_id, id->id, id->len);
		return;
	}
	mmap2->major = q->dev_major;
	mmap2->minor = q->dev_minor;
	mmap2->inode = q->inode;
}

/* The answer to a query became a record but for its name, which was written into its place. */
static int emit_query(struct walk *walk, int fd, const struct xp_procmap_query *q)
{
	static const char too_long[] = "//toolong"; /* as the kernel says it */
	struct synth *synth = walk->synth;
	const char *name = synth->rec.bytes + FIXED;
	uint32_t flags = q->vma_flags & XP_PROCMAP_SHARED ? MAP_SHARED : MAP_PRIVATE;

	xp_synth_begin(synth, XP_RECORD_MMAP2, 0, FIXED);
	synth->rec.mmap2.address = q->vma_start;
	synth->rec.mmap2.len = q->vma_end - q->vma_start;
	synth->rec.mmap2.offset = q->vma_offset;
	/* The lowest bits are those of PROT_*. */
	synth->rec.mmap2.prot = q->vma_flags & (PROT_READ | PROT_WRITE | PROT_EXEC);
	if (q->vma_page_size > (uint64_t)sysconf(_SC_PAGESIZE))
		flags |= MAP_HUGETLB;
	synth->rec.mmap2.flags = flags;
	set_file(walk, fd, q);
	if (!q->vma_name_addr)
		return emit(walk, too_long, strlen(too_long));
	return emit(walk, name, q->vma_name_size ? strnlen(name, q->vma_name_size - 1) : 0);
}

/* Asks for the first map at or above an address. Returns 0 or what the kernel answered. */
static int query(struct walk *walk, int fd, uint64_t address, struct xp_procmap_query *ret_q)
{
	struct synth *synth = walk->synth;
	const struct xp_sys *sys = synth->ctx->sys;
	struct xp_procmap_query q = {
		.size = sizeof(q),
		.query_flags =
			XP_PROCMAP_OR_NEXT | (synth->opts.data_maps ? 0 : XP_PROCMAP_EXECUTABLE),
		.query_addr = address,
		.vma_name_size = PATH_MAX,
		.vma_name_addr = (uintptr_t)(synth->rec.bytes + FIXED),
	};

	*ret_q = q;
	int err = sys->ioctl(sys, fd, XP_PROCMAP_QUERY, (unsigned long)ret_q);
	if (err != -ENAMETOOLONG)
		return err;
	*ret_q = q;
	ret_q->vma_name_size = 0;
	ret_q->vma_name_addr = 0;
	return sys->ioctl(sys, fd, XP_PROCMAP_QUERY, (unsigned long)ret_q);
}

/* Returns 0 or what the callback returned. */
static int walk_queries(struct walk *walk, int fd)
{
	struct synth *synth = walk->synth;
	uint64_t address = 0;
	struct xp_procmap_query q;

	while (!walk->timed_out) {
		int err = query(walk, fd, address, &q);

		synth->no_query = err == -ENOTTY;
		/* -ENOENT: there is no further one; -ESRCH: the process has no memory (any more).
		 */
		if (err || q.vma_end <= address)
			return 0;
		address = q.vma_end;
		err = is_wanted(walk, (uint32_t)q.vma_flags) ? emit_query(walk, fd, &q) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* The text has "\012" for a newline in a name: seq_file's seq_path(). Returns the new length. */
static size_t unescape(char *name, size_t len)
{
	static const char newline[] = "\\012";
	size_t to = 0;

	if (!memmem(name, len, newline, 4))
		return len;
	for (size_t from = 0; from < len; to++) {
		bool is_newline = len - from >= 4 && !memcmp(name + from, newline, 4);

		name[to] = name[from];
		if (is_newline)
			name[to] = '\n';
		from += is_newline ? 4 : 1;
	}
	return to;
}

static int emit_line(struct walk *walk, const struct proc_map *map)
{
	/* A page of the kernel that every process sees; its own records never have it. */
	static const char vsyscall[] = "[vsyscall]";
	struct synth *synth = walk->synth;
	char *name = synth->rec.bytes + FIXED;
	size_t len = map->name_len < PATH_MAX ? map->name_len : PATH_MAX - 1;

	if (!is_wanted(walk, map->prot) ||
	    (len == strlen(vsyscall) && !memcmp(map->name, vsyscall, len)))
		return 0;
	xp_synth_begin(synth, XP_RECORD_MMAP2, 0, FIXED);
	synth->rec.mmap2.address = map->start;
	synth->rec.mmap2.len = map->end - map->start;
	synth->rec.mmap2.offset = map->offset;
	synth->rec.mmap2.major = map->major;
	synth->rec.mmap2.minor = map->minor;
	synth->rec.mmap2.inode = map->inode;
	synth->rec.mmap2.prot = map->prot;
	synth->rec.mmap2.flags = map->flags;
	memcpy(name, map->name, len);
	return emit(walk, name, unescape(name, len));
}

static int walk_text(struct walk *walk)
{
	struct lines *lines = &walk->synth->lines;
	const char *line;
	struct proc_map map;
	size_t len;
	int err = 0;

	while (!err && !walk->timed_out && xp_lines_next(lines, &line, &len) > 0)
		err = xp_proc_map_parse(line, len, &map) ? 0 : emit_line(walk, &map);
	return err;
}

int xp_synth_maps(struct synth *synth, pid_t pid)
{
	const struct xp_sys *sys = synth->ctx->sys;
	struct walk walk = {
		.synth = synth,
		.pid = pid,
		.until_ns = sys->now(sys) + (uint64_t)synth->opts.timeout_ms * 1000000,
	};
	int err = 0;

	if (xp_lines_open(&synth->lines, synth->ctx, "/proc/%d/maps", pid))
		return 0;
	if (!synth->no_query)
		err = walk_queries(&walk, synth->lines.fd);
	if (synth->no_query)
		err = walk_text(&walk);
	xp_lines_close(&synth->lines);
	return err;
}
