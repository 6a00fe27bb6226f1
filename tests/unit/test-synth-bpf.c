/* SPDX-License-Identifier: MIT */
/* BPF programs that are loaded: of a kernel made up here, and of the real one where it may be
 * asked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "cleanup.h"
#include "forward.h"
#include "str.h"

/* The kernel's programs 3 (two functions, with types), 5 (one, without), 9 (not compiled). */
enum { BTF_ID = 70, FIRST_FD = 500 };

static struct {
	struct xp_str text;
	int nr_open;
	bool is_forbidden;
	bool is_damaged;
} t;

/* Types: 1 int, 2 struct of two members, 3 prototype, 4 function "first", 5 function "second". */
static const struct {
	struct btf_header header;
	struct {
		struct btf_type type;
		uint32_t bits;
	} integer;
	struct {
		struct btf_type type;
		struct btf_member members[2];
	} structure;
	struct btf_type prototype, first, second;
	char names[24];
} btf = {
	.header = { .magic = BTF_MAGIC,
		    .version = 1,
		    .hdr_len = sizeof(struct btf_header),
		    .type_len = 16 + 36 + 36,
		    .str_off = 16 + 36 + 36,
		    .str_len = 24 },
	.integer.type = { .info = BTF_KIND_INT << 24 },
	.structure.type = { .info = BTF_KIND_STRUCT << 24 | 2 },
	.prototype = { .info = BTF_KIND_FUNC_PROTO << 24 },
	.first = { .name_off = 1, .info = BTF_KIND_FUNC << 24 },
	.second = { .name_off = 7, .info = BTF_KIND_FUNC << 24 },
	.names = "\0first\0second_function",
};

static void fill_program(struct bpf_prog_info *info, uint32_t id)
{
	struct bpf_prog_info asked = *info;
	uint32_t nr = id == 3 ? 2 : id == 5 ? 1 : 0;

	memset(info, 0, sizeof(*info));
	info->id = id;
	memset(info->tag, (int)id * 16, sizeof(info->tag));
	strcpy(info->name, "short_name");
	info->nr_jited_ksyms = info->nr_jited_func_lens = info->nr_prog_tags = nr;
	info->btf_id = id == 3 ? BTF_ID : 0;
	info->nr_func_info = id == 3 ? nr : 0;
	info->func_info_rec_size = sizeof(struct bpf_func_info);
	for (uint32_t i = 0; i < nr; i++) {
		if (i < asked.nr_jited_ksyms)
			((uint64_t *)(uintptr_t)asked.jited_ksyms)[i] =
				0xffffffffc0000000 + id * 0x1000 + i * 0x100;
		if (i < asked.nr_jited_func_lens)
			((uint32_t *)(uintptr_t)asked.jited_func_lens)[i] = 80 + i;
		if (i < asked.nr_prog_tags)
			memset((char *)(uintptr_t)asked.prog_tags + i * BPF_TAG_SIZE,
			       (int)(id * 16 + i), BPF_TAG_SIZE);
		if (i < asked.nr_func_info)
			((struct bpf_func_info *)(uintptr_t)asked.func_info)[i].type_id =
				t.is_damaged ? 1000 : 4 + i;
	}
}

static void fill_types(struct bpf_btf_info *info)
{
	uint32_t room = info->btf_size;

	if (room)
		memcpy((void *)(uintptr_t)info->btf, &btf, room < sizeof(btf) ? room : sizeof(btf));
	info->btf_size = sizeof(btf);
}

static int fake_bpf(const struct xp_sys *sys, int command, void *data, size_t len)
{
	union bpf_attr *attr = data;

	(void)sys, (void)len;
	switch (command) {
	case BPF_PROG_GET_NEXT_ID:
		if (t.is_forbidden || attr->start_id >= 9)
			return t.is_forbidden ? -EPERM : -ENOENT;
		attr->next_id = attr->start_id < 3 ? 3 : attr->start_id < 5 ? 5 : 9;
		return 0;
	case BPF_PROG_GET_FD_BY_ID:
	case BPF_BTF_GET_FD_BY_ID:
		t.nr_open++;
		return FIRST_FD + (int)attr->prog_id;
	case BPF_OBJ_GET_INFO_BY_FD:
		if (attr->info.bpf_fd == FIRST_FD + BTF_ID)
			fill_types((void *)(uintptr_t)attr->info.info);
		else
			fill_program((void *)(uintptr_t)attr->info.info,
				     attr->info.bpf_fd - FIRST_FD);
		return 0;
	default:
		return -EINVAL;
	}
}

static int fake_close(const struct xp_sys *sys, int fd)
{
	(void)sys, (void)fd;
	t.nr_open--;
	return 0;
}

static int keep_record(const struct xp_record *record, void *data)
{
	const struct xp_record_ksymbol *symbol = (const void *)record;
	const struct {
		struct xp_record header;
		uint16_t type, flags;
		uint32_t id;
		uint8_t tag[8];
	} *event = (const void *)record;

	(void)data;
	assert_int_equal(record->size % 8, 0);
	assert_int_equal(record->misc, 0);
	if (record->type == XP_RECORD_KSYMBOL)
		xp_str_addf(&t.text, "%llx+%u %u %u %s\n", (unsigned long long)symbol->address,
			    symbol->len, symbol->kind, symbol->flags, (const char *)(symbol + 1));
	else if (record->type == XP_RECORD_BPF_EVENT)
		xp_str_addf(&t.text, "program %u %u %u %02x\n", event->id, event->type,
			    event->flags, event->tag[7]);
	return 0;
}

/* Returns what is reported, by @sys. */
static const char *synth(const struct xp_sys *sys)
{
	struct xp_synth_opts opts = { .size = sizeof(opts), .id_bytes = 8 };
	struct xp_ctx_opts ctx_opts = { .size = sizeof(ctx_opts), .sys = sys };
	struct xp_ctx *ctx;

	xp_str_fini(&t.text);
	memset(&t.text, 0, sizeof(t.text));
	assert_int_equal(xp_ctx_new(&ctx_opts, &ctx), 0);
	assert_int_equal(xp_synth_bpf(ctx, &opts, keep_record, NULL), 0);
	xp_ctx_free(ctx);
	return xp_str_text(&t.text);
}

static const char *synth_fake(void)
{
	struct forward forward;

	forward_init(&forward, xp_sys_linux());
	forward.sys.bpf = fake_bpf;
	forward.sys.close = fake_close;
	const char *reported = synth(&forward.sys);
	assert_int_equal(t.nr_open, 0);
	return reported;
}

static void programs_by_their_functions(void **state)
{
	(void)state;
	assert_string_equal(synth_fake(),
			    "ffffffffc0003000+80 1 0 bpf_prog_3030303030303030_first\n"
			    "ffffffffc0003100+81 1 0 bpf_prog_3131313131313131_second_function\n"
			    "program 3 1 0 30\n"
			    "ffffffffc0005000+80 1 0 bpf_prog_5050505050505050_short_name\n"
			    "program 5 1 0 50\n");
}

static void damaged_types_name_nothing(void **state)
{
	(void)state;
	t.is_damaged = true;
	assert_non_null(strstr(synth_fake(), "bpf_prog_3030303030303030_F\n"));
	t.is_damaged = false;
}

static void without_privilege_nothing_is_reported(void **state)
{
	(void)state;
	t.is_forbidden = true;
	assert_string_equal(synth_fake(), "");
	t.is_forbidden = false;
}

static void a_program_of_this_kernel(void **state)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				.insn_cnt = XP_ARRAY_LEN(code),
				.insns = (uintptr_t)code,
				.license = (uintptr_t) "MIT",
				.prog_name = "xp_test" };
	struct bpf_prog_info info = { 0 };
	const struct xp_sys *sys = xp_sys_linux();

	(void)state;
	int fd = sys->bpf(sys, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0) {
		print_message("skipped: no BPF program can be loaded here (%s)\n", strerror(-fd));
		skip();
	}
	attr = (union bpf_attr){ .info = { .bpf_fd = (uint32_t)fd,
					   .info_len = sizeof(info),
					   .info = (uintptr_t)&info } };
	int err = sys->bpf(sys, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
	const char *reported = synth(sys);
	close(fd);
	assert_int_equal(err, 0);
	if (!info.nr_jited_ksyms) {
		print_message("skipped: this kernel does not compile BPF programs\n");
		skip();
	}
	assert_non_null(strstr(reported, "_xp_test\n"));
}

static int end(void **state)
{
	(void)state;
	xp_str_fini(&t.text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_by_their_functions),
		cmocka_unit_test(damaged_types_name_nothing),
		cmocka_unit_test(without_privilege_nothing_is_reported),
		cmocka_unit_test(a_program_of_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
