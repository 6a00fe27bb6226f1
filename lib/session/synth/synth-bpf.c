/* SPDX-License-Identifier: MIT */
/*
 * The BPF programs that are loaded: per piece of compiled code a KSYMBOL, then a BPF_EVENT, named
 * as the kernel names them: "bpf_prog_TAG_FUNCTION". Where a program has type information its
 * functions' names come from that, else there is the short name of the program.
 *
 * Source: kernel/bpf/core.c, bpf_get_prog_name().
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "bpf-info.h"
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
};

/* What the kernel calls it. */
static const char *function_name(const struct xp_bpf_info *program, uint32_t i)
{
	const char *name = xp_bpf_info_function(program, i);

	if (name)
		return name;
	return program->info.nr_jited_ksyms == 1 ? program->info.name : "F";
}

static int emit_function(struct synth *synth, const struct xp_bpf_info *program, uint32_t i)
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

static int emit_program(struct synth *synth, const struct xp_bpf_info *program)
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
	struct xp_bpf_info program = { 0 };
	int fd = xp_bpf_info_open(sys, id);

	if (fd < 0)
		return 0;
	int err = xp_bpf_info_read(sys, fd, &program);
	sys->close(sys, fd);
	err = err ? (err == -ENOMEM ? err : 0) : emit_program(synth, &program);
	xp_bpf_info_fini(&program);
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
