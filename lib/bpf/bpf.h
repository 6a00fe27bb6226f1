/* SPDX-License-Identifier: MIT */
/*
 * BPF programs of xperf, as the rest of the folder uses them: an object is opened from bytes that
 * the library carries, prepared, loaded into the kernel and attached. All of it goes when the
 * object is closed or the process ends; nothing is pinned.
 *
 * Only libbpf.c knows libbpf. Without it (no-libbpf.c), opening fails with -ENOSYS and a sentence.
 */
#ifndef BPF_BPF_H
#define BPF_BPF_H

#include <stddef.h>
#include <stdint.h>

struct xp_bpf;
struct xp_diag;

/* An ELF file for BPF, of little endian; @name is for messages: "stack sums" */
struct xp_bpf_code {
	const char *name;
	const void *bytes;
	size_t len;
};

/*
 * Parses the file; nothing is in the kernel yet.
 * Returns 0, -ENOSYS (no libbpf), -ENOTSUP (the other byte order), or what libbpf answers.
 */
int xp_bpf_open(const struct xp_bpf_code *code, struct xp_bpf **ret, struct xp_diag *diag);
void xp_bpf_close(struct xp_bpf *bpf);

/* Before xp_bpf_load(). @entries: what the map has room for, at least 1 */
int xp_bpf_resize(struct xp_bpf *bpf, const char *map, uint32_t entries);
/* Before xp_bpf_load(). The map is that of another object, by its descriptor. */
int xp_bpf_share(struct xp_bpf *bpf, const char *map, int fd);
/* All maps, constants too, are those of another object of the same code, which is loaded. */
int xp_bpf_share_all(struct xp_bpf *bpf, struct xp_bpf *with);
/* What a program of type fentry or fexit is attached to: a function of a BPF program; @fd: 0: of
 * the kernel */
int xp_bpf_set_target(struct xp_bpf *bpf, const char *program, int fd, const char *function);
/* The program is left out. */
int xp_bpf_leave_out(struct xp_bpf *bpf, const char *program);
/* First values of the constants, `const volatile` in the program, as one struct; NULL: none */
void *xp_bpf_constants(struct xp_bpf *bpf, size_t *ret_len);

/* Returns 0, or the kernel's refusal, of which @diag has a sentence and a remedy. */
int xp_bpf_load(struct xp_bpf *bpf, struct xp_diag *diag);

/* At the place that the section of the program names; until the object is closed. */
int xp_bpf_attach(struct xp_bpf *bpf, const char *program, struct xp_diag *diag);
/* At each overflow of an event, which is enabled by it. */
int xp_bpf_attach_event(struct xp_bpf *bpf, const char *program, int event_fd,
			struct xp_diag *diag);
/* At a uprobe, whose event may be closed then. @cookie: what the program finds it by; Linux 5.15 */
int xp_bpf_attach_probe(struct xp_bpf *bpf, const char *program, int event_fd, uint64_t cookie,
			struct xp_diag *diag);

/* A function of the kernel that has type information (BTF). */
struct xp_bpf_function {
	const char *name;
	const char *module; /* NULL: none */
	uint32_t type;      /* its number */
	uint32_t btf;       /* in what: the id of a module's types; 0: the kernel's own */
};
/* Returns 0; others end it. What @function points to is gone then. */
typedef int (*xp_bpf_function_fn)(void *data, const struct xp_bpf_function *function);
/*
 * Hands over those of the kernel and its modules; without CAP_SYS_ADMIN, of the kernel alone.
 * Returns 0, what @fn returned, or a negative errno: -ESRCH or -ENOENT: the kernel has none.
 */
int xp_bpf_each_function(struct xp_bpf *bpf, xp_bpf_function_fn fn, void *data);
/*
 * Loads a copy of a program of type fentry or fexit, which is loaded, and attaches it to @function,
 * of which no names are needed, until the object is closed. @cookie: what the program finds it by;
 * since Linux 6.0.
 * Returns 0, or a negative errno as the kernel gave it.
 */
int xp_bpf_attach_copy(struct xp_bpf *bpf, const char *program,
		       const struct xp_bpf_function *function, uint64_t cookie);
/* How often the kernel did not run a program of the object, or a copy, because the CPU was running
 * it already, maybe for a task that does not run now; since Linux 5.12. */
uint64_t xp_bpf_misses(struct xp_bpf *bpf);
/* A descriptor, which belongs to the object; or -ENOENT. */
int xp_bpf_program_fd(struct xp_bpf *bpf, const char *program);
int xp_bpf_map_fd(struct xp_bpf *bpf, const char *map);

/* Maps the elements of an array that can be mapped, @len bytes, until the object is closed. Returns
 * NULL: the kernel refuses. */
void *xp_bpf_memory(struct xp_bpf *bpf, const char *map, size_t len);

/* Maps by descriptor. Each returns 0 or a negative errno: -ENOENT there is no such key, or no more.
 */
int xp_bpf_lookup(struct xp_bpf *bpf, int map_fd, const void *key, void *ret_value);
int xp_bpf_update(struct xp_bpf *bpf, int map_fd, const void *key, const void *value);
int xp_bpf_delete(struct xp_bpf *bpf, int map_fd, const void *key);
/* @key: NULL asks for the first */
int xp_bpf_next_key(struct xp_bpf *bpf, int map_fd, const void *key, void *ret_next);

/* Room for elements of a map, for xp_bpf_drain(). */
struct xp_bpf_room {
	void *keys, *values;
	uint32_t nr;
};
/* @nr: elements that are in the room now. Returns 0; others end it. */
typedef int (*xp_bpf_drained_fn)(void *data, uint32_t nr);
/*
 * Takes all elements out of a hash map, by as many as there is room for, and hands them over. Since
 * Linux 5.6. Returns 0, what @fn returned, or a negative errno: -ENOSPC: the room is too small.
 */
int xp_bpf_drain(struct xp_bpf *bpf, int map_fd, const struct xp_bpf_room *room,
		 xp_bpf_drained_fn fn, void *data);
/* CPUs for which values of per-CPU maps have an element of 8 bytes or a multiple of it. */
int xp_bpf_possible_cpus(struct xp_bpf *bpf);
/* Runs a program of type raw_tp on @cpu once. */
int xp_bpf_run_on(struct xp_bpf *bpf, int program_fd, int cpu);

#endif
