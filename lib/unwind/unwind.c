/* SPDX-License-Identifier: MIT */
/* The set of files whose rules are known, each once: recorded ones by path and build id, those that
 * are mapped now by their place on the disk. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xperf/symtab.h>

#include "build-id.h"
#include "mapped-file.h"
#include "opts.h"
#include "remote.h"
#include "unwind-impl.h"
#include "vec.h"

static int probe_libunwind(void)
{
	struct xp_remote *remote;
	int err = xp_remote_open(&remote);

	if (!err)
		xp_remote_close(remote);
	return err;
}

int xp_unwind_new(struct xp_symbols *symbols, const struct xp_unwind_opts *opts,
		  struct xp_unwind **ret_unwind)
{
	enum { MEMORY_MAX = 512 << 20 };
	struct xp_unwind_opts known = { .size = sizeof(known) };
	int err = XP_OPTS_COPY(&known, opts, struct xp_unwind_opts, no_frame_pointers, NULL);

	if (err)
		return err;
	if (known.method > XP_UNWIND_LIBDW)
		return -EINVAL;
	err = known.method == XP_UNWIND_LIBUNWIND ? probe_libunwind() : 0;
	if (err)
		return err;
	struct xp_unwind *unwind = calloc(1, sizeof(*unwind));
	if (!unwind)
		return -ENOMEM;
	unwind->symbols = symbols;
	unwind->memory_max = known.memory_max_bytes ? known.memory_max_bytes : MEMORY_MAX;
	unwind->method = known.method;
	unwind->no_frame_pointers = known.no_frame_pointers;
	pthread_mutex_init(&unwind->lock, NULL);
	*ret_unwind = unwind;
	return 0;
}

static void file_free(struct xp_unwind_file *file)
{
	xp_unwind_file_unload(file);
	xp_unwind_file_close(file);
	pthread_mutex_destroy(&file->lock);
	free(file->segments);
	free(file->name);
	free(file);
}

void xp_unwind_free(struct xp_unwind *unwind)
{
	if (!unwind)
		return;
	for (size_t i = 0; i < unwind->nr_files; i++)
		file_free(unwind->files[i]);
	free(unwind->files);
	index_fini(&unwind->by_name);
	pthread_mutex_destroy(&unwind->lock);
	free(unwind);
}

static uint64_t hash_of(const struct xp_unwind_file *file)
{
	uint64_t hash = xp_hash_bytes(xp_hash_seed(), file->id.bytes, file->id.len);

	hash = xp_hash_bytes(hash, &file->is, sizeof(file->is));
	hash = xp_hash_word(hash, file->inode + file->is_jit);
	return xp_hash_bytes(hash, file->name, strlen(file->name));
}

static bool is_same(const struct xp_unwind_file *a, const struct xp_unwind_file *b)
{
	return !memcmp(&a->is, &b->is, sizeof(a->is)) && a->inode == b->inode &&
	       a->inode_generation == b->inode_generation && xp_build_id_equal(&a->id, &b->id) &&
	       a->is_jit == b->is_jit && !strcmp(a->name, b->name);
}

static struct xp_unwind_file *find(const struct xp_unwind *unwind,
				   const struct xp_unwind_file *like)
{
	size_t at;

	for (struct index_walk walk = index_walk(&unwind->by_name, hash_of(like));
	     index_next(&walk, &at);)
		if (is_same(unwind->files[at], like))
			return unwind->files[at];
	return NULL;
}

static struct xp_unwind_file *add(struct xp_unwind *unwind, const struct xp_unwind_file *like)
{
	struct xp_unwind_file *file = malloc(sizeof(*file));

	if (!file)
		return NULL;
	*file = *like;
	file->name = strdup(like->name);
	if (!file->name ||
	    vec_add(&unwind->files, unwind->nr_files, sizeof(struct xp_unwind_file *)) ||
	    index_add(&unwind->by_name, hash_of(like), unwind->nr_files)) {
		free(file->name);
		free(file);
		return NULL;
	}
	pthread_mutex_init(&file->lock, NULL);
	unwind->files[unwind->nr_files++] = file;
	return file;
}

/* Finds or adds one. Its descriptor becomes the file's, or is closed. Returns 0 or -ENOMEM. */
static int open_like(struct xp_unwind *unwind, const struct xp_unwind_file *like,
		     struct xp_unwind_file **ret_file)
{
	pthread_mutex_lock(&unwind->lock);
	struct xp_unwind_file *file = find(unwind, like);
	bool is_added = !file && (file = add(unwind, like));
	pthread_mutex_unlock(&unwind->lock);
	if (!is_added && like->code.fd >= 0)
		close(like->code.fd);
	if (!file)
		return -ENOMEM;
	*ret_file = file;
	return 0;
}

static void set_id(struct xp_build_id *to, const void *build_id, size_t len)
{
	if (!build_id)
		return;
	to->len = len < sizeof(to->bytes) ? (uint8_t)len : sizeof(to->bytes);
	memcpy(to->bytes, build_id, to->len);
}

int xp_unwind_open(struct xp_unwind *unwind, const char *path, const void *build_id,
		   size_t build_id_len, struct xp_unwind_file **ret_file)
{
	return xp_unwind_open_file(unwind,
				   &(struct xp_symbol_file){ .size = sizeof(struct xp_symbol_file),
							     .path = path,
							     .build_id = build_id,
							     .build_id_len = build_id_len },
				   ret_file);
}

/* A build id says more than an inode. @jit_clock: of a dump; NULL: it is none */
static int open_recorded(struct xp_unwind *unwind, const struct xp_symbol_file *file,
			 const struct xp_jit_clock *jit_clock, struct xp_unwind_file **ret_file)
{
	struct xp_symbol_file known = { .size = sizeof(known) };
	int err = XP_OPTS_COPY(&known, file, struct xp_symbol_file, inode_generation, NULL);

	if (err || !known.path)
		return err ? err : -EINVAL;
	struct xp_unwind_file like = { .unwind = unwind,
				       .name = (char *)known.path,
				       .is_jit = jit_clock,
				       .code = { .fd = -1 } };

	if (jit_clock)
		like.jit_clock = *jit_clock;
	set_id(&like.id, known.build_id, known.build_id_len);
	if (!like.id.len) {
		like.inode = known.inode;
		like.inode_generation = known.inode_generation;
	}
	return open_like(unwind, &like, ret_file);
}

int xp_unwind_open_file(struct xp_unwind *unwind, const struct xp_symbol_file *file,
			struct xp_unwind_file **ret_file)
{
	return open_recorded(unwind, file, NULL, ret_file);
}

int xp_jit_open(struct xp_unwind *unwind, const struct xp_symbol_file *file,
		const struct xp_jit_clock *clock, struct xp_unwind_file **ret_file)
{
	return open_recorded(unwind, file, clock, ret_file);
}

/* Nothing but the mapped file will do, if it is known which that is. */
static int open_mapped(const struct mapped_file *mapped, struct xp_unwind_file *like)
{
	char path[PATH_MAX];
	struct stat st;
	int fd = xp_mapped_file_open("", mapped, path);

	if (xp_is_shortage(fd))
		return fd;
	if (fd >= 0 && !fstat(fd, &st)) {
		like->is = (struct file_identity){ st.st_dev, st.st_ino, st.st_ctim.tv_sec,
						   st.st_ctim.tv_nsec };
	} else if (mapped->inode) {
		like->is = (struct file_identity){ makedev(mapped->major, mapped->minor),
						   mapped->inode, -1,
						   (int64_t)mapped->inode_generation };
		like->is_open = true;
		like->state = fd == -ESTALE                   ? XP_SYMTAB_REPLACED
			      : fd == -EACCES || fd == -EPERM ? XP_SYMTAB_FORBIDDEN
							      : XP_SYMTAB_NO_FILE;
	}
	like->code.fd = fd < 0 ? -1 : fd;
	return 0;
}

static int open_now(struct xp_unwind *unwind, const struct xp_unwind_mapped *mapped,
		    const struct xp_jit_clock *jit_clock, struct xp_unwind_file **ret_file)
{
	struct xp_unwind_mapped known = { .size = sizeof(known) };
	int err = XP_OPTS_COPY(&known, mapped, struct xp_unwind_mapped, build_id_len, NULL);

	if (err || !known.path)
		return err ? err : -EINVAL;
	struct xp_unwind_file like = { .unwind = unwind,
				       .name = (char *)known.path,
				       .is_jit = jit_clock,
				       .code = { .fd = -1 } };
	struct mapped_file file = { .name = known.path,
				    .start = known.start,
				    .end = known.end,
				    .inode = known.inode,
				    .inode_generation = known.inode_generation,
				    .major = known.major,
				    .minor = known.minor,
				    .pid = known.pid };

	if (jit_clock)
		like.jit_clock = *jit_clock;
	set_id(&file.id, known.build_id, known.build_id_len);
	like.id = file.id;
	err = *known.path == '/' ? open_mapped(&file, &like) : 0;
	if (err)
		return err;
	return open_like(unwind, &like, ret_file);
}

int xp_unwind_open_mapped(struct xp_unwind *unwind, const struct xp_unwind_mapped *mapped,
			  struct xp_unwind_file **ret_file)
{
	return open_now(unwind, mapped, NULL, ret_file);
}

int xp_jit_open_mapped(struct xp_unwind *unwind, const struct xp_unwind_mapped *mapped,
		       const struct xp_jit_clock *clock, struct xp_unwind_file **ret_file)
{
	return open_now(unwind, mapped, clock, ret_file);
}

/* The file that was not used for longest and has rules, but for @file; NULL: there is none. */
static struct xp_unwind_file *oldest(const struct xp_unwind *unwind,
				     const struct xp_unwind_file *file)
{
	struct xp_unwind_file *found = NULL;
	uint64_t used = UINT64_MAX;

	for (size_t i = 0; i < unwind->nr_files; i++) {
		struct xp_unwind_file *other = unwind->files[i];
		uint64_t its = atomic_load_explicit(&other->used, memory_order_relaxed);

		if (other == file || !its || its >= used)
			continue;
		used = its;
		found = other;
	}
	return found;
}

/* One that is in use just now is left for the next time. */
static void forget_oldest(struct xp_unwind *unwind, const struct xp_unwind_file *file)
{
	pthread_mutex_lock(&unwind->lock);
	while (atomic_load(&unwind->memory) > unwind->memory_max) {
		struct xp_unwind_file *other = oldest(unwind, file);

		if (!other || pthread_mutex_trylock(&other->lock))
			break;
		xp_unwind_file_unload(other);
		atomic_store(&other->used, 0);
		pthread_mutex_unlock(&other->lock);
	}
	pthread_mutex_unlock(&unwind->lock);
}

void xp_unwind_file_account(struct xp_unwind_file *file, uint64_t bytes)
{
	struct xp_unwind *unwind = file->unwind;

	file->rules.bytes += bytes;
	if (atomic_fetch_add(&unwind->memory, bytes) + bytes > unwind->memory_max)
		forget_oldest(unwind, file);
}
