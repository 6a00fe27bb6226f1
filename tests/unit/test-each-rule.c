/* SPDX-License-Identifier: MIT */
/* All rules of a file, beside those that are asked for one by one: of this program and its C
 * library, which has frames of signals, procedure linkage tables and code without descriptions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "each-rule.h"
#include "epilogue.h"
#include "unwind-impl.h"

struct checking {
	struct xp_unwind_file *file, *other; /* the same file; rules of one, one by one */
	const struct machine *machine;
	uint64_t end; /* of what came before */
	size_t nr, nr_equal, nr_kinds[RULE_ODD + 1];
};

static struct xp_ctx *ctx;
static struct xp_symbols *symbols;

static uint64_t offset_of(const struct xp_unwind_file *file, uint64_t address)
{
	for (size_t i = 0; i < file->nr_segments; i++)
		if (file->segments[i].is_executable &&
		    address - file->segments[i].address < file->segments[i].len)
			return address - file->segments[i].address + file->segments[i].offset;
	return UINT64_MAX;
}

/* A rule that is asked for at a place where a function may be interrupted. */
static void compare(struct checking *c, uint64_t address, const struct rule *rule)
{
	uint64_t offset = offset_of(c->file, address);

	if (offset == UINT64_MAX)
		return;
	struct rule one = xp_unwind_file_rule(c->other, c->machine, offset, false);
	/* Its code says something, if no section does. */
	if (rule->kind == RULE_NONE)
		return;
	struct rule expected = *rule;
	/* At the last instructions of a function, registers that were popped are not saved any
	 * more. */
	if (xp_rule_has_popped(c->machine, rule) && !xp_rule_has_popped(c->machine, &one)) {
		assert_int_equal(one.saved & ~rule->saved, 0);
		expected.saved = one.saved;
	}
	c->nr++;
	c->nr_equal += !memcmp(&one, &expected, sizeof(one));
	/* What is between functions is like what is before it; within the code that handlers
	 * return to, libdw evaluates what is one rule here. */
	if (one.kind != RULE_NONE && !one.is_signal)
		assert_memory_equal(&one, &expected, sizeof(one));
}

static int check(void *data, uint64_t start, uint64_t end, const struct rule *rule)
{
	struct checking *c = data;

	assert_true(start < end);
	if (c->end)
		assert_int_equal(start, c->end);
	c->end = end;
	c->nr_kinds[rule->kind]++;
	compare(c, start, rule);
	compare(c, end - 1, rule);
	return 0;
}

static int find_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	*(const char **)data = info->dlpi_name;
	return 1;
}

/* @other: the file whose single rules are compared. Returns false: this build or machine has no
 * rules. */
static bool check_files(const char *path, const char *other, struct checking *c)
{
	struct xp_unwind *one, *two;
	uint64_t address;

	*c = (struct checking){ .machine = xp_machine_find(EM_X86_64) };
	assert_int_equal(xp_unwind_new(symbols, NULL, &one), 0);
	assert_int_equal(xp_unwind_new(symbols, NULL, &two), 0);
	assert_int_equal(xp_unwind_open(one, path, NULL, 0, &c->file), 0);
	assert_int_equal(xp_unwind_open(two, other, NULL, 0, &c->other), 0);
	bool is_there = xp_unwind_file_place(c->file, 0x1000, &address);
	int err = xp_unwind_file_each_rule(c->file, check, c);
	if (err) {
		assert_int_equal(err, -ENOENT);
		assert_int_equal(c->nr, 0);
	}
	xp_unwind_file_forget(c->file);
	if (!err)
		assert_true(is_there);
	xp_unwind_free(one);
	xp_unwind_free(two);
	return !err;
}

static bool check_file(const char *path, struct checking *c)
{
	return check_files(path, path, c);
}

static void rules_are_those_of_single_addresses(void **state)
{
	struct checking c;

	(void)state;
	if (!check_file("/proc/self/exe", &c))
		skip();
	assert_true(c.nr_kinds[RULE_FRAME] > 100);
	assert_true(c.nr_kinds[RULE_END] > 0); /* _start */
	assert_true(c.nr_equal * 10 > c.nr * 9);
}

static void frames_of_signals_are_found(void **state)
{
	const char *path = NULL;
	struct checking c;

	(void)state;
	dl_iterate_phdr(find_libc, &path);
	if (!path || !check_file(path, &c))
		skip();
	assert_int_equal(c.nr_kinds[RULE_SIGNAL], 1);
	assert_true(c.nr_kinds[RULE_FRAME] > 1000);
}

/* Copies this program without a segment of its table, and with another name of a section. */
static void copy_without(const char *section, char path[PATH_MAX])
{
	FILE *file = fopen("/proc/self/exe", "rb");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size_t len = (size_t)ftell(file);
	rewind(file);
	char *all = malloc(len);
	assert_non_null(all);
	assert_int_equal(fread(all, 1, len, file), len);
	fclose(file);
	ElfW(Ehdr) head;
	memcpy(&head, all, sizeof(head));
	for (int i = 0; i < head.e_phnum; i++) {
		ElfW(Phdr) segment;
		char *at = all + head.e_phoff + (size_t)i * sizeof(segment);

		memcpy(&segment, at, sizeof(segment));
		if (segment.p_type == PT_GNU_EH_FRAME)
			memset(at, 0, sizeof(segment));
	}
	ElfW(Shdr) names;
	memcpy(&names, all + head.e_shoff + head.e_shstrndx * sizeof(names), sizeof(names));
	char *name = memmem(all + names.sh_offset, names.sh_size, section, strlen(section) + 1);
	assert_non_null(name);
	name[1] = 'x';
	strcpy(path, "/tmp/xperf-each-rule-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, all, len), (ssize_t)len);
	close(fd);
	free(all);
}

static void files_without_a_table_have_the_same_rules(void **state)
{
	char path[PATH_MAX];
	struct checking c;

	(void)state;
	copy_without(".eh_frame_hdr", path);
	bool has_rules = check_files(path, "/proc/self/exe", &c);
	unlink(path);
	if (!has_rules)
		skip();
	assert_true(c.nr_kinds[RULE_FRAME] > 100);
	assert_true(c.nr_equal * 10 > c.nr * 9);
}

static void code_that_nothing_describes_has_rules(void **state)
{
	char path[PATH_MAX];
	struct checking c;

	(void)state;
	copy_without(".eh_frame", path);
	bool has_rules = check_file(path, &c);
	unlink(path);
	if (!has_rules)
		skip();
	assert_true(c.nr_kinds[RULE_FRAME] > 100);
	assert_true(c.nr_equal * 10 > c.nr * 9);
}

static int stop(void *data, uint64_t start, uint64_t end, const struct rule *rule)
{
	(void)data, (void)start, (void)end, (void)rule;
	return -EINTR;
}

static void it_can_be_stopped(void **state)
{
	struct xp_unwind_file *file;
	struct xp_unwind *unwind;

	(void)state;
	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
	assert_int_equal(xp_unwind_open(unwind, "/proc/self/exe", NULL, 0, &file), 0);
	int err = xp_unwind_file_each_rule(file, stop, NULL);
	assert_true(err == -EINTR || err == -ENOENT);
	/* No file, no rules. */
	assert_int_equal(xp_unwind_open(unwind, "/nowhere", NULL, 0, &file), 0);
	assert_int_equal(xp_unwind_file_each_rule(file, stop, NULL), -ENOENT);
	xp_unwind_free(unwind);
}

static int set_up(void **state)
{
	(void)state;
	return xp_ctx_new(NULL, &ctx) ?: xp_symbols_new(ctx, NULL, &symbols);
}

static int tear_down(void **state)
{
	(void)state;
	xp_symbols_free(symbols);
	xp_ctx_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_those_of_single_addresses),
		cmocka_unit_test(frames_of_signals_are_found),
		cmocka_unit_test(files_without_a_table_have_the_same_rules),
		cmocka_unit_test(code_that_nothing_describes_has_rules),
		cmocka_unit_test(it_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
