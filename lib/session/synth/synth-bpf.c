/* SPDX-License-Identifier: MIT */
/*
 * The BPF programs that are loaded: per piece of compiled code a KSYMBOL, then a BPF_EVENT, named
 * as the kernel names them: "bpf_prog_TAG_FUNCTION". Where a program has type information its
 * functions' names come from that, else there is the short name of the program.
 *
 * Source: bpf(2); linux/bpf.h, struct bpf_prog_info; linux/btf.h; kernel/bpf/core.c,
 * bpf_get_prog_name().
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "synth-emit.h"

/* PERF_RECORD_BPF_EVENT of linux/perf_event.h. */
struct bpf_event {
	struct xp_record header;
	uint16_t type;
	uint16_t flags;
	uint32_t id;
	uint8_t tag[BPF_TAG_SIZE];
};

enum {
	KSYMBOL_BPF = 1,
	EVENT_LOADED = 1,
	MAX_FUNCTIONS = 4096,
	MAX_TYPES_LEN = 16 << 20,
};

/* A program as the kernel describes it. The arrays have @info.nr_... entries. */
struct program {
	struct bpf_prog_info info;
	uint64_t *addresses;
	uint32_t *lengths;
	uint8_t (*tags)[BPF_TAG_SIZE];
	void *functions; /* struct bpf_func_info, of the kernel's size */
	char *types;     /* BTF; NULL: none */
	size_t types_len;
};

static void program_fini(struct program *program)
{
	free(program->addresses);
	free(program->lengths);
	free(program->tags);
	free(program->functions);
	free(program->types);
}

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
static int read_types(const struct xp_sys *sys, struct program *program)
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

/*
 * Asks twice: how much there is, then for it; what has changed in between is cut to what there is
 * room for. Returns 0, -ENOMEM, or what the kernel answered.
 */
static int read_program(const struct xp_sys *sys, int fd, struct program *program)
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

static const char *function_name(const struct program *program, uint32_t i)
{
	struct bpf_func_info function;
	const char *name = NULL;

	if (i < program->info.nr_func_info &&
	    program->info.func_info_rec_size >= sizeof(function)) {
		memcpy(&function,
		       (const char *)program->functions + i * program->info.func_info_rec_size,
		       sizeof(function));
		name = xp_btf_name(program->types, program->types_len, function.type_id);
	}
	if (name)
		return name;
	return program->info.nr_jited_ksyms == 1 ? program->info.name : "F";
}

static int emit_function(struct synth *synth, const struct program *program, uint32_t i)
{
	struct xp_record_ksymbol *rec = &synth->rec.ksymbol;
	const uint8_t *tag = i < program->info.nr_prog_tags ? program->tags[i] : program->info.tag;
	const char *function = function_name(program, i);
	char name[512]; /* KSYM_NAME_LEN */
	int len = snprintf(name, sizeof(name), "bpf_prog_");

	for (int k = 0; k < BPF_TAG_SIZE; k++)
		len += snprintf(name + len, sizeof(name) - (size_t)len, "%02x", tag[k]);
	if (*function)
		snprintf(name + len, sizeof(name) - (size_t)len, "_%s", function);
	xp_synth_begin(synth, XP_RECORD_KSYMBOL, 0, sizeof(*rec));
	rec->address = program->addresses[i];
	rec->len = i < program->info.nr_jited_func_lens ? program->lengths[i] : 0;
	rec->kind = KSYMBOL_BPF;
	return xp_synth_emit(synth, sizeof(*rec), name, strlen(name));
}

static int emit_program(struct synth *synth, const struct program *program)
{
	struct bpf_event event = { .type = EVENT_LOADED, .id = program->info.id };
	int err = 0;

	/* Addresses are zero where this user may not see them. */
	for (uint32_t i = 0; i < program->info.nr_jited_ksyms && !err; i++)
		if (program->addresses[i])
			err = emit_function(synth, program, i);
	if (err || !program->info.nr_jited_ksyms)
		return err;
	memcpy(event.tag, program->info.tag, sizeof(event.tag));
	xp_synth_begin(synth, XP_RECORD_BPF_EVENT, 0, sizeof(event));
	memcpy(synth->rec.bytes + sizeof(event.header), &event.type,
	       sizeof(event) - sizeof(event.header));
	return xp_synth_emit(synth, sizeof(event), NULL, 0);
}

/* One that is gone meanwhile, or may not be seen, is left out. */
static int one_program(struct synth *synth, uint32_t id)
{
	const struct xp_sys *sys = synth->ctx->sys;
	struct program program = { 0 };
	int fd = open_by_id(sys, BPF_PROG_GET_FD_BY_ID, id);

	if (fd < 0)
		return 0;
	int err = read_program(sys, fd, &program);
	sys->close(sys, fd);
	err = err ? (err == -ENOMEM ? err : 0) : emit_program(synth, &program);
	program_fini(&program);
	return err;
}

int xp_synth_bpf(struct xp_ctx *ctx, const struct xp_synth_opts *opts, xp_record_fn fn, void *data)
{
	union bpf_attr attr = { 0 };
	struct synth *synth;
	int err = xp_synth_new(ctx, opts, fn, data, &synth);

	if (err)
		return err;
	while (!err && !ctx->sys->bpf(ctx->sys, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr))) {
		err = one_program(synth, attr.next_id);
		attr.start_id = attr.next_id;
	}
	xp_synth_free(synth);
	return err;
}
