/* SPDX-License-Identifier: MIT */
/*
 * At the end of a recording: which files a report would not find, and copies of them. A report
 * looks at a file's name, into the cache, and below the roots of processes that go on.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/synth.h>

#include "build-id.h"
#include "build-ids-impl.h"
#include "hash.h"
#include "jit-dump.h"
#include "opts.h"

/* The file of that name, whatever became of the one that was mapped. */
static bool has_same_id(const char *path, const struct xp_build_id *id)
{
	int fd = id->len ? xp_build_id_open(path) : -1;
	bool is_same = fd >= 0 && xp_build_id_is_of_fd(id, fd);

	if (fd >= 0)
		close(fd);
	return is_same;
}

static bool is_found_by_name(const struct xp_ctx *ctx, const struct mapped *mapped)
{
	char path[PATH_MAX];

	if (mapped->inode && xp_mapped_is_at_name(ctx, mapped, mapped->device, mapped->inode))
		return true;
	return snprintf(path, sizeof(path), "%s%s", ctx->root, mapped->name) < PATH_MAX &&
	       has_same_id(path, &mapped->id);
}

/* Opens the file wherever it can be had. *ret_is_seen: a report can have it there, too. Returns a
 * descriptor or a negative errno. */
static int open_it(const struct xp_ctx *ctx, const struct mapped *mapped, bool *ret_is_seen)
{
	char path[PATH_MAX], root[PATH_MAX];
	const struct ways *ways = mapped->ways;
	int fd = xp_mapped_file_open(ctx->root, &mapped->file, path);

	snprintf(root, sizeof(root), "%s/proc/%d/", ctx->root, mapped->file.pid);
	bool is_of_process = fd >= 0 && !strncmp(path, root, strlen(root));
	*ret_is_seen = fd >= 0 &&
		       (!is_of_process || !strncmp(path + strlen(root), "root/", strlen("root/")));
	if (fd >= 0)
		return fd;
	if (ways && ways->fd >= 0)
		return dup(ways->fd);
	if (!ways || !ways->path || !has_same_id(ways->path, &mapped->id))
		return -ENOENT;
	return xp_build_id_open(ways->path);
}

/* An id for what has none: the same whenever the content is. Returns false: it cannot be read. */
static bool make_id(int fd, uint64_t len, struct xp_build_id *ret_id)
{
	uint64_t hash[3] = { UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xc2b2ae3d27d4eb4f), len };
	uint64_t at = 0;
	unsigned char buf[65536];
	ssize_t n;

	while (at < len && (n = pread(fd, buf, sizeof(buf), (off_t)at)) > 0) {
		hash[0] = xp_hash_bytes(hash[0], buf, (size_t)n);
		hash[1] = xp_hash_bytes(hash[1], buf, (size_t)n);
		at += (uint64_t)n;
	}
	if (at < len)
		return false;
	ret_id->len = sizeof(ret_id->bytes);
	memcpy(ret_id->bytes, hash, sizeof(ret_id->bytes));
	return true;
}

/* The list of code that a process in a container has made. */
static int open_list(const struct xp_ctx *ctx, const struct mapped *mapped)
{
	const struct ways *ways = mapped->ways;

	if (!ways)
		return -ENOENT;
	int tmp = ways->fd >= 0 ? ways->fd : xp_inside_tmp(ctx, mapped->file.pid);
	int fd = tmp < 0 ? tmp : xp_inside_map(tmp, &ways->inside);
	if (tmp >= 0 && tmp != ways->fd)
		close(tmp);
	return fd;
}

static void note_lost(struct xp_build_ids_kept *kept, const struct mapped *mapped)
{
	kept->lost++;
	if (!kept->a_lost_file)
		kept->a_lost_file = mapped->name;
}

/* The limits and results of keeping files. */
struct keeping {
	const struct xp_ctx *ctx;
	const char *dir;
	uint64_t max_bytes;
	bool is_open;
	struct xp_build_ids_kept kept;
	struct xp_diag *diag;
};

/* Returns 0 or why nothing can be kept. */
static int keep_open(struct keeping *keeping, struct mapped *mapped, int fd)
{
	struct xp_build_ids_kept *kept = &keeping->kept;
	struct stat st;

	if (fstat(fd, &st) || st.st_size < 0 ||
	    (uint64_t)st.st_size > keeping->max_bytes - kept->bytes ||
	    (!mapped->id.len && !make_id(fd, (uint64_t)st.st_size, &mapped->id))) {
		note_lost(kept, mapped);
		return 0;
	}
	int err = keeping->is_open
			  ? 0
			  : xp_build_ids_open_cache(keeping->ctx, keeping->dir, keeping->diag);
	if (err)
		return err;
	keeping->is_open = true;
	bool is_new = !xp_build_ids_is_cached(keeping->ctx, keeping->dir, mapped);
	err = xp_build_ids_copy(keeping->ctx, keeping->dir, mapped, fd);
	if (xp_build_ids_is_hopeless(err))
		return xp_diag_set(keeping->diag, err,
				   "The build id cache '%s' cannot be written: %s", keeping->dir,
				   strerror(-err));
	if (err) {
		note_lost(kept, mapped);
		return 0;
	}
	kept->files++;
	kept->bytes += is_new ? (uint64_t)st.st_size : 0;
	return 0;
}

static int keep_file(struct keeping *keeping, struct mapped *mapped)
{
	bool is_seen, is_dump = xp_jit_is_dump(mapped->name, NULL);
	bool is_program = mapped->id.len || (mapped->ways && mapped->ways->is_wanted && !is_dump);
	int err = 0;

	if (is_found_by_name(keeping->ctx, mapped))
		return 0;
	int fd = open_it(keeping->ctx, mapped, &is_seen);
	/* A dump grows, so that nothing says later that it is the right one. */
	if (fd >= 0 && (!is_seen || is_dump) && (is_program || xp_mapped_is_wanted(mapped, fd)))
		err = keep_open(keeping, mapped, fd);
	else if (fd < 0 && is_program)
		note_lost(&keeping->kept, mapped);
	if (fd >= 0)
		close(fd);
	return err;
}

/* Most processes that make code keep no list. */
static int keep_list(struct keeping *keeping, struct mapped *mapped)
{
	int fd = open_list(keeping->ctx, mapped);
	int err = fd < 0 ? 0 : keep_open(keeping, mapped, fd);

	if (fd >= 0)
		close(fd);
	return err;
}

int xp_build_ids_keep(struct xp_build_ids *ids, const char *dir, uint64_t max_bytes,
		      struct xp_build_ids_kept *ret_kept, struct xp_diag *diag)
{
	struct keeping keeping = { .ctx = ids->ctx,
				   .dir = dir,
				   .max_bytes = max_bytes,
				   .kept = { .size = sizeof(keeping.kept) },
				   .diag = diag };
	int err = 0;

	xp_build_ids_wait(ids);
	for (struct mapped *mapped = ids->first; mapped && !err; mapped = mapped->next)
		err = mapped->kind == MAPPED_FILE   ? keep_file(&keeping, mapped)
		      : mapped->kind == MAPPED_MADE ? keep_list(&keeping, mapped)
						    : 0;
	int copy_err =
		XP_OUTPUT_COPY(ret_kept, &keeping.kept, struct xp_build_ids_kept, a_lost_file);
	return err ? err : copy_err;
}
