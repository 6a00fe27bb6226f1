/* SPDX-License-Identifier: MIT */
/*
 * BPF programs that run when they are asked to, for what counts them while they run. Three are
 * loaded: two that spin, and one that has no type information. Their ids are printed, then whether
 * the kernel attaches a program to them: "attachable" or why it does not. Then each line of the
 * input, "N TIMES", runs program N so often, and the answer is the time that the kernel says this
 * took, and the least time of a run, in nanoseconds.
 *
 * Needs no libbpf: the programs and their type information are bytes. Source: linux/bpf.h,
 * linux/btf.h.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SPINS = 2000, NR_PROGRAMS = 3, WITHOUT_TYPES = 2, TYPE_OF_FUNCTION = 4 };

/* Types: 1 int, 2 void *, 3 int (void *ctx), 4 int spin(void *ctx). */
static const struct {
	struct btf_header header;
	struct btf_type integer;
	uint32_t bits;
	struct btf_type pointer, prototype;
	struct btf_param ctx;
	struct btf_type function;
	char names[14];
} types = {
	.header = { .magic = BTF_MAGIC,
		    .version = BTF_VERSION,
		    .hdr_len = sizeof(struct btf_header),
		    .type_len = 16 + 12 + 20 + 12,
		    .str_off = 16 + 12 + 20 + 12,
		    .str_len = 14 },
	.integer = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
	.bits = BTF_INT_SIGNED << 24 | 32,
	.pointer = { .info = BTF_KIND_PTR << 24 },
	.prototype = { .info = BTF_KIND_FUNC_PROTO << 24 | 1, .type = 1 },
	.ctx = { .name_off = 5, .type = 2 },
	.function = { .name_off = 9, .info = BTF_KIND_FUNC << 24, .type = 3 },
	.names = "\0int\0ctx\0spin",
};

static const struct bpf_insn spin[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_6, .imm = SPINS },
	{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns },
	{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_6, .imm = 1 },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_6, .off = -3 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int load_types(void)
{
	union bpf_attr attr = { .btf = (uintptr_t)&types,
				.btf_size =
					offsetof(__typeof__(types), names) + sizeof(types.names) };

	return bpf(BPF_BTF_LOAD, &attr);
}

static int load(int types_fd)
{
	static const struct bpf_func_info function = { 0, TYPE_OF_FUNCTION };
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.prog_name = "spin",
		.insns = (uintptr_t)spin,
		.insn_cnt = sizeof(spin) / sizeof(spin[0]),
		.license = (uintptr_t) "GPL",
	};

	if (types_fd >= 0) {
		attr.prog_btf_fd = (uint32_t)types_fd;
		attr.func_info = (uintptr_t)&function;
		attr.func_info_cnt = 1;
		attr.func_info_rec_size = sizeof(function);
	}
	return bpf(BPF_PROG_LOAD, &attr);
}

/* Returns 0 or an errno. */
static int try_to_attach(int fd)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = BPF_TRACE_FENTRY,
		.insns = (uintptr_t)(spin + 4),
		.insn_cnt = 2,
		.license = (uintptr_t) "GPL",
		.attach_prog_fd = (uint32_t)fd,
		.attach_btf_id = TYPE_OF_FUNCTION,
	};
	int program = bpf(BPF_PROG_LOAD, &attr);

	if (program < 0)
		return errno;
	attr = (union bpf_attr){ .raw_tracepoint = { .prog_fd = (uint32_t)program } };
	int link = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr), err = link < 0 ? errno : 0;
	close(program);
	if (link >= 0)
		close(link);
	return err;
}

static struct bpf_prog_info info_of(int fd)
{
	struct bpf_prog_info info = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)fd,
					  .info_len = sizeof(info),
					  .info = (uintptr_t)&info } };

	bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
	return info;
}

static void run(int fd, int times)
{
	unsigned long long before = info_of(fd).run_time_ns, last = before, least = ~0ULL;

	for (int i = 0; i < times; i++) {
		union bpf_attr attr = { .test = { .prog_fd = (uint32_t)fd } };

		if (bpf(BPF_PROG_TEST_RUN, &attr))
			printf("failed: %s\n", strerror(errno));
		unsigned long long now = info_of(fd).run_time_ns;
		if (now - last < least)
			least = now - last;
		last = now;
	}
	printf("%llu %llu\n", last - before, least);
}

int main(void)
{
	union bpf_attr attr = { .enable_stats = { .type = BPF_STATS_RUN_TIME } };
	int types_fd = load_types(), stats = bpf(BPF_ENABLE_STATS, &attr);
	int programs[NR_PROGRAMS], program, times;

	if (types_fd < 0 || stats < 0) {
		printf("no types, or no times: %s\n", strerror(errno));
		return 1;
	}
	for (int i = 0; i < NR_PROGRAMS; i++) {
		programs[i] = load(i == WITHOUT_TYPES ? -1 : types_fd);
		if (programs[i] < 0) {
			printf("not loaded: %s\n", strerror(errno));
			return 1;
		}
	}
	int err = try_to_attach(programs[0]);
	printf("%u %u %u %s\n", info_of(programs[0]).id, info_of(programs[1]).id,
	       info_of(programs[WITHOUT_TYPES]).id, err ? strerror(err) : "attachable");
	fflush(stdout);
	while (scanf("%d %d", &program, &times) == 2) {
		run(programs[program & 1], times);
		fflush(stdout);
	}
	return 0;
}
