/* SPDX-License-Identifier: MIT */
/* In place of libbpf.c where the build has no libbpf: nothing can be opened. */
#include <errno.h>
#include <xperf/diag.h>

#include "bpf.h"

int xp_bpf_open(const struct xp_bpf_code *code, struct xp_bpf **ret, struct xp_diag *diag)
{
	(void)code, (void)ret;
	xp_diag_set(diag, -ENOSYS,
		    "BPF programs cannot be used: the library was built without libbpf");
	xp_diag_hint(diag, "install libbpf-dev and build again");
	return -ENOSYS;
}

void xp_bpf_close(struct xp_bpf *bpf)
{
	(void)bpf;
}

int xp_bpf_resize(struct xp_bpf *bpf, const char *map, uint32_t entries)
{
	(void)bpf, (void)map, (void)entries;
	return -ENOSYS;
}

int xp_bpf_share(struct xp_bpf *bpf, const char *map, int fd)
{
	(void)bpf, (void)map, (void)fd;
	return -ENOSYS;
}

int xp_bpf_share_all(struct xp_bpf *bpf, struct xp_bpf *with)
{
	(void)bpf, (void)with;
	return -ENOSYS;
}

int xp_bpf_leave_out(struct xp_bpf *bpf, const char *program)
{
	(void)bpf, (void)program;
	return -ENOSYS;
}

int xp_bpf_set_target(struct xp_bpf *bpf, const char *program, int fd, const char *function)
{
	(void)bpf, (void)program, (void)fd, (void)function;
	return -ENOSYS;
}

void *xp_bpf_constants(struct xp_bpf *bpf, size_t *ret_len)
{
	(void)bpf;
	*ret_len = 0;
	return NULL;
}

int xp_bpf_load(struct xp_bpf *bpf, struct xp_diag *diag)
{
	(void)bpf, (void)diag;
	return -ENOSYS;
}

int xp_bpf_attach(struct xp_bpf *bpf, const char *program, struct xp_diag *diag)
{
	(void)bpf, (void)program, (void)diag;
	return -ENOSYS;
}

int xp_bpf_attach_event(struct xp_bpf *bpf, const char *program, int event_fd, struct xp_diag *diag)
{
	(void)bpf, (void)program, (void)event_fd, (void)diag;
	return -ENOSYS;
}

int xp_bpf_attach_probe(struct xp_bpf *bpf, const char *program, int event_fd, uint64_t cookie,
			struct xp_diag *diag)
{
	(void)bpf, (void)program, (void)event_fd, (void)cookie, (void)diag;
	return -ENOSYS;
}

int xp_bpf_each_function(struct xp_bpf *bpf, xp_bpf_function_fn fn, void *data)
{
	(void)bpf, (void)fn, (void)data;
	return -ENOSYS;
}

int xp_bpf_attach_copy(struct xp_bpf *bpf, const char *program,
		       const struct xp_bpf_function *function, uint64_t cookie)
{
	(void)bpf, (void)program, (void)function, (void)cookie;
	return -ENOSYS;
}

uint64_t xp_bpf_misses(struct xp_bpf *bpf)
{
	(void)bpf;
	return 0;
}

int xp_bpf_program_fd(struct xp_bpf *bpf, const char *program)
{
	(void)bpf, (void)program;
	return -ENOSYS;
}

int xp_bpf_map_fd(struct xp_bpf *bpf, const char *map)
{
	(void)bpf, (void)map;
	return -ENOSYS;
}

void *xp_bpf_memory(struct xp_bpf *bpf, const char *map, size_t len)
{
	(void)bpf, (void)map, (void)len;
	return NULL;
}

int xp_bpf_lookup(struct xp_bpf *bpf, int map_fd, const void *key, void *ret_value)
{
	(void)bpf, (void)map_fd, (void)key, (void)ret_value;
	return -ENOSYS;
}

int xp_bpf_update(struct xp_bpf *bpf, int map_fd, const void *key, const void *value)
{
	(void)bpf, (void)map_fd, (void)key, (void)value;
	return -ENOSYS;
}

int xp_bpf_delete(struct xp_bpf *bpf, int map_fd, const void *key)
{
	(void)bpf, (void)map_fd, (void)key;
	return -ENOSYS;
}

int xp_bpf_next_key(struct xp_bpf *bpf, int map_fd, const void *key, void *ret_next)
{
	(void)bpf, (void)map_fd, (void)key, (void)ret_next;
	return -ENOSYS;
}

int xp_bpf_drain(struct xp_bpf *bpf, int map_fd, const struct xp_bpf_room *room,
		 xp_bpf_drained_fn fn, void *data)
{
	(void)bpf, (void)map_fd, (void)room, (void)fn, (void)data;
	return -ENOSYS;
}

int xp_bpf_possible_cpus(struct xp_bpf *bpf)
{
	(void)bpf;
	return -ENOSYS;
}

int xp_bpf_run_on(struct xp_bpf *bpf, int program_fd, int cpu)
{
	(void)bpf, (void)program_fd, (void)cpu;
	return -ENOSYS;
}
