/* SPDX-License-Identifier: MIT */
/* Functions that patterns name, and where their probes go. */
#ifndef BPF_FUNCTION_PLACES_H
#define BPF_FUNCTION_PLACES_H

#include "function-ends.h"
#include "names.h"

struct xp_bpf;

/* Of one function; offsets are in its file. Those of the kernel have @type and @btf alone, as in
 * struct xp_bpf_function. */
struct function_place {
	char *name; /* demangled */
	int file;
	uint64_t address, size;
	uint64_t offset;
	enum function_ends_state state;
	bool repeats;
	uint64_t *ends;
	size_t nr_ends;
	bool in_kernel;
	uint32_t type, btf;
};

/* Zero-initialised there are none. */
struct function_places {
	struct xp_names files;
	struct function_place *at; /* by file and address */
	size_t nr;
};

/*
 * Finds the functions of "FILE:GLOB,GLOB", or of "kernel:GLOB"; @program is the file of those that
 * name none; NULL: there is none. @bpf: lists those of the kernel; NULL where no pattern is for
 * it.
 * Returns 0, or a negative errno with @diag filled: -ENODATA, -ENOEXEC, -ENOSYS, -EINVAL,
 * -EOPNOTSUPP (the kernel does not describe its functions), -ENOMEM. function_places_fini() follows
 * in any case.
 */
int xp_function_places_find(struct xp_bpf *bpf, struct function_places *places,
			    const char *patterns, const char *program, struct xp_diag *diag);
void xp_function_places_fini(struct function_places *places);

/* Whether a pattern is "kernel:GLOB". */
bool xp_function_patterns_have_kernel(const char *patterns);

/* Probes they need. */
size_t xp_function_places_probes(const struct function_places *places);
/* Some are of the kernel, or of programs. */
bool xp_function_places_have(const struct function_places *places, bool in_kernel);

#endif
