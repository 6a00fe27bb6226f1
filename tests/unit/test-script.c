/* SPDX-License-Identifier: MIT */
/*
 * cli/script over recordings made here: branches, sources of data, control groups, what BPF
 * programs write, code that changes; what is merged from several rings; that nothing of a recording
 * reaches the terminal as it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/script/run.h"
#include "hash.h"
#include "made-recording.h"

enum {
	IP = 1 << 0,
	TID = 1 << 1,
	TIME = 1 << 2,
	ADDR = 1 << 3,
	CPU = 1 << 7,
	RAW = 1 << 10,
	BRANCHES = 1 << 11,
	DATA_SRC = 1 << 15,
	CGROUP = 1 << 21,
	DATA_PAGE = 1 << 22,
	CODE_PAGE = 1 << 23,
	WEIGHTS = 1 << 24,
	SOFTWARE = 1,
	RAW_TYPE = 4,
	BPF_OUTPUT = 10,
	BASIC = IP | TID | TIME | CPU,
};

struct test {
	struct made r;
	struct xp_data_event event;
	struct xp_data_writer *writer;
	struct values values;
	char *text; /* what was printed */
	struct xp_diag diag;
};

static void start_as(struct test *test, const struct xp_attr *attr)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts) };

	*test = (struct test){ .values = { .max_stack = 127,
					   .read = { .with_symbols = true,
						     .split_readings = true,
						     .symbols.symfs = "/nonexistent" } } };
	made_init(&test->r);
	opts.path = test->r.path;
	test->event = (struct xp_data_event){ .size = sizeof(struct xp_data_event),
					      .attr = *attr,
					      .name = "event",
					      .scale = 1.0,
					      .ids = made_ids[0],
					      .nr_ids = 1 };
	test->event.attr.size = 128;
	test->event.attr.sample_period = 1;
	test->event.attr.sample_id_all = 1;
	fields_init(&test->values.fields);
	assert_int_equal(xp_data_writer_open(test->r.ctx, &opts, &test->writer, NULL), 0);
	assert_int_equal(xp_data_writer_add_event(test->writer, &test->event), 0);
	assert_int_equal(xp_data_writer_start(test->writer, NULL), 0);
}

static void start(struct test *test, uint32_t type, uint64_t config, uint64_t sample_type)
{
	start_as(test,
		 &(struct xp_attr){ .type = type, .config = config, .sample_type = sample_type });
}

static void add(struct test *test, uint32_t type, uint16_t misc, uint64_t time_ns, const void *body,
		size_t len)
{
	struct {
		struct xp_record header;
		uint8_t bytes[1024];
	} record = { .header = { type, misc, 0 } };
	const struct xp_sample_id id = { 7, 8, time_ns, 10, 0, 1 };
	size_t trailer = type < 64 ? xp_sample_id_bytes(&test->event.attr) : 0;

	memcpy(record.bytes, body, len);
	xp_sample_id_encode(&id, &test->event.attr, record.bytes + len);
	record.header.size = (uint16_t)(sizeof(record.header) + len + trailer);
	assert_int_equal(xp_data_writer_write(test->writer, &record, record.header.size, true), 0);
}

static void add_comm(struct test *test, const char *name)
{
	struct {
		uint32_t pid, tid;
		char comm[16];
	} comm = { 7, 8, "" };

	memcpy(comm.comm, name, strlen(name));
	add(test, XP_RECORD_COMM, 0, 1, &comm, sizeof(comm));
}

static void add_map(struct test *test, const char *name)
{
	struct {
		uint32_t pid, tid;
		uint64_t place[3], file[3];
		uint32_t prot, flags;
		char name[32];
	} map = { 7, 8, { 0x400000, 0x10000, 0x1000 }, { 1, 2, 3 }, 5, 2, "" };

	memcpy(map.name, name, strlen(name));
	add(test, XP_RECORD_MMAP2, XP_MISC_USER, 1, &map, sizeof(map));
}

static void put(struct test *test, struct xp_sample sample)
{
	const struct xp_record user = { XP_RECORD_SAMPLE, XP_MISC_USER, 0 };
	uint64_t record[256];

	sample.record = &user;
	sample.id.pid = 7;
	sample.id.tid = sample.id.tid ? sample.id.tid : 8;
	int len = xp_sample_encode(&sample, &test->event.attr, record, sizeof(record));
	assert_true(len > 0);
	assert_int_equal(xp_data_writer_write(test->writer, record, (size_t)len, true), 0);
}

/* Prints the recording with -F @fields; test->text afterwards. Returns what run_script() does. */
static int print(struct test *test, const char *fields)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = test->r.path };
	struct config config;
	struct recording rec = { .path = test->r.path, .ctx = test->r.ctx };
	FILE *out = tmpfile();
	long len;

	assert_non_null(out);
	if (test->writer) {
		assert_int_equal(xp_data_writer_finish(test->writer, NULL), 0);
		xp_data_writer_free(test->writer);
		test->writer = NULL;
	}
	fields_init(&test->values.fields);
	if (fields)
		assert_int_equal(fields_parse(&test->values.fields, fields, &test->diag), 0);
	assert_int_equal(config_make(&test->values, &config, &test->diag), 0);
	assert_int_equal(xp_data_open(test->r.ctx, &opts, &rec.data, NULL), 0);
	int err = sample_filter_parse(&rec.filter, &test->values.read.filter, &rec.diag);
	if (!err)
		err = recording_begin(&rec, &test->values.read);
	if (!err)
		err = run_script(&rec, &config, fileno(out));
	test->diag = rec.diag;
	recording_fini(&rec);
	xp_data_close(rec.data);
	config_fini(&config);
	len = lseek(fileno(out), 0, SEEK_END);
	free(test->text);
	test->text = calloc(1, (size_t)len + 1);
	assert_int_equal(pread(fileno(out), test->text, (size_t)len, 0), len);
	fclose(out);
	return err;
}

static void expect(struct test *test, const char *fields, const char *text)
{
	assert_int_equal(print(test, fields), 0);
	assert_string_equal(test->text, text);
}

static void finish(struct test *test)
{
	free(test->text);
	made_fini(&test->r);
}

static void test_branches(void **state)
{
	const struct xp_branch branches[] = {
		{ 0x400010, 0x400020, 2 | 5 << 4 | 1 << 20 },
		{ 0x400030, 0x400040, 1 | 4 | 8 },
		{ 0x1, 0x2, 15 << 20 | 3 << 26 },
	};
	struct test test;

	(void)state;
	start(&test, SOFTWARE, 0, BASIC | BRANCHES);
	add_map(&test, "/x");
	put(&test, (struct xp_sample){ .size = sizeof(struct xp_sample),
				       .id.time_ns = 5,
				       .ip = 0x400000,
				       .branches = branches,
				       .nr_branches = 3 });
	expect(&test, "ip,brstack",
	       "           400000 0x400010/0x400020/P/-/-/5/COND  0x400030/0x400040/M/X/A/0/ "
	       " 0x1/0x2/-/-/-/0/ARCH_1 \n");
	expect(&test, "ip,dso,brstack",
	       "           400000 (/x) 0x400010(/x)/0x400020(/x)/P/-/-/5/COND "
	       " 0x400030(/x)/0x400040(/x)/M/X/A/0/ "
	       " 0x1([unknown])/0x2([unknown])/-/-/-/0/ARCH_1 \n");
	expect(&test, "ip,brstacksym",
	       "           400000[unknown]/[unknown]/P/-/-/5/COND [unknown]/[unknown]/M/X/A/0/ "
	       "[unknown]/[unknown]/-/-/-/0/ARCH_1 \n");
	expect(&test, "ip,brstackoff",
	       "           400000 0x1010/0x1020/P/-/-/5/COND  0x1030/0x1040/M/X/A/0/ "
	       " 0x1/0x2/-/-/-/0/ARCH_1 \n");
	test.values.json = true;
	assert_int_equal(print(&test, NULL), 0);
	assert_non_null(strstr(test.text,
			       "\"branches\":[{\"from\":{\"ip\":\"0x400010\",\"dso\":"
			       "\"/x\"},\"to\":{\"ip\":\"0x400020\",\"dso\":\"/x\"},"
			       "\"cycles\":5,\"mispredicted\":false,\"type\":\"COND\"}"));
	finish(&test);
}

/* --- code between branches --- */

/* push, mov, je over a nop to a call of 400020, ret; a nop and ret there. */
static const uint8_t code[] = { 0x55, 0x48, 0x89, 0xe5, 0x74, 0x02, 0x90,          0x90,
				0xe8, 0x13, 0x00, 0x00, 0x00, 0xc3, [0x20] = 0x90, 0xc3 };
enum { CODE_AT = 0x1000 };

/* A program of this code at 400000, without symbols. */
static void start_code(struct test *test)
{
	static const uint8_t header[20] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, [16] = 3, 0, 62 };
	uint8_t program[CODE_AT + 256] = { 0 };
	char path[128];

	start_as(test, &(struct xp_attr){ .type = SOFTWARE,
					  .sample_type = BASIC | BRANCHES,
					  .branch_sample_type = XP_BRANCH_ANY });
	memcpy(program, header, sizeof(header));
	memcpy(program + CODE_AT, code, sizeof(code));
	snprintf(path, sizeof(path), "%s/x", test->r.dir);
	bytes_to_file(path, program, sizeof(program));
	test->values.read.symbols.symfs = test->r.dir;
	add_map(test, "/x");
}

static void put_branches(struct test *test, uint64_t ip, const struct xp_branch *branches,
			 size_t nr)
{
	put(test, (struct xp_sample){ .size = sizeof(struct xp_sample),
				      .id.time_ns = 5,
				      .ip = ip,
				      .branches = branches,
				      .nr_branches = nr });
}

static void test_branch_code(void **state)
{
	const struct xp_branch branches[] = {
		{ 0x400021, 0x40000d, 2 | 8 << 4 },
		{ 0x400008, 0x400020, 1 | 4 },
		{ 0x400004, 0x400008, 2 | 4 << 4 },
		{ 0x400021, 0x400000, 2 },
	};
	struct test test;

	(void)state;
	start_code(&test);
	put_branches(&test, 0x40000d, branches, 4);
	expect(&test, "ip,brstackinsn",
	       "           40000d\n"
	       "\t0000000000400021\tinsn: c3                      \t# PRED\n"
	       "\t0000000000400000\tinsn: 55 \n"
	       "\t0000000000400001\tinsn: 48 89 e5 \n"
	       "\t0000000000400004\tinsn: 74 02                   \t# PRED 4 cycles [4] 0.75 IPC\n"
	       "\t0000000000400008\tinsn: e8 13 00 00 00          \t# MISPRED INTX\n"
	       "\t0000000000400020\tinsn: 90 \n"
	       "\t0000000000400021\tinsn: c3                      \t# PRED 8 cycles [12] 0.25 IPC\n"
	       "\t000000000040000d\tinsn: c3 \n\n");
	test.values.max_blocks = 1;
	expect(&test, "brstackinsn,brstackinsnlen",
	       "\n"
	       "\t0000000000400008\tinsn: e8 13 00 00 00          \tilen: 5\t# MISPRED INTX\n"
	       "\t0000000000400020\tinsn: 90 \tilen: 1\n"
	       "\t0000000000400021\tinsn: c3                      \tilen: 1\t# PRED 8 cycles [8] 0.25 "
	       "IPC\n"
	       "\t000000000040000d\tinsn: c3 \tilen: 1\n\n");
	int err = print(&test, "brstackdisasm");
	assert_true(err == 0 || err == -ENOSYS);
	if (!err)
		assert_string_equal(test.text,
				    "\n"
				    "\t0000000000400008\tcall   400020                 \t# "
				    "MISPRED INTX\n"
				    "\t0000000000400020\tnop\n"
				    "\t0000000000400021\tret                           \t# PRED 8 "
				    "cycles [8] 0.25 IPC\n"
				    "\t000000000040000d\tret\n\n");
	finish(&test);
}

/* Branches that do not fit the code, or each other. */
static void test_branch_code_odd(void **state)
{
	static const uint64_t kernel = 0xffffffff81000000;
	static const struct {
		uint64_t ip;
		struct xp_branch branches[3];
		size_t nr;
		const char *text;
	} cases[] = {
		/* in the middle of an instruction */
		{ 0x400002,
		  { { 0x400002, 0x400000, 0 }, { 0x400021, 0x400000, 0 } },
		  2,
		  "\n\t0000000000400021\tinsn: c3                      \t#\n"
		  "\t0000000000400000\tinsn: 55 \n"
		  "\t0000000000400001\tinsn: 48 89 e5 \n"
		  "\t0000000000400004\tinsn: 74 02 \n"
		  "\t0000000000400006\tinsn: 90 \n"
		  "\t0000000000400007\tinsn: 90 \n"
		  "\t0000000000400008\tinsn: e8 13 00 00 00 \n"
		  "\t000000000040000d\tinsn: c3 \n"
		  "\t000000000040000e\tinsn: 00 00 \n"
		  "\t0000000000400010\t<bad>\n"
		  "\tmismatch of LBR data and executable\n\n" },
		/* the way into the kernel was not recorded, the way out was */
		{ 0x400001,
		  { { 0x400001, 0x400000, 0 }, { kernel, 0x400001, 0 }, { 0x400021, 0x400000, 0 } },
		  3,
		  "\n\t0000000000400021\tinsn: c3                      \t#\n"
		  "\t0000000000400000\tinsn: 55 \n"
		  "\t0000000000400001\tinsn: 48 89 e5                \t#\n\n" },
		/* the last branch was not recorded */
		{ 0x400020,
		  { { 0x400021, 0x400000, 0 } },
		  1,
		  "\n\t0000000000400021\tinsn: c3                      \t#\n"
		  "\t0000000000400000\tinsn: 55 \n"
		  "\t0000000000400001\tinsn: 48 89 e5 \n"
		  "\t0000000000400004\tinsn: 74 02 \n"
		  "\t... not reaching sample ...\n\n" },
		/* it is not known where an aborted transaction went on */
		{ 0x400000,
		  { { 0x400021, 0x400000, 8 } },
		  1,
		  "\n\t0000000000400021\tinsn: c3                      \t# ABORT\n\n" },
		/* too far for one block: the sample's instruction alone */
		{ 0x40000d,
		  { { 0x400021, 0x3f0000, 0 } },
		  1,
		  "\n\t0000000000400021\tinsn: c3                      \t#\n"
		  "\t000000000040000d\tinsn: c3 \n\n" },
		/* no code is known there */
		{ 0x500000, { { 0x500021, 0x500000, 0 } }, 1, "\n\n" },
	};
	struct test test;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start_code(&test);
		put_branches(&test, cases[i].ip, cases[i].branches, cases[i].nr);
		assert_int_equal(print(&test, "brstackinsn"), 0);
		if (strcmp(test.text, cases[i].text) != 0)
			fail_msg("case %zu: %s", i, test.text);
		finish(&test);
	}
}

/* Of calls alone, what was executed between them is not known. */
static void test_branch_code_of_calls(void **state)
{
	struct test test;

	(void)state;
	start_as(&test, &(struct xp_attr){ .type = SOFTWARE,
					   .sample_type = BASIC | BRANCHES,
					   .branch_sample_type = XP_BRANCH_ANY_CALL });
	put_branches(&test, 0x400000, NULL, 0);
	assert_int_equal(print(&test, "ip,brstackinsn"), -EINVAL);
	assert_string_equal(test.diag.what, "The field 'brstackinsn' needs all branches, and of "
					    "'event' only some were recorded");
	finish(&test);
}

static void test_memory(void **state)
{
	struct test test;

	(void)state;
	start(&test, RAW_TYPE, 1, BASIC | ADDR | DATA_SRC | WEIGHTS | DATA_PAGE | CODE_PAGE);
	/* a store that hit the L1 and the TLB's second level; from another core's modified line */
	put(&test, (struct xp_sample){ .size = sizeof(struct xp_sample),
				       .id.time_ns = 5,
				       .ip = 0x400000,
				       .address = 0xabc,
				       .weight = 17 | 3ULL << 32 | 2ULL << 48,
				       .data_page_size = 4096,
				       .code_page_size = 3 << 20,
				       .data_source = 4 | (2 | 8) << 5 | 16 << 19 | 2 << 24 |
						      (2ULL | 16) << 26 | 2ULL << 40 });
	put(&test,
	    (struct xp_sample){ .size = sizeof(struct xp_sample),
				.id.time_ns = 6,
				.ip = 0x400000,
				.data_source = 1ULL << 37 | 2ULL << 43 | 13ULL << 33 | 4 << 5 });
	expect(&test, "addr,data_src,weight,ins_lat,retire_lat,ip,data_page_size,code_page_size",
	       "             abc     2004a80"
	       "0144 |OP STORE|LVL L1 hit|SNP HitM|TLB L2 hit|LCK "
	       "Yes|BLK  Data              17               3               2           400000 4K "
	       "3M\n"
	       "               0    103a00000080 |OP No|LVL Remote node, same socket RAM "
	       "miss|SNP N/A|TLB N/A|LCK No|BLK  N/A               0               0"
	       "               0           400000 N/A N/A\n");
	finish(&test);
}

/* Two events of a group; @caps: the feature, NULL: there is none. */
static void start_counters(struct test *test, const char *caps, size_t len)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts) };

	*test = (struct test){ .values = { .max_stack = 127, .read = { .with_symbols = true } } };
	made_init(&test->r);
	opts.path = test->r.path;
	assert_int_equal(xp_data_writer_open(test->r.ctx, &opts, &test->writer, NULL), 0);
	for (int i = 0; i < 2; i++) {
		test->event = (struct xp_data_event){
			.size = sizeof(struct xp_data_event),
			.attr = { .type = RAW_TYPE,
				  .config = (uint64_t)i,
				  .size = 128,
				  .sample_period = 1,
				  .sample_id_all = 1,
				  .sample_type = BASIC | BRANCHES | 1 << 16,
				  .branch_sample_type = XP_BRANCH_COUNTERS },
			.name = i ? "misses" : "branches",
			.scale = 1.0,
			.ids = made_ids[i],
			.nr_ids = 1,
			.leader = 0,
		};
		assert_int_equal(xp_data_writer_add_event(test->writer, &test->event), 0);
	}
	if (caps)
		assert_int_equal(xp_data_writer_add_feature(test->writer, XP_FEATURE_CPU_PMU_CAPS,
							    caps, len),
				 0);
	assert_int_equal(xp_data_writer_start(test->writer, NULL), 0);
}

static void test_counters_of_branches(void **state)
{
	static const char caps[] = "\x02\0\0\0"
				   "\x0c\0\0\0branches\0\0\0\0"
				   "\x04\0\0\0\x33\x32\0\0"
				   "\x18\0\0\0branch_counter_width\0\0\0\0"
				   "\x04\0\0\0\x32\0\0";
	/* two bits for each: 2 branches and 1 miss; none; as many misses as there is room for */
	static const uint64_t counters[] = { 2 | 1 << 2, 0, 3 << 2 };
	static const struct xp_branch branches[3] = { { 0x10, 0x20, 2 }, { 0x30, 0x40, 1 } };
	const struct xp_sample sample = { .size = sizeof(sample),
					  .id = { .time_ns = 5, .id = 20 },
					  .ip = 0x10,
					  .branches = branches,
					  .branch_counters = counters,
					  .nr_branches = 3 };
	struct test test;

	(void)state;
	start_counters(&test, caps, sizeof(caps));
	put(&test, sample);
	put(&test, sample);
	expect(&test, "event,brcntr",
	       "# Counters of branches: A = branches, B = misses, - = none, + = the counter was "
	       "full\n"
	       "  misses:  br_cntr: AAB - BBB+\n"
	       "  misses:  br_cntr: AAB - BBB+\n");
	test.values.json = true;
	assert_int_equal(print(&test, NULL), 0);
	assert_non_null(strstr(test.text, "\"counters\":[2,1]"));
	assert_non_null(strstr(test.text, "\"counters\":[0,3]"));
	finish(&test);

	start_counters(&test, NULL, 0);
	put(&test, sample);
	assert_int_equal(print(&test, "brcntr"), -EINVAL);
	assert_string_equal(test.diag.what, "The recording does not have the width of the counters "
					    "of branches ('brcntr')");
	finish(&test);
	start(&test, RAW_TYPE, 1, BASIC | BRANCHES);
	put(&test, sample);
	assert_int_equal(print(&test, "brcntr"), -EINVAL);
	assert_string_equal(test.diag.what, "No event counts per branch ('brcntr')");
	finish(&test);
}

static void test_control_groups(void **state)
{
	static const struct {
		uint64_t id;
		char path[16];
	} group = { 42, "/a/b" };
	struct test test;

	(void)state;
	start(&test, SOFTWARE, 0, BASIC | CGROUP);
	put(&test,
	    (struct xp_sample){
		    .size = sizeof(struct xp_sample), .id.time_ns = 5, .ip = 0x10, .cgroup = 42 });
	put(&test,
	    (struct xp_sample){
		    .size = sizeof(struct xp_sample), .id.time_ns = 6, .ip = 0x10, .cgroup = 43 });
	add(&test, XP_RECORD_CGROUP, 0, 1, &group, sizeof(group));
	expect(&test, "cgroup,ip", " /a/b               10\n unknown               10\n");
	finish(&test);
}

static void test_bpf_output(void **state)
{
	struct test test;

	(void)state;
	start(&test, SOFTWARE, BPF_OUTPUT, BASIC | RAW);
	put(&test, (struct xp_sample){ .size = sizeof(struct xp_sample),
				       .id.time_ns = 5,
				       .ip = 0x10,
				       .raw = "hello, world\1\n....\0\0",
				       .raw_len = 20 });
	expect(&test, "event,bpf-output",
	       "event: \n"
	       "      BPF output: 0000: 68 65 6c 6c 6f 2c 20 77 6f 72 6c 64 01 0a 2e 2e  hello, "
	       "world....\n"
	       "                  0010: 2e 2e 00 00                                      ....    "
	       "        \n\n");
	finish(&test);
}

static void test_side_band(void **state)
{
	static const struct {
		uint64_t address;
		uint16_t old_len, new_len;
		uint8_t bytes[12];
	} poke = { 0xffffffff81000000, 2, 3, { 0x66, 0x90, 0xe9, 1, 2 } };
	static const uint64_t lost[2] = { 10, 5 };
	struct test test;

	(void)state;
	start(&test, SOFTWARE, 0, BASIC);
	add(&test, XP_RECORD_TEXT_POKE, XP_MISC_KERNEL, 5, &poke, sizeof(poke));
	add(&test, XP_RECORD_LOST, 0, 6, lost, sizeof(lost));
	put(&test,
	    (struct xp_sample){ .size = sizeof(struct xp_sample), .id.time_ns = 7, .ip = 0x10 });
	expect(&test, "ip", "               10\n");
	test.values.show_text_poke = true;
	expect(&test, "ip",
	       "PERF_RECORD_TEXT_POKE 0xffffffff81000000 old len 2 new len 3\n"
	       "            old bytes: 66 90\n            new bytes: e9 01 02\n"
	       "               10\n");
	test.values.show_text_poke = false;
	test.values.show_lost = true;
	expect(&test, "ip", "PERF_RECORD_LOST lost 5\n               10\n");
	finish(&test);
}

/* Three rings, each in order, in two rounds; equal times in the order of the file. */
static void test_order(void **state)
{
	static const uint64_t times[] = { 10, 40, 20, 30, 0, 50, 35, 60, 45, 60, 0, 55 };
	struct test test;

	(void)state;
	start(&test, SOFTWARE, 0, BASIC);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i])
			put(&test, (struct xp_sample){ .size = sizeof(struct xp_sample),
						       .id.time_ns = times[i],
						       .ip = i });
		else
			add(&test, XP_RECORD_FINISHED_ROUND, 0, 0, "", 0);
	test.values.ns = true;
	expect(&test, "time,ip",
	       "    0.000000010:                 0\n    0.000000020:                 2\n"
	       "    0.000000030:                 3\n    0.000000035:                 6\n"
	       "    0.000000040:                 1\n    0.000000045:                 8\n"
	       "    0.000000050:                 5\n    0.000000055:                 b\n"
	       "    0.000000060:                 7\n    0.000000060:                 9\n");
	test.values.read.filter.time = "0%-50%";
	expect(&test, "ip",
	       "                0\n                2\n                3\n                6\n");
	test.values.read.filter.time = "0.00000003,0.00000004";
	expect(&test, "ip", "                3\n                6\n                1\n");
	finish(&test);
}

/* Who knows the places of one run does not know those of the next. */
static void test_hashes(void **state)
{
	enum { PLACES = 256, NR = 64 };
	bool is_word_at[PLACES] = { false }, is_text_at[PLACES] = { false };
	const uint64_t seed = UINT64_C(0x2545f4914f6cdd1d), other = UINT64_C(0x9fb21c651e98df25);
	unsigned int nr_words = 0, nr_texts = 0, words = 0, texts = 0;

	(void)state;
	for (uint64_t value = 0; nr_words < NR || nr_texts < NR; value++) {
		uint64_t word = xp_hash_word(seed, value) % PLACES;
		uint64_t text = xp_hash_bytes(seed, &value, sizeof(value)) % PLACES;

		if (!word && nr_words++ < NR)
			is_word_at[xp_hash_word(other, value) % PLACES] = true;
		if (!text && nr_texts++ < NR)
			is_text_at[xp_hash_bytes(other, &value, sizeof(value)) % PLACES] = true;
	}
	for (int i = 0; i < PLACES; i++) {
		words += is_word_at[i];
		texts += is_text_at[i];
	}
	assert_true(words > NR / 2);
	assert_true(texts > NR / 2);
}

/* Of equal times, what is before a COMM or a map in the file has the name and the map of before. */
static void test_equal_times(void **state)
{
	struct test test;

	(void)state;
	start(&test, SOFTWARE, 0, BASIC);
	add_comm(&test, "old");
	add_map(&test, "/bin/old");
	put(&test, (struct xp_sample){
			   .size = sizeof(struct xp_sample), .id.time_ns = 1, .ip = 0x400000 });
	add_comm(&test, "new");
	put(&test, (struct xp_sample){
			   .size = sizeof(struct xp_sample), .id.time_ns = 1, .ip = 0x400000 });
	add_map(&test, "/bin/new");
	put(&test, (struct xp_sample){
			   .size = sizeof(struct xp_sample), .id.time_ns = 1, .ip = 0x400000 });
	put(&test, (struct xp_sample){
			   .size = sizeof(struct xp_sample), .id.time_ns = 2, .ip = 0x400000 });
	test.values.ns = true;
	expect(&test, "comm,time,ip,dso",
	       "             old     0.000000001:            400000 (/bin/old)\n"
	       "             new     0.000000001:            400000 (/bin/old)\n"
	       "             new     0.000000001:            400000 (/bin/new)\n"
	       "             new     0.000000002:            400000 (/bin/new)\n");
	finish(&test);
}

/* Threads that inherit an event have counters of their own under its id. What a counter says less
 * than before is that of another thread, or came late; what was not counted is no sample. */
static void test_readings(void **state)
{
	enum { READ = 1 << 4, FORMAT_ID = 4, FORMAT_GROUP = 8 };
	static const struct {
		int32_t tid;
		uint64_t value;
	} rows[] = {
		{ 8, 1000 }, { 9, 10 },   { 8, 1500 }, { 9, 30 }, { 9, 30 },
		{ 8, 2100 }, { 8, 2050 }, { 8, 2200 }, { 9, 5 },
	};
	struct test test;

	(void)state;
	start_as(&test, &(struct xp_attr){ .type = SOFTWARE,
					   .sample_type = BASIC | READ,
					   .read_format = FORMAT_ID | FORMAT_GROUP,
					   .inherit = 1 });
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t read[] = { 1, rows[i].value, made_ids[0][0] };

		put(&test, (struct xp_sample){ .size = sizeof(struct xp_sample),
					       .id.time_ns = i + 1,
					       .id.tid = rows[i].tid,
					       .read = read,
					       .nr_read_words = 3 });
	}
	expect(&test, "tid,period",
	       "    8       1000 \n    9         10 \n    8        500 \n    9         20 \n"
	       "    8        600 \n    8        100 \n    9          5 \n");
	finish(&test);
}

/* Branches of a call stack are the user's part of the call chain; without any, and in the kernel
 * alone, the chain stays as it is. */
static void test_lbr(void **state)
{
	enum { CHAIN = 1 << 5, USER = 1, CALL_STACK = 1 << 11 };
	static const struct xp_branch branches[] = { { 0x400300, 0x400200, 0 },
						     { 0x400500, 0x400310, 0 } };
	static const uint64_t chain[] = { XP_CONTEXT_KERNEL, 0xffffffff81000010, XP_CONTEXT_USER,
					  0x400204, 0x7fff0000 };
	struct test test;

	(void)state;
	start_as(&test, &(struct xp_attr){ .type = SOFTWARE,
					   .sample_type = BASIC | CHAIN | BRANCHES,
					   .branch_sample_type = USER | CALL_STACK });
	add_comm(&test, "stack");
	add_map(&test, "/bin/stack");
	for (size_t nr_branches = 0; nr_branches < 3; nr_branches += 2)
		for (size_t nr = 2; nr < 6; nr += 3)
			put(&test, (struct xp_sample){ .size = sizeof(struct xp_sample),
						       .id.time_ns = 2,
						       .ip = 0x400204,
						       .callchain = chain,
						       .nr_callchain = nr,
						       .branches = branches,
						       .nr_branches = nr_branches });
	expect(&test, "ip",
	       "\n\tffffffff81000010\n\n"
	       "\n\tffffffff81000010\n\t          400204\n\t        7fff0000\n\n"
	       "\n\tffffffff81000010\n\n"
	       "\n\tffffffff81000010\n\t          400200\n\t          400300\n"
	       "\t          400500\n\n");
	finish(&test);
}

static void test_escapes(void **state)
{
	struct test test;

	(void)state;
	start(&test, SOFTWARE, 0, BASIC);
	add_comm(&test, "\033[2J\a\200x");
	add_map(&test, "/\033]0;title\a\n");
	put(&test, (struct xp_sample){
			   .size = sizeof(struct xp_sample), .id.time_ns = 5, .ip = 0x400000 });
	expect(&test, "comm,ip,dso",
	       "  \\033[2J\\a\\200x            400000 (/\\033]0;title\\a\\n)\n");
	test.values.show_mmap = test.values.show_task = true;
	assert_int_equal(print(&test, NULL), 0);
	assert_null(strchr(test.text, '\033'));
	assert_null(strchr(test.text, '\a'));
	test.values.json = true;
	assert_int_equal(print(&test, NULL), 0);
	assert_null(strchr(test.text, '\033'));
	assert_non_null(strstr(test.text, "\"comm\":\"\\u001b[2J\\u0007\\ufffdx\""));
	finish(&test);
}

/* A stream that has samples and no event. */
static void test_no_events(void **state)
{
	struct {
		uint64_t magic, size;
		struct {
			struct xp_record header;
			uint64_t words[4];
		} samples[20];
	} stream = { 0x32454c4946524550ULL, 16, { { { 0, 0, 0 }, { 0 } } } };
	struct test test;

	(void)state;
	start(&test, SOFTWARE, 0, BASIC);
	put(&test,
	    (struct xp_sample){ .size = sizeof(struct xp_sample), .id.time_ns = 5, .ip = 1 });
	expect(&test, "ip", "                1\n");
	for (size_t i = 0; i < sizeof(stream.samples) / sizeof(stream.samples[0]); i++)
		stream.samples[i].header =
			(struct xp_record){ XP_RECORD_SAMPLE, 0, sizeof(stream.samples[0]) };
	bytes_to_file(test.r.path, &stream, sizeof(stream));
	print(&test, NULL);
	assert_string_equal(test.text, "");
	finish(&test);
}

/* A name that no line has room for. */
static void test_long_name(void **state)
{
	struct test test;
	char name[120], line[200];

	(void)state;
	memset(name, 'n', sizeof(name));
	struct {
		uint32_t pid, tid;
		char comm[128];
	} comm = { 7, 8, "" };
	memcpy(comm.comm, name, sizeof(name));
	start(&test, SOFTWARE, 0, BASIC);
	add(&test, XP_RECORD_COMM, 0, 1, &comm, sizeof(comm));
	put(&test,
	    (struct xp_sample){ .size = sizeof(struct xp_sample), .id.time_ns = 5, .ip = 1 });
	snprintf(line, sizeof(line), "%.120s                 1\n", name);
	expect(&test, "comm,ip", line);
	finish(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branches),        cmocka_unit_test(test_branch_code),
		cmocka_unit_test(test_branch_code_odd), cmocka_unit_test(test_branch_code_of_calls),
		cmocka_unit_test(test_memory),          cmocka_unit_test(test_counters_of_branches),
		cmocka_unit_test(test_control_groups),  cmocka_unit_test(test_bpf_output),
		cmocka_unit_test(test_side_band),       cmocka_unit_test(test_order),
		cmocka_unit_test(test_hashes),          cmocka_unit_test(test_equal_times),
		cmocka_unit_test(test_readings),        cmocka_unit_test(test_lbr),
		cmocka_unit_test(test_escapes),         cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_no_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
