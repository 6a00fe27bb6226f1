/* SPDX-License-Identifier: MIT */
/*
 * Maps of BPF: arrays of one element, which hold bytes, are found by their numbers, and are there
 * until their last descriptor is closed. All of it is root's.
 *
 * Source: bpf(2), linux/bpf.h.
 */
#include "model.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

struct map {
	struct bpf_map_info info;
	int nr_files;
	void *element;
};

static int open_map(struct sim *sim, struct map *map)
{
	int err;
	struct file *file = file_new(sim, FILE_MAP, -1, "map", &err);

	if (!file)
		return err;
	file->map = map;
	map->nr_files++;
	return file->fd;
}

static struct map *map_of(const struct sim *sim, uint32_t fd)
{
	const struct file *file = file_find(sim, (int)fd);

	return file && file->kind == FILE_MAP ? file->map : NULL;
}

/* The open one with the lowest number from @least on; NULL: there is none. */
static struct map *map_from(const struct sim *sim, uint32_t least)
{
	struct map *found = NULL;

	for (int i = 0; i < sim->files.nr; i++) {
		const struct file *file = sim->files.at[i];

		if (file && file->kind == FILE_MAP && file->map->info.id >= least &&
		    (!found || file->map->info.id < found->info.id))
			found = file->map;
	}
	return found;
}

static int create(struct sim *sim, const union bpf_attr *attr)
{
	if (attr->map_type != BPF_MAP_TYPE_ARRAY || attr->key_size != sizeof(uint32_t) ||
	    !attr->value_size || attr->max_entries != 1)
		return -EINVAL;
	struct map *map = xalloc(sizeof(*map));
	map->info = (struct bpf_map_info){ .type = attr->map_type,
					   .id = ++sim->last_map,
					   .key_size = attr->key_size,
					   .value_size = attr->value_size,
					   .max_entries = 1 };
	memcpy(map->info.name, attr->map_name, sizeof(map->info.name));
	map->element = xalloc(attr->value_size);
	int fd = open_map(sim, map);
	if (fd < 0) {
		free(map->element);
		free(map);
	}
	return fd;
}

static int copy_element(const struct sim *sim, union bpf_attr *attr, bool in)
{
	struct map *map = map_of(sim, attr->map_fd);

	if (!map)
		return -EBADF;
	if (*(uint32_t *)(uintptr_t)attr->key)
		return in ? -E2BIG : -ENOENT;
	void *value = (void *)(uintptr_t)attr->value; /* NOLINT(performance-no-int-to-ptr) */
	memcpy(in ? map->element : value, in ? value : map->element, map->info.value_size);
	return 0;
}

static int next_id(const struct sim *sim, union bpf_attr *attr)
{
	const struct map *map = map_from(sim, attr->start_id + 1);

	if (!map)
		return -ENOENT;
	attr->next_id = map->info.id;
	return 0;
}

static int by_id(struct sim *sim, uint32_t id)
{
	struct map *map = map_from(sim, id);

	return map && map->info.id == id ? open_map(sim, map) : -ENOENT;
}

static int get_info(const struct sim *sim, const union bpf_attr *attr)
{
	const struct map *map = map_of(sim, attr->info.bpf_fd);
	void *info = (void *)(uintptr_t)attr->info.info; /* NOLINT(performance-no-int-to-ptr) */

	if (!map)
		return -EBADF;
	if (attr->info.info_len < sizeof(map->info))
		return -EINVAL;
	memcpy(info, &map->info, sizeof(map->info));
	return 0;
}

int maps_call(struct sim *sim, int command, union bpf_attr *attr)
{
	switch (command) {
	case BPF_MAP_CREATE:
		return create(sim, attr);
	case BPF_MAP_LOOKUP_ELEM:
	case BPF_MAP_UPDATE_ELEM:
		return copy_element(sim, attr, command == BPF_MAP_UPDATE_ELEM);
	case BPF_MAP_GET_NEXT_ID:
		return next_id(sim, attr);
	case BPF_MAP_GET_FD_BY_ID:
		return by_id(sim, attr->map_id);
	case BPF_OBJ_GET_INFO_BY_FD:
		return get_info(sim, attr);
	default:
		return -EINVAL;
	}
}

void map_close(struct map *map)
{
	if (--map->nr_files)
		return;
	free(map->element);
	free(map);
}
