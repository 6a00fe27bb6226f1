/* SPDX-License-Identifier: MIT */
/*
 * The functions that <xperf/symtab.h> finds are those that perf script shows, for every sample of a
 * recording made here; or of $XPERF_SYMTAB_DATA.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/symtab.h>

#define FIELDS "-F pid,ip,sym,symoff,dso"

/* Executable maps, in the order of the file. */
struct map {
	int pid;
	unsigned long long start, len, offset;
	char path[256];
};

static struct map maps[4096];
static size_t nr_maps;

static void add_map(const char *line)
{
	struct map *map = &maps[nr_maps];
	const char *type = strstr(line, "PERF_RECORD_MMAP2 ");
	char protection[8];

	if (!type || nr_maps == sizeof(maps) / sizeof(maps[0]))
		return;
	if (sscanf(type,
		   "PERF_RECORD_MMAP2 %d/%*d: [0x%llx(0x%llx) @ %lli %*s %*s %*[^]]]: %7s %255s",
		   &map->pid, &map->start, &map->len, (long long *)&map->offset, protection,
		   map->path) == 6)
		nr_maps++;
}

/* What a process has at an address; a child has what its parent had. */
static const struct map *map_at(int pid, unsigned long long ip, const char *dso)
{
	const struct map *found = NULL;

	for (size_t i = 0; i < nr_maps; i++)
		if (ip >= maps[i].start && ip - maps[i].start < maps[i].len &&
		    !strcmp(maps[i].path, dso) && (!found || maps[i].pid == pid))
			found = &maps[i];
	return found;
}

struct tally {
	size_t nr, nr_named, nr_differ;
};

/* A stub of an indirect function has an empty name with perf 6.1, that of objdump(1) here. */
static bool is_nameless_stub(const char *perf, const char *ours)
{
	const char *plt = strstr(ours, "@plt+");

	return plt && !strncmp(ours, "*ABS*+", 6) && !strcmp(plt, perf);
}

/* perf names a function and how far it is in; or "[unknown]", where we may know more. */
static void compare(struct xp_symbols *symbols, const char *dso, uint64_t offset, const char *perf,
		    struct tally *tally)
{
	struct xp_symtab *symtab;
	struct xp_function function;
	char ours[4096] = "[unknown]";

	assert_int_equal(xp_symbols_open(symbols, dso, NULL, 0, &symtab), 0);
	uint64_t address = xp_symtab_address(symtab, offset);
	if (xp_symtab_find(symtab, address, &function))
		snprintf(ours, sizeof(ours), "%s+0x%llx", function.name,
			 (unsigned long long)(address - function.start));
	tally->nr++;
	if (!strcmp(perf, "[unknown]"))
		return;
	tally->nr_named++;
	if (!strcmp(ours, perf) || is_nameless_stub(perf, ours))
		return;
	tally->nr_differ++;
	printf("%s %#llx: perf has %s, here it is %s\n", dso, (unsigned long long)offset, perf,
	       ours);
}

/* " 123  7f12 name+0x10 (/path)": the name may hold anything. */
static void check_sample(struct xp_symbols *symbols, char *line, struct tally *tally)
{
	unsigned long long ip;
	int pid, at = 0;
	char *dso = strrchr(line, '(');

	if (!dso || sscanf(line, "%d %llx %n", &pid, &ip, &at) != 2 || !at || dso[-1] != ' ')
		return;
	dso[-1] = '\0';
	dso++;
	dso[strcspn(dso, ")\n")] = '\0';
	const struct map *map = map_at(pid, ip, dso);
	if (!strncmp(dso, "[kernel", 7))
		compare(symbols, dso, ip, line + at, tally);
	else if (map)
		compare(symbols, dso, ip - map->start + map->offset, line + at, tally);
}

static struct tally compare_all(const char *path)
{
	char command[512], line[8192];
	struct xp_ctx *ctx = NULL;
	struct xp_symbols *symbols = NULL;
	struct tally tally = { 0 };

	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_symbols_new(ctx, NULL, &symbols), 0);
	snprintf(command, sizeof(command),
		 "perf script --no-inline --show-mmap-events " FIELDS " -i %s 2>/dev/null", path);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe))
		if (strstr(line, "PERF_RECORD_"))
			add_map(line);
		else
			check_sample(symbols, line, &tally);
	pclose(pipe);
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	return tally;
}

static void every_sample_has_perf_s_name(void **state)
{
	const char *path = getenv("XPERF_SYMTAB_DATA");
	char own[] = "/tmp/xperf-symtab-perf-XXXXXX", command[512];
	int fd = -1;

	(void)state;
	if (!path) {
		fd = mkstemp(own);
		assert_true(fd >= 0);
		snprintf(
			command, sizeof(command),
			"perf record -q -B -o %s -F 4999 -e cpu-clock -- sh -c 'ls -lR /usr/share/doc "
			"/etc; find /usr/lib -name \"x*\" | sort; gzip -c /usr/bin/perf' "
			">/dev/null 2>&1",
			own);
		if (system(command)) {
			puts("perf cannot record here");
			skip();
		}
		path = own;
	}
	struct tally tally = compare_all(path);
	if (fd >= 0) {
		close(fd);
		unlink(own);
	}
	printf("%zu samples, %zu that perf has a name for, %zu differ\n", tally.nr, tally.nr_named,
	       tally.nr_differ);
	assert_int_equal(tally.nr_differ, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_has_perf_s_name),
	};

	if (system("perf version >/dev/null 2>&1")) {
		puts("perf is not installed");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
