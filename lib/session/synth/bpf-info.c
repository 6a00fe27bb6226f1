/* SPDX-License-Identifier: MIT */
/* Source: bpf(2); linux/bpf.h, struct bpf_prog_info. */
#include "bpf-info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/synth.h>
#include <xperf/sys.h>

enum {
	MAX_FUNCTIONS = 4096,
	MAX_TYPES_LEN = 16 << 20,
};

static int get_info(const struct xp_sys *sys, int fd, void *info, size_t len)
{
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)fd,
					  .info_len = (uint32_t)len,
					  .info = (uintptr_t)info } };

	return sys->bpf(sys, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
}

static int open_by_id(const struct xp_sys *sys, int command, uint32_t id)
{
	union bpf_attr attr = { .prog_id = id }; /* or btf_id, in the same place */

	return sys->bpf(sys, command, &attr, sizeof(attr));
}

/* The type information, if there is any. */
static int read_types(const struct xp_sys *sys, struct xp_bpf_info *program)
{
	struct bpf_btf_info info = { 0 };
	int fd = program->info.btf_id ? open_by_id(sys, BPF_BTF_GET_FD_BY_ID, program->info.btf_id)
				      : -ENOENT;

	if (fd < 0)
		return 0;
	int err = get_info(sys, fd, &info, sizeof(info));
	size_t len = info.btf_size;
	if (!err && len && len <= MAX_TYPES_LEN && (program->types = malloc(len))) {
		info = (struct bpf_btf_info){ .btf = (uintptr_t)program->types,
					      .btf_size = (uint32_t)len };
		err = get_info(sys, fd, &info, sizeof(info));
		program->types_len = err || info.btf_size > len ? 0 : info.btf_size;
	}
	sys->close(sys, fd);
	return !err && len && len <= MAX_TYPES_LEN && !program->types ? -ENOMEM : 0;
}

int xp_bpf_info_open(const struct xp_sys *sys, uint32_t id)
{
	return open_by_id(sys, BPF_PROG_GET_FD_BY_ID, id);
}

/* Asks twice: how much there is, then for it; what has changed in between is cut to what there is
 * room for. */
int xp_bpf_info_read(const struct xp_sys *sys, int fd, struct xp_bpf_info *program)
{
	struct bpf_prog_info first = { 0 }, *info = &program->info;
	int err = get_info(sys, fd, &first, sizeof(first));

	if (err || !first.nr_jited_ksyms || first.nr_jited_ksyms > MAX_FUNCTIONS)
		return err;
	uint32_t nr = first.nr_jited_ksyms, record = first.func_info_rec_size;
	uint32_t nr_functions = record && first.nr_func_info == nr && record <= 256 ? nr : 0;
	program->addresses = calloc(nr, sizeof(*program->addresses));
	program->lengths = calloc(nr, sizeof(*program->lengths));
	program->tags = calloc(nr, sizeof(*program->tags));
	program->functions = calloc(nr, record ? record : 1);
	if (!program->addresses || !program->lengths || !program->tags || !program->functions)
		return -ENOMEM;
	info->nr_jited_ksyms = info->nr_jited_func_lens = info->nr_prog_tags = nr;
	info->jited_ksyms = (uintptr_t)program->addresses;
	info->jited_func_lens = (uintptr_t)program->lengths;
	info->prog_tags = (uintptr_t)program->tags;
	info->nr_func_info = nr_functions;
	info->func_info_rec_size = nr_functions ? record : 0;
	info->func_info = nr_functions ? (uintptr_t)program->functions : 0;
	err = get_info(sys, fd, info, sizeof(*info));
	if (err)
		return err;
	if (info->nr_jited_ksyms > nr)
		info->nr_jited_ksyms = nr;
	if (info->nr_func_info != nr_functions)
		info->nr_func_info = 0;
	return info->nr_func_info ? read_types(sys, program) : 0;
}

const char *xp_bpf_info_function(const struct xp_bpf_info *program, uint32_t i)
{
	struct bpf_func_info function;

	if (i >= program->info.nr_func_info || program->info.func_info_rec_size < sizeof(function))
		return NULL;
	memcpy(&function, (const char *)program->functions + i * program->info.func_info_rec_size,
	       sizeof(function));
	return xp_btf_name(program->types, program->types_len, function.type_id);
}

uint64_t xp_bpf_info_misses(const struct xp_sys *sys, int fd)
{
	struct bpf_prog_info info = { 0 };

	return get_info(sys, fd, &info, sizeof(info)) ? 0 : info.recursion_misses;
}

void xp_bpf_info_fini(struct xp_bpf_info *program)
{
	free(program->addresses);
	free(program->lengths);
	free(program->tags);
	free(program->functions);
	free(program->types);
}
