/* SPDX-License-Identifier: MIT */
/*
 * Which file, or what stands for one, a map is of: by its name and build id.
 *
 * Memory without a file that code runs in is JIT code, whose symbols its process writes to
 * /tmp/perf-PID.map; its names, and how a module is shown, are as perf 6.1 has them.
 */
#include "timeline-impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/timeline.h>

#include "cleanup.h"
#include "hash.h"

enum { BUILD_ID_MAX = 20 };

static struct xp_dso *dso_at(const struct xp_timeline *timeline, int idx)
{
	return (struct xp_dso *)timeline->dsos.at + idx;
}

/* Names are interned: their addresses stand for them. A build id says more than an inode. */
static uint64_t hash_of(const struct xp_timeline *timeline, const struct xp_dso *dso)
{
	uint64_t who = (uintptr_t)dso->name ^ ((uint64_t)dso->jit_pid << 40) ^ dso->is_kernel;

	if (!dso->build_id_len)
		return xp_hash_word(timeline->texts.seed ^ who, dso->inode);
	return xp_hash_bytes(timeline->texts.seed ^ who, dso->build_id, dso->build_id_len);
}

/* File systems use an inode again for another file, which has another generation. Descriptions of
 * what was there already have none. */
static bool is_same_inode(const struct xp_dso *a, const struct xp_dso *b)
{
	return a->inode == b->inode && (!a->inode_generation || !b->inode_generation ||
					a->inode_generation == b->inode_generation);
}

static bool is_same(const struct xp_dso *a, const struct xp_dso *b)
{
	return a->name == b->name && a->jit_pid == b->jit_pid && a->is_kernel == b->is_kernel &&
	       a->build_id_len == b->build_id_len &&
	       (a->build_id_len ? !memcmp(a->build_id, b->build_id, a->build_id_len)
				: is_same_inode(a, b));
}

/* Ids were 20 bytes once, filled up with zeros. */
static size_t build_id_len(const uint8_t *build_id, size_t len)
{
	static const uint8_t zeros[4];

	if (len > BUILD_ID_MAX)
		len = BUILD_ID_MAX;
	while (len >= sizeof(zeros) &&
	       !memcmp(build_id + len - sizeof(zeros), zeros, sizeof(zeros)))
		len -= sizeof(zeros);
	return len;
}

/* "/lib/modules/6.1.0/kernel/fs/my-fs.ko.xz" is shown as "[my_fs]". */
static const char *module_name(struct xp_timeline *timeline, const char *base, const char *ko)
{
	char text[128];
	int len = snprintf(text, sizeof(text), "[%.*s]", (int)(ko - base), base);

	if (len >= (int)sizeof(text))
		return base;
	for (char *at = text; *at; at++)
		if (*at == '-')
			*at = '_';
	return xp_intern_add(&timeline->texts, text, (size_t)len);
}

bool xp_timeline_is_listed(const struct xp_dso *dso)
{
	return dso->is_jit && !strncmp(dso->name, "/tmp/", 5);
}

bool xp_timeline_is_file(const struct xp_dso *dso)
{
	if (dso->is_kernel || xp_timeline_is_listed(dso))
		return false;
	return *dso->name == '/' ? strncmp(dso->name, "//", 2) != 0 : !strcmp(dso->name, "[vdso]");
}

/* Returns NULL when out of memory. */
static const char *short_name(struct xp_timeline *timeline, const struct xp_dso *dso)
{
	const char *slash = dso->name[0] == '[' ? NULL : strrchr(dso->name, '/');
	const char *base = slash ? slash + 1 : dso->name;
	const char *ko = dso->is_kernel && slash ? strstr(base, ".ko") : NULL;
	char text[32];

	if (ko && ko - base < 100)
		return module_name(timeline, base, ko);
	if (!xp_timeline_is_listed(dso))
		return base;
	int len = snprintf(text, sizeof(text), "[JIT] tid %d", dso->jit_pid);
	return xp_intern_add(&timeline->texts, text, (size_t)len);
}

const char *xp_timeline_module_name(struct xp_timeline *timeline, const char *path)
{
	return short_name(timeline, &(struct xp_dso){ .name = path, .is_kernel = true });
}

/* Returns the position of a DSO that is the same as @key, whose name is interned, or -ENOMEM. */
static int find_or_add(struct xp_timeline *timeline, const struct xp_dso *key)
{
	uint64_t hash = hash_of(timeline, key);
	int first = xp_id_map_find(&timeline->dso_of, hash);
	const int *next = timeline->dso_next.at;

	for (int i = first; i >= 0; i = next[i])
		if (is_same(dso_at(timeline, i), key))
			return i;
	const char *name = short_name(timeline, key);
	const size_t nr = timeline->dsos.nr;
	int *link = name ? xp_vector_add(&timeline->dso_next, sizeof(*link)) : NULL;
	struct xp_dso *dso = link ? xp_vector_add(&timeline->dsos, sizeof(*dso)) : NULL;
	int idx = (int)nr;
	if (!dso || (first < 0 && xp_id_map_add(&timeline->dso_of, hash, idx))) {
		timeline->dso_next.nr = timeline->dsos.nr = nr;
		return -ENOMEM;
	}
	*dso = *key;
	dso->short_name = name;
	dso->index = idx;
	*link = -1;
	if (first >= 0) {
		int *links = timeline->dso_next.at;
		*link = links[first];
		links[first] = idx;
	}
	return idx;
}

int xp_timeline_dso_for(struct xp_timeline *timeline, const char *name, size_t len,
			const uint8_t *build_id, size_t id_len, bool is_kernel, int32_t jit_pid)
{
	struct xp_dso key = { .is_kernel = is_kernel, .is_jit = jit_pid != -1, .jit_pid = jit_pid };

	key.name = xp_intern_add(&timeline->texts, name, len);
	if (!key.name)
		return -ENOMEM;
	if (build_id) {
		key.build_id_len = (uint8_t)build_id_len(build_id, id_len);
		memcpy(key.build_id, build_id, key.build_id_len);
	}
	return find_or_add(timeline, &key);
}

/* Names of memory that no file is behind. */
static bool is_memory(const char *name)
{
	static const char *const beginnings[] = { "//anon", "/dev/zero",   "/anon_hugepage",
						  "[stack", "/SYSV",       "[heap]",
						  "[anon:", "[anon_shmem:" };

	for (size_t i = 0; i < XP_ARRAY_LEN(beginnings); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

int xp_timeline_user_dso(struct xp_timeline *timeline, const struct xp_symbol_file *file,
			 int32_t pid, bool is_code)
{
	size_t len = strlen(file->path);
	bool has_id = file->build_id && build_id_len(file->build_id, file->build_id_len);
	bool is_in_memory = is_memory(file->path);
	char path[32];

	if (!has_id && is_code && pid >= 0) {
		/* It keeps its name: what is in it may be a program. */
		if (!strncmp(file->path, "/memfd:", 7))
			return xp_timeline_dso_for(timeline, file->path, len, NULL, 0, false, pid);
		if (is_in_memory) {
			len = (size_t)snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
			return xp_timeline_dso_for(timeline, path, len, NULL, 0, false, pid);
		}
	}
	if (has_id || is_in_memory || *file->path != '/')
		return xp_timeline_dso_for(timeline, file->path, len, file->build_id,
					   file->build_id_len, false, -1);
	struct xp_dso key = { .name = xp_intern_add(&timeline->texts, file->path, len),
			      .jit_pid = -1,
			      .inode = file->inode,
			      .inode_generation = file->inode_generation };
	return key.name ? find_or_add(timeline, &key) : -ENOMEM;
}

struct xp_symbol_file xp_timeline_file_of(const struct xp_dso *dso)
{
	return (struct xp_symbol_file){ .size = sizeof(struct xp_symbol_file),
					.path = dso->name,
					.build_id = dso->build_id_len ? dso->build_id : NULL,
					.build_id_len = dso->build_id_len,
					.inode = dso->inode,
					.inode_generation = dso->inode_generation };
}

int xp_timeline_set_build_id(struct xp_timeline *timeline, const struct xp_record_build_id *record)
{
	const char *name = (const char *)(record + 1);
	uint16_t mode = record->header.misc & XP_MISC_CPUMODE_MASK;
	bool has_size = record->header.misc & XP_MISC_BUILD_ID_SIZE;

	if (timeline->is_sealed)
		return -EBUSY;
	if (record->header.size <= sizeof(*record) || mode == XP_MISC_GUEST_KERNEL ||
	    mode == XP_MISC_GUEST_USER)
		return 0;
	size_t len =
		build_id_len(record->build_id, has_size ? record->build_id_size : BUILD_ID_MAX);
	const char *kept = xp_intern_add(&timeline->texts, name,
					 strnlen(name, record->header.size - sizeof(*record)));
	struct known_id *known = kept ? xp_vector_add(&timeline->known, sizeof(*known)) : NULL;
	if (!known)
		return -ENOMEM;
	known->name = kept;
	known->len = (uint8_t)len;
	memcpy(known->build_id, record->build_id, len);
	/* A kernel that is called after its file. Source of the rule: perf 6.1. */
	if (mode == XP_MISC_KERNEL && *name != '[' && !strstr(name, ".ko")) {
		known->name = xp_intern_add(&timeline->texts, KERNEL_NAME, strlen(KERNEL_NAME));
		timeline->kernel_is_file = strstr(kept, "vmlinux");
		return known->name ? 0 : -ENOMEM;
	}
	return 0;
}

/*
 * The ids that go with a name: what the feature says, or else the only one that maps have.
 * @first, @last, @next: of them; @next: of the file that comes next. -1: none
 * @nr_files: DSOs that have none themselves; @is_in_maps: others have some
 */
struct named {
	int first, last, next;
	size_t nr_ids, nr_files;
	bool is_reported, is_in_maps, differ;
};

struct names {
	struct xp_id_map of; /* name -> position */
	struct vector at;    /* struct named */
};

/* Returns NULL when out of memory. */
static struct named *know_name(struct names *names, const char *name)
{
	int found = xp_id_map_find(&names->of, (uintptr_t)name);

	if (found >= 0)
		return (struct named *)names->at.at + found;
	struct named *named = xp_vector_add(&names->at, sizeof(*named));
	if (!named || xp_id_map_add(&names->of, (uintptr_t)name, (int)names->at.nr - 1))
		return NULL;
	named->first = named->last = named->next = -1;
	return named;
}

static void add_id(struct xp_timeline *timeline, struct named *named, int at)
{
	struct known_id *all = timeline->known.at, *id = &all[at];

	id->next = -1;
	if (named->first < 0) {
		named->first = named->next = at;
	} else {
		const struct known_id *first = &all[named->first];

		all[named->last].next = at;
		named->differ |= first->len != id->len ||
				 memcmp(first->build_id, id->build_id, id->len) != 0;
	}
	named->last = at;
	named->nr_ids++;
}

/* Returns 0 or -ENOMEM. */
static int collect_ids(struct xp_timeline *timeline, struct names *names)
{
	size_t nr_reported = timeline->known.nr;

	for (size_t i = 0; i < nr_reported; i++) {
		const struct known_id *known = timeline->known.at;
		struct named *named = know_name(names, known[i].name);

		if (!named)
			return -ENOMEM;
		named->is_reported = true;
		add_id(timeline, named, (int)i);
	}
	for (size_t i = 0; i < timeline->dsos.nr; i++) {
		const struct xp_dso *dso = dso_at(timeline, (int)i);
		struct named *named = know_name(names, dso->name);

		if (!named)
			return -ENOMEM;
		named->nr_files += !dso->build_id_len;
		named->is_in_maps |= dso->build_id_len;
		if (!dso->build_id_len || named->is_reported)
			continue;
		struct known_id *known = xp_vector_add(&timeline->known, sizeof(*known));
		if (!known)
			return -ENOMEM;
		*known = (struct known_id){ .name = dso->name, .len = dso->build_id_len };
		memcpy(known->build_id, dso->build_id, dso->build_id_len);
		add_id(timeline, named, (int)timeline->known.nr - 1);
	}
	return 0;
}

/* The id of the next file with a name: if there are several of both, the feature has them in the
 * order in which they were mapped. Where maps have ids, one with an inode is of a file without an
 * id. Returns NULL: it is not known. */
static const struct known_id *next_id(const struct xp_timeline *timeline, struct named *named,
				      const struct xp_dso *dso)
{
	const struct known_id *all = timeline->known.at;

	if (named->first < 0 || (named->is_in_maps && dso->inode))
		return NULL;
	if (!named->differ || (named->is_reported && named->nr_files == 1))
		return &all[named->first];
	if (!named->is_reported || named->nr_ids != named->nr_files)
		return NULL;
	const struct known_id *id = &all[named->next];
	named->next = id->next;
	return id;
}

/* Adds all of them anew: those that have become the same fall together. */
static int add_again(struct xp_timeline *timeline, struct names *names, const struct vector *old,
		     uint32_t *position)
{
	for (size_t i = 0; i < old->nr; i++) {
		struct xp_dso key = ((const struct xp_dso *)old->at)[i];
		const struct known_id *known =
			key.build_id_len ? NULL
					 : next_id(timeline, know_name(names, key.name), &key);

		if (known) {
			key.build_id_len = known->len;
			memcpy(key.build_id, known->build_id, key.build_id_len);
		}
		int idx = find_or_add(timeline, &key);
		if (idx < 0)
			return idx;
		position[i] = (uint32_t)idx;
	}
	return 0;
}

int xp_timeline_finalize_dsos(struct xp_timeline *timeline)
{
	struct names names = { 0 };
	int err = xp_timeline_drop_shared_ids(timeline) ?: collect_ids(timeline, &names);
	struct vector old = timeline->dsos;
	uint32_t *position = err ? NULL : malloc((old.nr + 1) * sizeof(*position));

	if (!position) {
		xp_id_map_fini(&names.of);
		free(names.at.at);
		return -ENOMEM;
	}
	timeline->dsos = (struct vector){ 0 };
	timeline->dso_next.nr = 0;
	xp_id_map_fini(&timeline->dso_of);
	err = add_again(timeline, &names, &old, position);
	struct mapping *maps = timeline->maps.at;
	for (size_t i = 0; i < timeline->maps.nr && !err; i++)
		maps[i].dso = position[maps[i].dso];
	if (timeline->has_kernel && !err) {
		timeline->kernel_text.dso = position[timeline->kernel_text.dso];
		if (timeline->kernel_is_file)
			dso_at(timeline, (int)timeline->kernel_text.dso)->short_name =
				"[kernel.vmlinux]";
	}
	free(old.at);
	free(position);
	/* No more will come. */
	xp_id_map_fini(&timeline->dso_of);
	free(timeline->dso_next.at);
	timeline->dso_next = (struct vector){ 0 };
	xp_id_map_fini(&names.of);
	free(names.at.at);
	return err;
}
