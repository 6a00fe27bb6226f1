/* SPDX-License-Identifier: MIT */
/*
 * Makes a recording with one table of any size, and a sample for each entry of it; or a small one
 * in which every name is hostile.
 *
 * Usage: grow ids|maps|names|modules|segments|symbols|threads|cgroups|alike NUMBER FILE
 *        grow hostile 1 FILE
 * "alike" are samples of one moment and place, compressed: a few bytes of the file hold thousands.
 * Beside FILE of "segments" and "symbols" is the program they are of: FILE.elf. Names that are
 * hostile are those in the environment variable HOSTILE.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

enum {
	IP = 1,
	TID = 2,
	TIME = 4,
	CPU = 128,
	PERIOD = 256,
	CGROUP = 1 << 21,
	IDENTIFIER = 1 << 16,
	SOFTWARE = 1,
	PAGE = 4096,
	FUNCTION = 64, /* bytes */
};

static const uint64_t base = UINT64_C(0x10000000);
static struct xp_attr attr = {
	.type = SOFTWARE,
	.size = 136,
	.sample_period = 1,
	.sample_type = IP | TID | TIME | CPU | PERIOD | IDENTIFIER,
	.sample_id_all = 1,
};
static struct xp_ctx *ctx;
static struct xp_data_writer *writer;
static uint64_t time_ns = 1000000;

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "grow: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

/* Records go to the file in blocks, as those of a recorder do. */
static char block[1 << 20];
static size_t block_len;

static void flush(void)
{
	if (block_len)
		check(xp_data_writer_write(writer, block, block_len, true), "write");
	block_len = 0;
}

static void add(const void *record, size_t len)
{
	if (sizeof(block) - block_len < len)
		flush();
	memcpy(block + block_len, record, len);
	block_len += len;
}

/* A record of a body and a text, both of which may be empty, with its trailer. */
static void put(uint32_t type, uint16_t misc, const void *body, size_t len, const char *text)
{
	static union {
		struct xp_record header;
		char bytes[8192];
	} record;
	size_t text_len = text ? (strlen(text) + 8) / 8 * 8 : 0, at = sizeof(record.header);
	struct xp_sample_id id = { 1, 1, time_ns += 1000, 1, 0, 0 };

	memset(&record, 0, sizeof(record));
	memcpy(record.bytes + at, body, len);
	at += len;
	memcpy(record.bytes + at, text ? text : "", text ? strlen(text) : 0);
	at += text_len;
	xp_sample_id_encode(&id, &attr, record.bytes + at);
	at += xp_sample_id_bytes(&attr);
	record.header = (struct xp_record){ type, misc, (uint16_t)at };
	add(&record, at);
}

static void sample(uint64_t id, int32_t tid, uint16_t mode, uint64_t ip, uint64_t cgroup)
{
	static uint64_t record[64];
	struct xp_sample sample = {
		.size = sizeof(sample),
		.id = { .pid = 1, .tid = tid, .time_ns = time_ns += 1000, .id = id },
		.ip = ip,
		.period = 1,
		.cgroup = cgroup,
	};
	int len = xp_sample_encode(&sample, &attr, record, sizeof(record));

	check(len < 0 ? len : 0, "encode");
	((struct xp_record *)(void *)record)->misc = mode;
	add(record, (size_t)len);
}

static void map(uint16_t mode, uint64_t start, uint64_t len, const char *name)
{
	const struct {
		uint32_t pid, tid;
		uint64_t start, len, offset;
	} body = { mode == XP_MISC_KERNEL ? UINT32_MAX : 1, 1, start, len, 0 };

	put(XP_RECORD_MMAP, mode, &body, sizeof(body), name);
}

static void comm(uint32_t tid, const char *name)
{
	const uint32_t body[] = { 1, tid };

	put(XP_RECORD_COMM, 0, body, sizeof(body), name);
}

static void cgroup(uint64_t id, const char *path)
{
	put(XP_RECORD_CGROUP, 0, &id, sizeof(id), path);
}

/* --- programs --- */

static FILE *elf_begin(const char *path, uint16_t nr_segments, uint64_t sections_at, uint16_t nr)
{
	char name[4096];
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(header),
			      .e_shoff = sections_at,
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = nr_segments,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = nr };

	snprintf(name, sizeof(name), "%s.elf", path);
	FILE *file = fopen(name, "w");
	if (!file)
		check(-1, name);
	fwrite(&header, sizeof(header), 1, file);
	return file;
}

static void make_segments(const char *path, uint64_t nr)
{
	uint16_t some = nr < UINT16_MAX ? (uint16_t)nr : UINT16_MAX - 1;
	FILE *file = elf_begin(path, some, 0, 0);

	for (uint64_t i = 0; i < some; i++) {
		Elf64_Phdr segment = { .p_type = PT_LOAD,
				       .p_flags = PF_X,
				       .p_offset = i * PAGE,
				       .p_vaddr = i * PAGE,
				       .p_filesz = PAGE,
				       .p_memsz = PAGE };

		fwrite(&segment, sizeof(segment), 1, file);
	}
	fclose(file);
}

static void make_symbols(const char *path, uint64_t nr)
{
	enum { NAME = 24 };
	const uint64_t names_at = sizeof(Elf64_Ehdr), table_at = names_at + nr * NAME;
	const uint64_t sections_at = table_at + nr * sizeof(Elf64_Sym);
	const Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = nr * NAME },
		{ .sh_type = SHT_SYMTAB,
		  .sh_offset = table_at,
		  .sh_size = nr * sizeof(Elf64_Sym),
		  .sh_entsize = sizeof(Elf64_Sym),
		  .sh_link = 1 },
	};
	FILE *file = elf_begin(path, 0, sections_at, 3);
	char name[32];

	for (uint64_t i = 0; i < nr; i++) {
		memset(name, 0, sizeof(name));
		snprintf(name, sizeof(name), "function_%llu", (unsigned long long)i);
		fwrite(name, NAME, 1, file);
	}
	for (uint64_t i = 0; i < nr; i++) {
		Elf64_Sym symbol = { .st_name = (uint32_t)(i * NAME),
				     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				     .st_shndx = 1,
				     .st_value = i * FUNCTION,
				     .st_size = FUNCTION };

		fwrite(&symbol, sizeof(symbol), 1, file);
	}
	fwrite(sections, sizeof(sections), 1, file);
	fclose(file);
}

/* --- tables --- */

static void ids(uint64_t i, const char *name)
{
	(void)name;
	sample(i + 1, 1, XP_MISC_USER, base, 0);
}

static void maps(uint64_t i, const char *name)
{
	map(XP_MISC_USER, base + i * PAGE, PAGE, name);
	sample(1, 1, XP_MISC_USER, base + i * PAGE, 0);
}

static void names(uint64_t i, const char *name)
{
	(void)i;
	comm(1, name);
	sample(1, 1, XP_MISC_USER, base, 0);
}

static void modules(uint64_t i, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "[%s]", name + 1);
	map(XP_MISC_KERNEL, UINT64_C(0xffffffffc0000000) + i * PAGE % (1 << 29), PAGE, text);
	sample(1, 1, XP_MISC_KERNEL, UINT64_C(0xffffffffc0000000) + i * PAGE % (1 << 29), 0);
}

static void addresses(uint64_t i, const char *name)
{
	(void)name;
	sample(1, 1, XP_MISC_USER, base + i * FUNCTION, 0);
}

static void threads(uint64_t i, const char *name)
{
	comm((uint32_t)i + 2, name);
	sample(1, (int32_t)i + 2, XP_MISC_USER, base, 0);
}

static void cgroups(uint64_t i, const char *name)
{
	cgroup(i + 1, name);
	sample(1, 1, XP_MISC_USER, base, i + 1);
}

static void alike(uint64_t i, const char *name)
{
	(void)i, (void)name;
	time_ns = 1000000;
	sample(1, 1, XP_MISC_USER, base, 0);
}

static const struct {
	const char *name;
	void (*add)(uint64_t i, const char *name);
	void (*make)(const char *path, uint64_t nr);
	uint64_t sample_type;
	int compress_level;
} tables[] = {
	{ "ids", ids, NULL, 0, 0 },
	{ "maps", maps, NULL, 0, 0 },
	{ "names", names, NULL, 0, 0 },
	{ "modules", modules, NULL, 0, 0 },
	{ "segments", addresses, make_segments, 0, 0 },
	{ "symbols", addresses, make_symbols, 0, 0 },
	{ "threads", threads, NULL, 0, 0 },
	{ "cgroups", cgroups, NULL, CGROUP, 0 },
	{ "alike", alike, NULL, 0, 1 },
};

/* --- hostile --- */

static char feature[65536];
static size_t feature_len;

static void word(uint64_t value, size_t bytes)
{
	memcpy(feature + feature_len, &value, bytes);
	feature_len += bytes;
}

static void text(const char *string)
{
	size_t room = (strlen(string) + 64) / 64 * 64;

	word(room, 4);
	strcpy(feature + feature_len, string);
	feature_len += room;
}

static void end_feature(enum xp_feature which)
{
	check(xp_data_writer_add_feature(writer, which, feature, feature_len), "feature");
	memset(feature, 0, feature_len);
	feature_len = 0;
}

/* What each feature holds besides texts: 't' a text, '4' and '8' a number, 1. */
static const struct {
	enum xp_feature which;
	const char *layout;
} features[] = {
	{ XP_FEATURE_HOSTNAME, "t" },
	{ XP_FEATURE_OSRELEASE, "t" },
	{ XP_FEATURE_VERSION, "t" },
	{ XP_FEATURE_ARCH, "t" },
	{ XP_FEATURE_NRCPUS, "44" },
	{ XP_FEATURE_CPUDESC, "t" },
	{ XP_FEATURE_CPUID, "t" },
	{ XP_FEATURE_CMDLINE, "4t" },
	{ XP_FEATURE_CPU_TOPOLOGY, "4t4t444t" },
	{ XP_FEATURE_NUMA_TOPOLOGY, "4488t" },
	{ XP_FEATURE_PMU_MAPPINGS, "44t" },
	{ XP_FEATURE_CACHE, "444444ttt" },
	{ XP_FEATURE_CPU_PMU_CAPS, "4tt" },
	{ XP_FEATURE_HYBRID_TOPOLOGY, "4tt" },
	{ XP_FEATURE_PMU_CAPS, "44ttt" },
};

static void add_features(const char *name)
{
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		for (const char *at = features[i].layout; *at; at++)
			if (*at == 't')
				text(name);
			else
				word(1, (size_t)(*at - '0'));
		end_feature(features[i].which);
	}
}

static void add_hostile(const char *name)
{
	char path[512], module[512];

	snprintf(path, sizeof(path), "/%s", name);
	snprintf(module, sizeof(module), "[%s]", name);
	comm(1, name);
	cgroup(1, path);
	map(XP_MISC_USER, base, PAGE, path);
	map(XP_MISC_USER, base + PAGE, PAGE, name);
	map(XP_MISC_KERNEL, UINT64_C(0xffffffffc0000000), PAGE, module);
	sample(1, 1, XP_MISC_USER, base, 1);
	sample(2, 1, XP_MISC_USER, base + PAGE, 1);
	sample(1, 1, XP_MISC_KERNEL, UINT64_C(0xffffffffc0000000), 1);
}

/* --- all --- */

static void start(const char *path, uint64_t nr_ids, const char *name, int compress_level)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts),
					    .path = path,
					    .compress_level = compress_level };
	uint64_t *all = calloc(nr_ids + 2, sizeof(*all));
	struct xp_diag diag = { 0 };

	for (uint64_t i = 0; all && i < nr_ids; i++)
		all[i] = i + 1;
	check(all ? xp_ctx_new(NULL, &ctx) : -1, "memory");
	check(xp_data_writer_open(ctx, &opts, &writer, &diag), path);
	struct xp_data_event event = { .size = sizeof(event),
				       .attr = attr,
				       .name = name ? name : "cpu-clock",
				       .scale = 1.0,
				       .unit = name,
				       .own_cpus = name ? "0" : NULL,
				       .group_name = name,
				       .ids = all,
				       .nr_ids = nr_ids };
	check(xp_data_writer_add_event(writer, &event), "event");
	all[0] = nr_ids + 1;
	event.ids = all;
	event.nr_ids = 1;
	event.leader = name ? 0 : 1;
	event.group_name = NULL;
	check(xp_data_writer_add_event(writer, &event), "event");
	if (name)
		add_features(name);
	check(xp_data_writer_start(writer, &diag), path);
	free(all);
}

static void finish(void)
{
	flush();
	check(xp_data_writer_finish(writer, NULL), "finish");
	xp_data_writer_free(writer);
	xp_ctx_free(ctx);
}

int main(int argc, char **argv)
{
	const char *name = getenv("HOSTILE");
	uint64_t nr = argc == 4 ? strtoull(argv[2], NULL, 0) : 0;
	char text[64], elf[4096];

	if (!nr)
		return 2;
	if (!strcmp(argv[1], "hostile")) {
		attr.sample_type |= CGROUP;
		start(argv[3], 1, name ? name : "\033[31m\xe2\x80\xae", 0);
		add_hostile(name ? name : "\033[31m\xe2\x80\xae");
		finish();
		return 0;
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (strcmp(argv[1], tables[i].name) != 0)
			continue;
		attr.sample_type |= tables[i].sample_type;
		start(argv[3], tables[i].add == ids ? nr : 1, NULL, tables[i].compress_level);
		snprintf(elf, sizeof(elf), "%s.elf", argv[3]);
		if (tables[i].make) {
			tables[i].make(argv[3], nr);
			map(XP_MISC_USER, base, nr * PAGE, elf);
		}
		for (uint64_t n = 0; n < nr; n++) {
			snprintf(text, sizeof(text), "/name_%llu", (unsigned long long)n);
			tables[i].add(n, text);
		}
		finish();
		return 0;
	}
	return 2;
}
