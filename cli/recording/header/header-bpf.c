/* SPDX-License-Identifier: MIT */
/*
 * BPF programs in a recording's header. A program consists of functions, each with a tag and, by
 * the program's type information, a name. Source of the text: perf 6.1, measured.
 */
#include <inttypes.h>
#include <string.h>
#include <xperf/synth.h>

#include "escape.h"
#include "header.h"

/* Offsets in struct bpf_prog_info; what are pointers there are offsets here, behind it. Source:
 * linux/bpf.h. */
enum {
	BPF_ID = 4,
	BPF_NAME = 64,
	BPF_NR_SYMBOLS = 104,
	BPF_NR_LENGTHS = 108,
	BPF_SYMBOLS = 112,
	BPF_LENGTHS = 120,
	BPF_BTF_ID = 128,
	BPF_FUNCTION_BYTES = 132,
	BPF_FUNCTIONS = 136,
	BPF_NR_FUNCTIONS = 144,
	BPF_NR_TAGS = 180,
	BPF_TAGS = 184,
	BPF_INFO_MIN = 192,
	BPF_NAME_BYTES = 16,
	BPF_TAG_BYTES = 8,
};

/* Bytes of type information that are looked through for names: more than any machine has, less
 * than a file can claim. */
enum { LOOK_THROUGH = 1 << 30 };

/* @info: a struct bpf_prog_info; @arrays: what follows it; @types: NULL: there are none; @left: of
 * LOOK_THROUGH */
struct program {
	const struct xp_data *data;
	const uint8_t *info, *arrays;
	uint32_t len; /* of the arrays */
	const void *types;
	uint32_t types_len;
	int64_t *left;
};

static uint64_t number_at(const struct program *program, const uint8_t *at, size_t len)
{
	struct feature field = { .data = program->data, .at = at, .end = at + len };

	return len == sizeof(uint64_t) ? feature_u64(&field) : feature_u32(&field);
}

static uint32_t info_u32(const struct program *program, size_t field)
{
	return (uint32_t)number_at(program, program->info + field, sizeof(uint32_t));
}

/* The @idx-th element, of @len bytes, of the array a field leads to; NULL: there is none. */
static const uint8_t *element(const struct program *program, size_t field, uint32_t idx, size_t len)
{
	uint64_t offset = number_at(program, program->info + field, sizeof(uint64_t));

	if (offset > program->len || program->len - offset < (idx + (uint64_t)1) * len)
		return NULL;
	return program->arrays + offset + idx * len;
}

static uint64_t element_number(const struct program *program, size_t field, uint32_t idx,
			       size_t len)
{
	const uint8_t *at = element(program, field, idx, len);

	return at ? number_at(program, at, len) : 0;
}

/* The information on types of a number: u32 how many; each u32 id, u32 length, bytes. */
static void find_types(struct program *program, uint32_t id)
{
	struct feature all = { .data = program->data };
	size_t len;

	all.at = xp_data_feature(program->data, XP_FEATURE_BPF_BTF, &len);
	if (!all.at || !id || xp_data_is_swapped(program->data))
		return;
	all.end = all.at + len;
	for (uint32_t nr = feature_u32(&all); nr && !all.is_short && *program->left > 0; nr--) {
		*program->left -= 8;
		uint32_t its_id = feature_u32(&all), its_len = feature_u32(&all);
		const void *types = feature_bytes(&all, its_len);

		if (types && its_id == id) {
			program->types = types;
			program->types_len = its_len;
			return;
		}
	}
}

static void put_name(FILE *file, const struct program *program, uint32_t nr, uint32_t idx)
{
	uint32_t bytes = info_u32(program, BPF_FUNCTION_BYTES);
	const uint8_t *tag = element(program, BPF_TAGS, idx, BPF_TAG_BYTES);
	const uint8_t *function = bytes >= 8 && idx < info_u32(program, BPF_NR_FUNCTIONS)
					  ? element(program, BPF_FUNCTIONS, idx, bytes)
					  : NULL;
	char own[BPF_NAME_BYTES + 1] = "";
	const char *name = NULL;

	memcpy(own, program->info + BPF_NAME, BPF_NAME_BYTES);
	fputs("bpf_prog_", file);
	for (int i = 0; tag && i < BPF_TAG_BYTES; i++)
		fprintf(file, "%02x", tag[i]);
	/* Its second word is the number of its type. */
	if (function && program->types && *program->left > 0) {
		*program->left -= program->types_len;
		name = xp_btf_name(program->types, program->types_len,
				   (uint32_t)number_at(program, function + 4, sizeof(uint32_t)));
	}
	if (!name)
		name = nr == 1 ? own : "F";
	if (*name)
		fputc('_', file);
	escape_print(file, name);
}

static void put_program(FILE *file, const struct program *program)
{
	uint32_t id = info_u32(program, BPF_ID), nr = info_u32(program, BPF_NR_SYMBOLS);

	if (nr != info_u32(program, BPF_NR_TAGS) || nr != info_u32(program, BPF_NR_LENGTHS))
		return;
	fprintf(file, nr == 1 ? "# bpf_prog_info %u: " : "# bpf_prog_info %u:\n", id);
	for (uint32_t i = 0; i < nr && element(program, BPF_SYMBOLS, i, 8); i++) {
		if (nr > 1)
			fprintf(file, "# \tsub_prog %u: ", i);
		put_name(file, program, nr, i);
		fprintf(file, " addr 0x%" PRIx64 " size %" PRIu64 "\n",
			element_number(program, BPF_SYMBOLS, i, 8),
			element_number(program, BPF_LENGTHS, i, 4));
	}
}

void header_bpf(FILE *file, struct feature feature)
{
	uint32_t nr = feature_u32(&feature);
	int64_t left = LOOK_THROUGH;

	for (uint32_t i = 0; i < nr; i++) {
		struct program program = { .data = feature.data, .left = &left };
		uint32_t info_len = feature_u32(&feature);

		program.len = feature_u32(&feature);
		feature_u64(&feature); /* which arrays there are */
		program.info = feature_bytes(&feature, info_len);
		program.arrays = feature_bytes(&feature, program.len);
		if (!program.arrays || info_len < BPF_INFO_MIN)
			return;
		find_types(&program, info_u32(&program, BPF_BTF_ID));
		put_program(file, &program);
	}
}

void header_btf(FILE *file, struct feature feature)
{
	for (uint32_t nr = feature_u32(&feature); nr; nr--) {
		uint32_t id = feature_u32(&feature), len = feature_u32(&feature);

		if (!feature_bytes(&feature, len))
			return;
		fprintf(file, "# btf info of id %u\n", id);
	}
}
