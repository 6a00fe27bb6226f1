/* SPDX-License-Identifier: MIT */
/* A BPF program that is loaded, as the kernel describes it. */
#ifndef SYNTH_BPF_INFO_H
#define SYNTH_BPF_INFO_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct xp_sys;

/* The arrays have @info.nr_... entries. */
struct xp_bpf_info {
	struct bpf_prog_info info;
	uint64_t *addresses;
	uint32_t *lengths;
	uint8_t (*tags)[BPF_TAG_SIZE];
	void *functions; /* struct bpf_func_info, of the kernel's size */
	char *types;     /* BTF; NULL: none */
	size_t types_len;
};

/* Returns a descriptor, or a negative errno: -ENOENT there is none of this number, -EPERM. */
int xp_bpf_info_open(const struct xp_sys *sys, uint32_t id);
/* Of a program that has not been compiled there is nothing. Returns 0, -ENOMEM, or what the kernel
 * answered; xp_bpf_info_fini() follows in any case. @program: zero-initialised */
int xp_bpf_info_read(const struct xp_sys *sys, int fd, struct xp_bpf_info *program);
/* The name of a function that its type information has; NULL: none. */
const char *xp_bpf_info_function(const struct xp_bpf_info *program, uint32_t i);
/* How many times the kernel did not run it, for it ran on that CPU already. Since Linux 5.12 */
uint64_t xp_bpf_info_misses(const struct xp_sys *sys, int fd);
void xp_bpf_info_fini(struct xp_bpf_info *program);

#endif
