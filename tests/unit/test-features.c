/* SPDX-License-Identifier: MIT */
/* The features of machines this is not: what the files of /proc and /sys say, put as perf puts it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/utsname.h>
#include <xperf/traces.h>

#include "put-file.h"
#include "writer-fixture.h"

#define CPU "/sys/devices/system/cpu"
#define PMU "/sys/bus/event_source/devices"

/* A machine below the fixture's directory, and the features of its recording. */
struct machine {
	struct writer_fixture f;
	unsigned char *bytes;
	struct data_check c;
	int opens;
};

static struct machine *machine;

static int counted_open(const struct xp_sys *sys, const char *path)
{
	machine->opens++;
	return xp_sys_linux()->open(sys, path);
}

static int other_uname(const struct xp_sys *sys, struct utsname *ret_name)
{
	(void)sys;
	*ret_name = (struct utsname){ .machine = "riscv64" };
	return 0;
}

static int fixed_clock(const struct xp_sys *sys, int clockid, uint64_t *ret_ns,
		       uint64_t *ret_resolution_ns)
{
	(void)sys;
	*ret_ns = clockid ? 111 : 222;
	*ret_resolution_ns = (uint64_t)clockid + 1;
	return 0;
}

static void begin(struct machine *m)
{
	machine = m;
	m->opens = 0;
	fixture_init(&m->f);
	m->f.sys.open = counted_open;
	m->f.sys.uname = other_uname;
	m->f.sys.clock = fixed_clock;
	xp_ctx_free(m->f.ctx);
	struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &m->f.sys, .root = m->f.dir };
	assert_int_equal(xp_ctx_new(&opts, &m->f.ctx), 0);
}

/* Records with @event, and reads what there is. */
static void record(struct machine *m, const struct xp_data_event *event)
{
	static const char *const argv[] = { "xperf", "record", "true" };
	size_t len;

	fixture_open(&m->f, 0);
	if (event)
		assert_int_equal(xp_data_writer_add_event(m->f.writer, event), 0);
	assert_int_equal(xp_data_writer_add_host(m->f.writer, 3, argv), 0);
	assert_int_equal(xp_data_writer_start(m->f.writer, &m->f.diag), 0);
	assert_int_equal(xp_data_writer_finish(m->f.writer, &m->f.diag), 0);
	m->bytes = fixture_bytes(&m->f, &len);
	if (!data_check(m->bytes, len, &m->c))
		fail_msg("%s", m->c.why);
}

static void end(struct machine *m)
{
	free(m->bytes);
	fixture_fini(&m->f);
}

/* --- a body, read piece by piece --- */

struct body {
	const unsigned char *at, *end;
};

static struct body body_of(const struct machine *m, int feature)
{
	struct data_section s = m->c.features[feature];

	if (!s.offset)
		fail_msg("feature %d is missing", feature);
	return (struct body){ m->bytes + s.offset, m->bytes + s.offset + s.size };
}

static void has_u32(struct body *body, uint32_t expected)
{
	assert_true(body->end - body->at >= 4);
	assert_int_equal(check_u32(body->at), expected);
	body->at += 4;
}

static void has_u64(struct body *body, uint64_t expected)
{
	assert_true(body->end - body->at >= 8);
	assert_int_equal(check_u64(body->at), expected);
	body->at += 8;
}

/* Padded to 64 bytes with NULs, as perf does. */
static void has_text(struct body *body, const char *expected)
{
	uint32_t len = check_u32(body->at);

	assert_int_equal(len, (strlen(expected) + 1 + 63) / 64 * 64);
	assert_true((size_t)(body->end - body->at) >= 4 + len);
	assert_string_equal((const char *)body->at + 4, expected);
	body->at += 4 + len;
}

static void has_end(const struct body *body)
{
	assert_int_equal(body->end - body->at, 0);
}

static void is_text(const struct machine *m, int feature, const char *expected)
{
	struct body body = body_of(m, feature);

	has_text(&body, expected);
	has_end(&body);
}

static void is_missing(const struct machine *m, int feature)
{
	if (m->c.features[feature].offset)
		fail_msg("feature %d is there", feature);
}

/* --- names --- */

static const char x86_cpuinfo[] = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
				  "model\t\t: 85\nmodel name\t: Intel(R)   Xeon(R) Gold\n"
				  "stepping\t: 7\n\nprocessor\t: 1\n";

static void names_of_a_machine(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_file(m.f.dir, "db-7.example\n", "/proc/sys/kernel/hostname");
	put_file(m.f.dir, "6.1.0-13-amd64\n", "/proc/sys/kernel/osrelease");
	put_file(m.f.dir, x86_cpuinfo, "/proc/cpuinfo");
	put_file(m.f.dir, "MemTotal:       65536 kB\nMemFree: 1 kB\n", "/proc/meminfo");
	record(&m, NULL);
	is_text(&m, XP_FEATURE_HOSTNAME, "db-7.example");
	is_text(&m, XP_FEATURE_OSRELEASE, "6.1.0-13-amd64");
	is_text(&m, XP_FEATURE_ARCH, "riscv64");
	is_text(&m, XP_FEATURE_CPUDESC, "Intel(R) Xeon(R) Gold");
	is_text(&m, XP_FEATURE_CPUID, "GenuineIntel,6,85,7");
	struct body body = body_of(&m, XP_FEATURE_TOTAL_MEM);
	has_u64(&body, 65536);
	has_end(&body);
	body = body_of(&m, XP_FEATURE_CMDLINE);
	has_u32(&body, 3);
	has_text(&body, "xperf");
	has_text(&body, "record");
	has_text(&body, "true");
	has_end(&body);
	is_missing(&m, XP_FEATURE_CLOCKID);
	is_missing(&m, XP_FEATURE_BRANCH_STACK);
	is_missing(&m, XP_FEATURE_GROUP_DESC);
	end(&m);
}

/* Other architectures say it in other words, or elsewhere. */
static void processors_by_other_names(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_file(m.f.dir, "processor\t: 0\ncpu\t\t: POWER9 (raw), altivec supported\n",
		 "/proc/cpuinfo");
	put_file(m.f.dir, "0x00000000413fd0c1\n", CPU "/cpu0/regs/identification/midr_el1");
	record(&m, NULL);
	is_text(&m, XP_FEATURE_CPUDESC, "POWER9 (raw), altivec supported");
	is_text(&m, XP_FEATURE_CPUID, "0x00000000410fd0c0");
	end(&m);
}

/* Nothing can be found out: the recording is sound nevertheless. */
static void a_machine_that_says_nothing(void **state)
{
	static const int there[] = { XP_FEATURE_VERSION, XP_FEATURE_ARCH, XP_FEATURE_CMDLINE,
				     XP_FEATURE_EVENT_DESC, XP_FEATURE_CACHE };
	struct machine m;
	int nr = 0;

	(void)state;
	begin(&m);
	record(&m, NULL);
	for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++)
		body_of(&m, there[i]);
	for (int i = 0; i < CHECK_FEATURES; i++)
		nr += m.c.features[i].offset != 0;
	assert_int_equal(nr, 5);
	end(&m);
}

static void clocks_that_were_chosen(void **state)
{
	struct xp_data_event event = fixture_event(0);
	struct machine m;

	(void)state;
	begin(&m);
	event.attr.use_clockid = 1;
	event.attr.clockid = 4;
	event.attr.sample_type |= 1 << 11; /* branch stack */
	record(&m, &event);
	struct body body = body_of(&m, XP_FEATURE_CLOCKID);
	has_u64(&body, 5);
	has_end(&body);
	body = body_of(&m, XP_FEATURE_CLOCK_DATA);
	has_u32(&body, 1);
	has_u32(&body, 4);
	has_u64(&body, 222);
	has_u64(&body, 111);
	has_end(&body);
	body = body_of(&m, XP_FEATURE_BRANCH_STACK);
	has_end(&body);
	end(&m);
}

/* --- CPUs and memory --- */

/* Two sockets of two cores of two threads each; CPU 5, the second thread of core 1 of socket 0, is
 * offline. */
static void put_two_sockets(const char *root)
{
	put_file(root, "0-7\n", CPU "/present");
	put_file(root, "0-4,6-7\n", CPU "/online");
	for (int cpu = 0; cpu < 8; cpu++) {
		int core = cpu / 2 % 2, socket = cpu % 2;
		char threads[16], package[16], number[16];

		if (cpu == 5)
			continue;
		/* 0 and 4, 1 and 5, 2 and 6, 3 and 7 are threads of a core */
		snprintf(threads, sizeof(threads), cpu % 4 == 1 ? "1" : "%d,%d", cpu % 4,
			 cpu % 4 + 4);
		snprintf(package, sizeof(package), socket ? "1,3,7" : "0,2,4,6");
		put_file(root, threads, CPU "/cpu%d/topology/thread_siblings_list", cpu);
		put_file(root, package, CPU "/cpu%d/topology/core_siblings_list", cpu);
		put_file(root, package, CPU "/cpu%d/topology/die_cpus_list", cpu);
		snprintf(number, sizeof(number), "%d\n", core);
		put_file(root, number, CPU "/cpu%d/topology/core_id", cpu);
		snprintf(number, sizeof(number), "%d\n", socket);
		put_file(root, number, CPU "/cpu%d/topology/physical_package_id", cpu);
		put_file(root, "0\n", CPU "/cpu%d/topology/die_id", cpu);
	}
}

static void who_shares_what(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_two_sockets(m.f.dir);
	record(&m, NULL);
	struct body body = body_of(&m, XP_FEATURE_NRCPUS);
	has_u32(&body, 8);
	has_u32(&body, 7);
	has_end(&body);
	body = body_of(&m, XP_FEATURE_CPU_TOPOLOGY);
	has_u32(&body, 2);
	has_text(&body, "0,2,4,6");
	has_text(&body, "1,3,7");
	has_u32(&body, 4);
	has_text(&body, "0,4");
	has_text(&body, "1");
	has_text(&body, "2,6");
	has_text(&body, "3,7");
	for (int cpu = 0; cpu < 8; cpu++) {
		has_u32(&body, cpu == 5 ? UINT32_MAX : (uint32_t)cpu % 4 / 2);
		has_u32(&body, cpu == 5 ? UINT32_MAX : (uint32_t)cpu % 2);
	}
	has_u32(&body, 2);
	has_text(&body, "0,2,4,6");
	has_text(&body, "1,3,7");
	for (int cpu = 0; cpu < 8; cpu++)
		has_u32(&body, cpu == 5 ? UINT32_MAX : 0);
	has_end(&body);
	end(&m);
}

static void put_cache(const char *root, int cpu, int index, const char *type, const char *size,
		      const char *cpus)
{
	static const char *const levels[] = { "1", "1", "2", "3" };
	const struct {
		const char *file, *text;
	} files[] = {
		{ "level", levels[index] },
		{ "type", type },
		{ "size", size },
		{ "shared_cpu_list", cpus },
		{ "coherency_line_size", "64" },
		{ "number_of_sets", index == 3 ? "4096" : "64" },
		{ "ways_of_associativity", "8" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put_file(root, files[i].text, CPU "/cpu%d/cache/index%d/%s", cpu, index,
			 files[i].file);
}

static void has_cache(struct body *body, uint32_t level, uint32_t sets, const char *const words[3])
{
	has_u32(body, level);
	has_u32(body, 64);
	has_u32(body, sets);
	has_u32(body, 8);
	for (int i = 0; i < 3; i++)
		has_text(body, words[i]);
}

/* Two fast CPUs and a slow one with smaller caches. */
static void caches_are_reported_once(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_file(m.f.dir, "0-2\n", CPU "/present");
	put_file(m.f.dir, "0-2\n", CPU "/online");
	for (int cpu = 0; cpu < 3; cpu++) {
		const char *self = cpu ? cpu == 1 ? "1\n" : "2\n" : "0\n";

		put_cache(m.f.dir, cpu, 0, "Data\n", cpu == 2 ? "32K\n" : "48K\n", self);
		put_cache(m.f.dir, cpu, 1, "Instruction\n", "32K\n", self);
		put_cache(m.f.dir, cpu, 2, "Unified\n", "2048K\n", cpu == 2 ? "2\n" : "0-1\n");
		put_cache(m.f.dir, cpu, 3, "Unified\n", "32768K\n", "0-2\n");
	}
	record(&m, NULL);
	struct body body = body_of(&m, XP_FEATURE_CACHE);
	has_u32(&body, 1);
	has_u32(&body, 9);
	has_cache(&body, 1, 64, (const char *const[]){ "Data", "48K", "0" });
	has_cache(&body, 1, 64, (const char *const[]){ "Data", "48K", "1" });
	has_cache(&body, 1, 64, (const char *const[]){ "Data", "32K", "2" });
	has_cache(&body, 1, 64, (const char *const[]){ "Instruction", "32K", "0" });
	has_cache(&body, 1, 64, (const char *const[]){ "Instruction", "32K", "1" });
	has_cache(&body, 1, 64, (const char *const[]){ "Instruction", "32K", "2" });
	has_cache(&body, 2, 64, (const char *const[]){ "Unified", "2048K", "0-1" });
	has_cache(&body, 2, 64, (const char *const[]){ "Unified", "2048K", "2" });
	has_cache(&body, 3, 4096, (const char *const[]){ "Unified", "32768K", "0-2" });
	has_end(&body);
	end(&m);
}

/* As perf writes it on virtual machines whose kernel lists none. */
static void a_machine_without_caches(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_file(m.f.dir, "0-2\n", CPU "/present");
	record(&m, NULL);
	struct body body = body_of(&m, XP_FEATURE_CACHE);
	has_u32(&body, 1);
	has_u32(&body, 0);
	has_end(&body);
	end(&m);
}

/* Start-up of the recorder pays for each file: of 128 CPUs, two threads a core, few are needed. */
static void large_machines_need_few_files(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_file(m.f.dir, "0-127\n", CPU "/present");
	put_file(m.f.dir, "0-127\n", CPU "/online");
	for (int cpu = 0; cpu < 128; cpu++) {
		char pair[16];

		snprintf(pair, sizeof(pair), "%d,%d\n", cpu % 64, cpu % 64 + 64);
		put_file(m.f.dir, pair, CPU "/cpu%d/topology/thread_siblings_list", cpu);
		put_file(m.f.dir, "0-127\n", CPU "/cpu%d/topology/core_siblings_list", cpu);
		put_file(m.f.dir, "0-127\n", CPU "/cpu%d/topology/die_cpus_list", cpu);
		for (int index = 0; index < 4; index++)
			put_cache(m.f.dir, cpu, index, "Data\n", "32K\n",
				  index == 3 ? "0-127\n" : pair);
	}
	record(&m, NULL);
	body_of(&m, XP_FEATURE_CPU_TOPOLOGY);
	body_of(&m, XP_FEATURE_CACHE);
	/* two of each core's caches, of which it has three, and of its threads; perf reads 4,400 */
	assert_in_range(m.opens, 300, 64 * 8 + 100);
	end(&m);
}

static void memory_by_node(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_file(m.f.dir, "0,2\n", "/sys/devices/system/node/online");
	for (int node = 0; node < 3; node += 2) {
		char text[128];

		snprintf(text, sizeof(text),
			 "Node %d MemTotal:      %d000 kB\nNode %d MemFree:        %d kB\n", node,
			 node + 1, node, node);
		put_file(m.f.dir, text, "/sys/devices/system/node/node%d/meminfo", node);
		put_file(m.f.dir, node ? "\n" : "0-3\n", "/sys/devices/system/node/node%d/cpulist",
			 node);
		put_file(m.f.dir, "", "/sys/devices/system/node/node%d/memory%d", node, node);
		put_file(m.f.dir, "", "/sys/devices/system/node/node%d/memory%d", node, 70 + node);
		put_file(m.f.dir, "", "/sys/devices/system/node/node%d/memory_side_cache", node);
	}
	put_file(m.f.dir, "8000000\n", "/sys/devices/system/memory/block_size_bytes");
	record(&m, NULL);
	struct body body = body_of(&m, XP_FEATURE_NUMA_TOPOLOGY);
	has_u32(&body, 2);
	has_u32(&body, 0);
	has_u64(&body, 1000);
	has_u64(&body, 0);
	has_text(&body, "0-3");
	has_u32(&body, 2);
	has_u64(&body, 3000);
	has_u64(&body, 2);
	has_text(&body, "");
	has_end(&body);
	body = body_of(&m, XP_FEATURE_MEM_TOPOLOGY);
	has_u64(&body, 1);
	has_u64(&body, 0x8000000);
	has_u64(&body, 2);
	for (uint64_t node = 0; node < 3; node += 2) {
		has_u64(&body, node);
		has_u64(&body, 71 + node);
		has_u64(&body, 71 + node);
		has_u64(&body, UINT64_C(1) << node);
		has_u64(&body, UINT64_C(1) << (6 + node));
	}
	has_end(&body);
	end(&m);
}

/* --- PMUs --- */

static void pmus_of_a_plain_machine(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_file(m.f.dir, "4\n", PMU "/cpu/type");
	put_file(m.f.dir, "32\n", PMU "/cpu/caps/branches");
	put_file(m.f.dir, "skylake\n", PMU "/cpu/caps/pmu_name");
	put_file(m.f.dir, "1\n", PMU "/software/type");
	put_file(m.f.dir, "8\n", PMU "/intel_pt/type");
	put_file(m.f.dir, "2\n", PMU "/intel_pt/caps/num_address_ranges");
	record(&m, NULL);
	struct body body = body_of(&m, XP_FEATURE_PMU_MAPPINGS);
	has_u32(&body, 3);
	has_u32(&body, 4);
	has_text(&body, "cpu");
	has_u32(&body, 8);
	has_text(&body, "intel_pt");
	has_u32(&body, 1);
	has_text(&body, "software");
	has_end(&body);
	body = body_of(&m, XP_FEATURE_CPU_PMU_CAPS);
	has_u32(&body, 2);
	has_text(&body, "branches");
	has_text(&body, "32");
	has_text(&body, "pmu_name");
	has_text(&body, "skylake");
	has_end(&body);
	body = body_of(&m, XP_FEATURE_PMU_CAPS);
	has_u32(&body, 1);
	has_u32(&body, 1);
	has_text(&body, "num_address_ranges");
	has_text(&body, "2");
	has_text(&body, "intel_pt");
	has_end(&body);
	is_missing(&m, XP_FEATURE_HYBRID_TOPOLOGY);
	end(&m);
}

static void pmus_of_a_hybrid_machine(void **state)
{
	struct machine m;

	(void)state;
	begin(&m);
	put_file(m.f.dir, "9\n", PMU "/aaa/type");
	put_file(m.f.dir, "1\n", PMU "/aaa/caps/a");
	put_file(m.f.dir, "10\n", PMU "/cpu_atom/type");
	put_file(m.f.dir, "2-3\n", PMU "/cpu_atom/cpus");
	put_file(m.f.dir, "0\n", PMU "/cpu_atom/caps/max_precise");
	put_file(m.f.dir, "4\n", PMU "/cpu_core/type");
	put_file(m.f.dir, "0-1\n", PMU "/cpu_core/cpus");
	put_file(m.f.dir, "3\n", PMU "/cpu_core/caps/max_precise");
	record(&m, NULL);
	struct body body = body_of(&m, XP_FEATURE_HYBRID_TOPOLOGY);
	has_u32(&body, 2);
	has_text(&body, "cpu_core");
	has_text(&body, "0-1");
	has_text(&body, "cpu_atom");
	has_text(&body, "2-3");
	has_end(&body);
	is_missing(&m, XP_FEATURE_CPU_PMU_CAPS);
	body = body_of(&m, XP_FEATURE_PMU_CAPS);
	has_u32(&body, 3);
	has_u32(&body, 1);
	has_text(&body, "max_precise");
	has_text(&body, "3");
	has_text(&body, "cpu_core");
	has_u32(&body, 1);
	has_text(&body, "max_precise");
	has_text(&body, "0");
	has_text(&body, "cpu_atom");
	has_u32(&body, 1);
	has_text(&body, "a");
	has_text(&body, "1");
	has_text(&body, "aaa");
	has_end(&body);
	end(&m);
}

/* --- tracepoints --- */

#define TRACING "/sys/kernel/tracing"

static void has_file(struct body *body, const char *text)
{
	has_u64(body, strlen(text));
	assert_true((size_t)(body->end - body->at) >= strlen(text));
	assert_memory_equal(body->at, text, strlen(text));
	body->at += strlen(text);
}

static void has_bytes(struct body *body, const char *bytes, size_t len)
{
	assert_true((size_t)(body->end - body->at) >= len);
	assert_memory_equal(body->at, bytes, len);
	body->at += len;
}

static void put_tracepoint(const char *root, const char *name, const char *id)
{
	char format[64];

	put_file(root, id, TRACING "/events/%s/id", name);
	snprintf(format, sizeof(format), "name: %s\nID: %s", strchr(name, '/') + 1, id);
	put_file(root, format, TRACING "/events/%s/format", name);
}

/* A stream of an old version: events without names, and what describes them. */
static void names_come_from(const struct body *body)
{
	char path[] = "/tmp/test-features.XXXXXX";
	struct {
		uint64_t header[2];
		struct xp_record attr_header;
		uint8_t attr[XP_ATTR_SIZE_VER0];
		struct xp_record data_header;
		uint32_t len, unused;
	} start = {
		.header = { UINT64_C(0x32454c4946524550), sizeof(start.header) },
		.attr_header = { XP_RECORD_HEADER_ATTR, 0, 8 + sizeof(start.attr) },
		.data_header = { XP_RECORD_HEADER_TRACING_DATA, 0, 16 },
		.len = (uint32_t)(body->end - body->at),
	};
	const struct xp_attr attr = { .type = 2, .size = sizeof(start.attr), .config = 371 };
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = path };
	const struct xp_record *record;
	struct xp_traces *traces;
	struct xp_data *data;
	struct xp_ctx *ctx;

	if (xp_traces_new(body->at, (size_t)(body->end - body->at), &traces, NULL) == -ENOSYS)
		return;
	xp_traces_free(traces);
	FILE *file = fdopen(mkstemp(path), "w");
	assert_non_null(file);
	start.len = (start.len + 7) & ~7U;
	memcpy(start.attr, &attr, sizeof(start.attr));
	fwrite(&start, sizeof(start), 1, file);
	fwrite(body->at, 1, (size_t)(body->end - body->at), file);
	fwrite("\0\0\0\0\0\0\0", 1, start.len - (size_t)(body->end - body->at), file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_data_open(ctx, &opts, &data, NULL), 0);
	while (xp_data_next(data, &record, NULL) > 0)
		;
	assert_int_equal(xp_data_nr_events(data), 1);
	assert_string_equal(xp_data_event_at(data, 0)->name, "sched:sched_wakeup");
	xp_data_close(data);
	xp_ctx_free(ctx);
	unlink(opts.path);
}

/* Which tracepoints, is known by number also where the event bears another name. */
static void tracepoints_are_described(void **state)
{
	static const struct {
		const char *name;
		uint64_t id;
	} events[] = { { "sched:sched_switch:u", 372 },
		       { "irq:irq_entry", 50 },
		       { "mine", 371 },
		       { "sched:sched_switch", 372 } };
	struct machine m;

	(void)state;
	begin(&m);
	put_tracepoint(m.f.dir, "sched/sched_switch", "372\n");
	put_tracepoint(m.f.dir, "sched/sched_wakeup", "371\n");
	put_tracepoint(m.f.dir, "sched/sched_other", "370\n");
	put_tracepoint(m.f.dir, "irq/irq_entry", "50\n");
	put_file(m.f.dir, "page", TRACING "/events/header_page");
	put_file(m.f.dir, "event", TRACING "/events/header_event");
	put_file(m.f.dir, "0x1 : \"x\"\n", TRACING "/printk_formats");
	put_file(m.f.dir, "12 sh\n", TRACING "/saved_cmdlines");
	fixture_open(&m.f, 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		struct xp_data_event event = fixture_event(0);

		event.attr.type = 2;
		event.attr.config = events[i].id;
		event.name = events[i].name;
		assert_int_equal(xp_data_writer_add_event(m.f.writer, &event), 0);
	}
	xp_data_writer_add_host(m.f.writer, 0, NULL);
	assert_int_equal(xp_data_writer_start(m.f.writer, &m.f.diag), 0);
	assert_int_equal(xp_data_writer_finish(m.f.writer, &m.f.diag), 0);
	size_t len;
	m.bytes = fixture_bytes(&m.f, &len);
	assert_true(data_check(m.bytes, len, &m.c));

	struct body body = body_of(&m, XP_FEATURE_TRACING_DATA);
	names_come_from(&body);
	has_bytes(&body, "\x17\x08\x44tracing0.6", 14);
	body.at += 2;
	has_u32(&body, (uint32_t)sysconf(_SC_PAGESIZE));
	has_bytes(&body, "header_page", 12);
	has_file(&body, "page");
	has_bytes(&body, "header_event", 13);
	has_file(&body, "event");
	has_u32(&body, 0);
	has_u32(&body, 2);
	has_bytes(&body, "sched", 6);
	has_u32(&body, 2);
	has_file(&body, "name: sched_switch\nID: 372\n");
	has_file(&body, "name: sched_wakeup\nID: 371\n");
	has_bytes(&body, "irq", 4);
	has_u32(&body, 1);
	has_file(&body, "name: irq_entry\nID: 50\n");
	has_u32(&body, 0);
	has_u32(&body, 10);
	has_bytes(&body, "0x1 : \"x\"\n", 10);
	has_file(&body, "12 sh\n");
	has_end(&body);
	end(&m);
}

static void no_tracefs_no_description(void **state)
{
	struct xp_data_event event = fixture_event(0);
	struct machine m;

	(void)state;
	begin(&m);
	event.attr.type = 2;
	event.name = "sched:sched_switch";
	record(&m, &event);
	is_missing(&m, XP_FEATURE_TRACING_DATA);
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_a_machine),
		cmocka_unit_test(processors_by_other_names),
		cmocka_unit_test(a_machine_that_says_nothing),
		cmocka_unit_test(clocks_that_were_chosen),
		cmocka_unit_test(who_shares_what),
		cmocka_unit_test(caches_are_reported_once),
		cmocka_unit_test(a_machine_without_caches),
		cmocka_unit_test(large_machines_need_few_files),
		cmocka_unit_test(memory_by_node),
		cmocka_unit_test(pmus_of_a_plain_machine),
		cmocka_unit_test(pmus_of_a_hybrid_machine),
		cmocka_unit_test(tracepoints_are_described),
		cmocka_unit_test(no_tracefs_no_description),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
