/* SPDX-License-Identifier: MIT */
/*
 * Functions of the kernel: those it describes (BTF), copies of a program at each of them, and how
 * often these were not run. What libbpf has made of a program when it was loaded fits all
 * functions; only what it is attached to differs, so that the kernel's description is read once,
 * not once per function.
 *
 * Source: bpf/btf.h and bpf/bpf.h of libbpf 1.1; bpf_check_attach_target() of
 * kernel/bpf/verifier.c.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "libbpf-impl.h"
#include "vec.h"

/* --- what there is --- */

struct listing {
	const struct library *lib;
	xp_bpf_function_fn fn;
	void *data;
};

/* Of a module, types begin behind those of the kernel. */
static int list_types(const struct listing *listing, const struct btf *btf, uint32_t first,
		      const struct xp_bpf_function *of)
{
	const struct library *lib = listing->lib;
	uint32_t nr = lib->nr_types(btf);
	int err = 0;

	for (uint32_t i = first; i < nr && !err; i++) {
		const struct btf_type *type = lib->type(btf, i);
		const char *name =
			type && btf_is_func(type) ? lib->name(btf, type->name_off) : NULL;
		struct xp_bpf_function function = *of;

		if (!name || !*name)
			continue;
		function.name = name;
		function.type = i;
		err = listing->fn(listing->data, &function);
	}
	return err;
}

/* Type information of a program, or of a module that is gone by now, has no functions of the
 * kernel. */
static int list_if_module(const struct listing *listing, struct btf *kernel, uint32_t id)
{
	const struct library *lib = listing->lib;
	char name[64] = "";
	struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
	uint32_t len = sizeof(info);
	int fd = lib->btf_by_id(id);
	int err = fd < 0 ? fd : lib->info(fd, &info, &len);

	if (fd >= 0)
		close(fd);
	if (err || !info.kernel_btf || !*name || strcmp(name, "vmlinux") == 0)
		return 0;
	struct btf *btf = lib->module_btf(id, kernel);
	if (!btf)
		return 0;
	const struct xp_bpf_function of = { .module = name, .btf = id };
	err = list_types(listing, btf, lib->nr_types(kernel), &of);
	lib->free_btf(btf);
	return err;
}

int xp_bpf_each_function(struct xp_bpf *bpf, xp_bpf_function_fn fn, void *data)
{
	const struct library *lib = &bpf->lib;
	const struct listing listing = { lib, fn, data };
	const struct xp_bpf_function of = { 0 };
	struct btf *kernel = lib->kernel_btf();
	uint32_t id = 0;

	if (!kernel)
		return -errno;
	int err = list_types(&listing, kernel, 1, &of);
	while (!err && !lib->next_btf(id, &id))
		err = list_if_module(&listing, kernel, id);
	lib->free_btf(kernel);
	return err;
}

/* --- copies --- */

static int load_copy(const struct library *lib, const struct bpf_program *program,
		     const struct xp_bpf_function *function)
{
	int module = function->btf ? lib->btf_by_id(function->btf) : 0;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = lib->attach_type(program),
		    .attach_btf_id = function->type, .attach_btf_obj_fd = (uint32_t)module);

	if (module < 0)
		return module;
	int fd =
		lib->load_program(BPF_PROG_TYPE_TRACING, "xperf", "Dual MIT/GPL",
				  lib->instructions(program), lib->nr_instructions(program), &opts);
	if (module)
		close(module);
	return fd;
}

int xp_bpf_attach_copy(struct xp_bpf *bpf, const char *program,
		       const struct xp_bpf_function *function, uint64_t cookie)
{
	const struct library *lib = &bpf->lib;
	const struct bpf_program *found = lib->find_program(bpf->object, program);
	LIBBPF_OPTS(bpf_link_create_opts, opts, .tracing.cookie = cookie);
	int err = found ? vec_add(&bpf->copies, bpf->nr_copies, sizeof(*bpf->copies)) : -ENOENT;
	int fd = err ? err : load_copy(lib, found, function);

	if (fd < 0)
		return fd;
	int link = lib->create_link(fd, 0, lib->attach_type(found), &opts);
	close(fd);
	if (link < 0)
		return link;
	bpf->copies[bpf->nr_copies++] = link;
	return 0;
}

/* --- what was not run --- */

static uint64_t misses_of(const struct library *lib, int program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	return program >= 0 && !lib->info(program, &info, &len) ? info.recursion_misses : 0;
}

static uint64_t misses_of_link(const struct library *lib, int link)
{
	struct bpf_link_info info = { 0 };
	uint32_t len = sizeof(info);
	int program = lib->info(link, &info, &len) ? -1 : lib->program_by_id(info.prog_id);
	uint64_t nr = misses_of(lib, program);

	if (program >= 0)
		close(program);
	return nr;
}

uint64_t xp_bpf_misses(struct xp_bpf *bpf)
{
	const struct library *lib = &bpf->lib;
	struct bpf_program *program = NULL;
	uint64_t nr = 0;

	while ((program = lib->next_program(bpf->object, program)))
		nr += misses_of(lib, lib->program_fd(program));
	for (size_t i = 0; i < bpf->nr_copies; i++)
		nr += misses_of_link(lib, bpf->copies[i]);
	return nr;
}
