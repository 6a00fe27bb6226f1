/* SPDX-License-Identifier: MIT */
/* xp_symbols_renew(): which files are opened again for the next recording, and which tables are
 * forgotten. What is opened the kernel tells (inotify(7)). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <xperf/ctx.h>
#include <xperf/symtab.h>

#include "lasting.h"
#include "put-file.h"
#include "unit/elf-files.h"

enum { UNUSED_ROUNDS = 16, UNUSED_TABLES = 64, MADE_ROUNDS = 64 };

static const char command[] = "program=\"$SRC/main.c $SRC/other.c\"; "
			      "$CC -O0 -g -pie -fPIE -Wl,--build-id=sha1 -o app $program && "
			      "$CC -O1 -pie -fPIE -Wl,--build-id=sha1 -o changed $program && "
			      "readelf -n app | sed -n 's/.*Build ID: //p' >id && "
			      "mkdir root && cp app root/now";

static struct xp_ctx *ctx;
static uint8_t id[20];
static int watch; /* of root/ */

/* Files in root/ that were opened since it was called last. */
static int nr_opened(void)
{
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	int nr = 0;
	ssize_t len;

	while ((len = read(watch, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < len;) {
			const struct inotify_event *event = (const void *)(buf + at);

			nr += event->len > 0;
			at += (ssize_t)(sizeof(*event) + event->len);
		}
	return nr;
}

static void shell(const char *line)
{
	char full[256];

	snprintf(full, sizeof(full), "cd %s && %s", elf_dir, line);
	assert_int_equal(system(full), 0);
	nr_opened();
}

static struct xp_symbols *symbols_new(void)
{
	const struct xp_symbols_opts opts = { .size = sizeof(opts), .debug_dir = "/nowhere" };
	struct xp_symbols *symbols = NULL;

	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	nr_opened();
	return symbols;
}

static struct xp_symtab *open_file(struct xp_symbols *symbols, const char *path, bool with_id)
{
	struct xp_symtab *symtab = NULL;

	assert_int_equal(xp_symbols_open(symbols, path, with_id ? id : NULL, sizeof(id), &symtab),
			 0);
	return symtab;
}

/* A recording in which one file is asked for. */
static void read_one(struct xp_symbols *symbols, const char *path)
{
	xp_symbols_renew(symbols);
	xp_symtab_close(open_file(symbols, path, false));
}

static void assert_leaf(struct xp_symtab *symtab, uint64_t address)
{
	struct xp_function function;

	assert_int_equal(xp_symtab_get_state(symtab), XP_SYMTAB_FOUND);
	assert_int_equal(xp_symtab_find(symtab, address, &function), 1);
	assert_string_equal(function.name, "leaf");
	assert_int_equal(function.start, address);
}

static void files_are_opened_once(void **state)
{
	uint64_t leaf = elf_listed("app", "leaf");
	struct xp_symbols *symbols = symbols_new();
	struct xp_symtab *first = NULL;
	const struct xp_line *lines;

	(void)state;
	for (int round = 0; round < 5; round++) {
		xp_symbols_renew(symbols);
		struct xp_symtab *symtab = open_file(symbols, elf_path("root/now"), true);

		assert_leaf(symtab, leaf);
		assert_true(xp_symtab_lines(symtab, leaf, &lines) > 0);
		if (!round)
			assert_true(nr_opened() > 0);
		else
			assert_int_equal(nr_opened(), 0);
		assert_true(!first || symtab == first);
		first = symtab;
		xp_symtab_close(symtab);
	}
	xp_symbols_free(symbols);
}

/* In whatever way it is replaced; whoever still has the old table can go on with it. */
static void a_replaced_file_is_noticed(void **state)
{
	static const char *const ways[] = { "cp changed new && mv new root/now",
					    "cat changed >root/now" };
	uint64_t before = elf_listed("app", "leaf"), after = elf_listed("changed", "leaf");

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct xp_symbols *symbols = symbols_new();

		shell("cp app root/now");
		xp_symbols_renew(symbols);
		struct xp_symtab *old = open_file(symbols, elf_path("root/now"), false);
		struct xp_symtab *right = open_file(symbols, elf_path("root/now"), true);
		assert_leaf(old, before);
		assert_leaf(right, before);
		xp_symtab_close(right);
		shell(ways[i]);
		xp_symbols_renew(symbols);
		struct xp_symtab *new = open_file(symbols, elf_path("root/now"), false);
		assert_leaf(new, after);
		assert_ptr_equal(open_file(symbols, elf_path("root/now"), false), new);
		right = open_file(symbols, elf_path("root/now"), true);
		assert_int_equal(xp_symtab_get_state(right), XP_SYMTAB_OTHER_FILE);
		assert_leaf(old, before);
		xp_symtab_close(old);
		shell("rm root/now");
		xp_symbols_renew(symbols);
		new = open_file(symbols, elf_path("root/now"), false);
		assert_int_equal(xp_symtab_get_state(new), XP_SYMTAB_NO_FILE);
		/* what was not found is looked for again */
		shell("cp app root/now");
		xp_symbols_renew(symbols);
		assert_leaf(open_file(symbols, elf_path("root/now"), false), before);
		xp_symbols_free(symbols);
	}
}

static void what_a_compiler_adds_is_found(void **state)
{
	struct xp_symbols *symbols = symbols_new();
	struct xp_function function;

	(void)state;
	put_file(elf_dir, "1000 10 one\n", "/root/perf-7.map");
	read_one(symbols, elf_path("root/perf-7.map"));
	put_file(elf_dir, "1000 10 one\n2000 10 two\n", "/root/perf-7.map");
	xp_symbols_renew(symbols);
	struct xp_symtab *map = open_file(symbols, elf_path("root/perf-7.map"), false);
	assert_int_equal(xp_symtab_find(map, 0x2004, &function), 1);
	assert_string_equal(function.name, "two");
	nr_opened();
	read_one(symbols, elf_path("root/perf-7.map"));
	assert_int_equal(nr_opened(), 0);
	/* with a dump, always: its times say little */
	xp_symbols_renew(symbols);
	assert_int_equal(xp_symbols_add_jitdump(symbols, 7, elf_path("root/jit-7.dump")), 0);
	open_file(symbols, elf_path("root/perf-7.map"), false);
	assert_int_equal(nr_opened(), 1);
	xp_symbols_free(symbols);
}

static bool has_function(struct xp_symbols *symbols, const char *path, uint64_t address)
{
	struct xp_function function;

	return xp_symtab_find(open_file(symbols, path, false), address, &function);
}

static void modules_that_are_loaded_are_found(void **state)
{
	static const char one[] = "ffffffff81000000 T _text\nffffffff81000100 T work\n"
				  "ffffffffc0201040 t first\t[one]\n";
	static const char two[] = "ffffffff81000000 T _text\nffffffff81000100 T work\n"
				  "ffffffffc0201040 t first\t[one]\n"
				  "ffffffffc0301040 t second\t[two]\n";
	struct xp_symbols *symbols;
	struct xp_ctx *other;
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = elf_path("machine") };
	const struct xp_symbols_opts all = { .size = sizeof(all), .debug_dir = "/nowhere" };

	(void)state;
	put_file(elf_dir, one, "/machine/proc/kallsyms");
	put_file(elf_dir, "one 4096 0 - Live 0xffffffffc0201000\n", "/machine/proc/modules");
	assert_int_equal(xp_ctx_new(&opts, &other), 0);
	assert_int_equal(xp_symbols_new(other, &all, &symbols), 0);
	xp_symbols_renew(symbols);
	struct xp_symtab *kernel = open_file(symbols, "[kernel.kallsyms]", false);
	assert_true(has_function(symbols, "[kernel.kallsyms]", 0xffffffff81000104));
	assert_true(has_function(symbols, "[one]", 0x44));
	assert_false(has_function(symbols, "[two]", 0x44));
	xp_symbols_renew(symbols);
	assert_ptr_equal(open_file(symbols, "[kernel.kallsyms]", false), kernel);
	put_file(elf_dir, two, "/machine/proc/kallsyms");
	put_file(elf_dir,
		 "one 4096 0 - Live 0xffffffffc0201000\ntwo 4096 0 - Live 0xffffffffc0301000\n",
		 "/machine/proc/modules");
	xp_symbols_renew(symbols);
	assert_true(has_function(symbols, "[two]", 0x44));
	assert_true(has_function(symbols, "[one]", 0x44));
	assert_true(has_function(symbols, "[kernel.kallsyms]", 0xffffffff81000104));
	/* whoever has the table of before */
	struct xp_function function;
	assert_int_equal(xp_symtab_find(kernel, 0xffffffff81000104, &function), 1);
	assert_string_equal(function.name, "work");
	xp_symbols_free(symbols);
	xp_ctx_free(other);
}

static void unused_tables_are_forgotten(void **state)
{
	struct xp_symbols *symbols = symbols_new();

	(void)state;
	read_one(symbols, elf_path("root/now"));
	for (int round = 1; round < UNUSED_ROUNDS; round++)
		xp_symbols_renew(symbols);
	nr_opened();
	read_one(symbols, elf_path("root/now"));
	assert_int_equal(nr_opened(), 0);
	for (int round = 0; round < UNUSED_ROUNDS + 1; round++)
		xp_symbols_renew(symbols);
	read_one(symbols, elf_path("root/now"));
	assert_true(nr_opened() > 0);
	xp_symbols_free(symbols);
}

/* As many as a recording asks for, but not more than a few that it does not ask for. */
static void many_unused_tables_are_forgotten_sooner(void **state)
{
	static const int numbers[] = { UNUSED_TABLES, UNUSED_TABLES + 1 };
	struct xp_symbols *symbols = symbols_new();
	char name[64];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		xp_symbols_renew(symbols);
		for (int n = 0; n < numbers[i]; n++) {
			snprintf(name, sizeof(name), "root/%zu-%d", i, n);
			assert_int_equal(link(elf_path("app"), elf_path(name)), 0);
		}
		for (int n = 0; n < numbers[i]; n++) {
			snprintf(name, sizeof(name), "root/%zu-%d", i, n);
			xp_symtab_close(open_file(symbols, elf_path(name), false));
		}
		/* one that asks for others */
		xp_symbols_renew(symbols);
		xp_symbols_renew(symbols);
		nr_opened();
		xp_symtab_close(open_file(symbols, elf_path(name), false));
		assert_int_equal(nr_opened() > 0, i);
		for (int round = 0; round < UNUSED_ROUNDS + 2; round++)
			xp_symbols_renew(symbols);
	}
	xp_symbols_free(symbols);
}

/* What stat(2) does not show: a debug file that was installed. */
static void tables_are_made_anew_now_and_then(void **state)
{
	struct xp_symbols *symbols = symbols_new();
	int nr = 0;

	(void)state;
	for (int round = 0; round < 2 * MADE_ROUNDS; round++) {
		read_one(symbols, elf_path("root/now"));
		nr += nr_opened() > 0;
	}
	assert_int_equal(nr, 2);
	xp_symbols_free(symbols);
}

static int make(void **state)
{
	(void)state;
	if (!elf_files_make(command) || xp_ctx_new(NULL, &ctx))
		return 1;
	elf_read_id("id", id);
	return inotify_add_watch(watch, elf_path("root"), IN_OPEN) < 0;
}

static int unmake(void **state)
{
	(void)state;
	xp_ctx_free(ctx);
	elf_files_remove();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_opened_once),
		cmocka_unit_test(a_replaced_file_is_noticed),
		cmocka_unit_test(what_a_compiler_adds_is_found),
		cmocka_unit_test(modules_that_are_loaded_are_found),
		cmocka_unit_test(unused_tables_are_forgotten),
		cmocka_unit_test(many_unused_tables_are_forgotten_sooner),
		cmocka_unit_test(tables_are_made_anew_now_and_then),
	};

	if (!elf_is_read() || system("which nm readelf >/dev/null 2>&1")) {
		puts("there is no libelf, or there are no binutils");
		return 77;
	}
	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch < 0) {
		puts("the kernel does not tell which files are opened (inotify_init)");
		return 77;
	}
	return cmocka_run_group_tests(tests, make, unmake);
}
