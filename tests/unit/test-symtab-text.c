/* SPDX-License-Identifier: MIT */
/* Symbols from text: kallsyms with modules, hidden or of another kernel; the maps of JITs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/symtab.h>

#include "put-file.h"
#include "reference.h"
#include "remove-tree.h"

static char root[] = "/tmp/xperf-symtab-XXXXXX";
static struct xp_ctx *ctx;

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000000 t _a_longer_one\n"
			       "ffffffff81001000 T do_work\n"
			       "not a line\n"
			       "ffffffff81001100 t helper\n"
			       "ffffffff81001100 W weak_but_longer\n"
			       "ffffffff82000000 D a_variable\n"
			       "ffffffff82000100 r read_only\n"
			       "ffffffffc0201040 t ext4_first\t[ext4]\n"
			       "ffffffffc0201100 t ext4_read\t[ext4]\n"
			       "ffffffffc0200000 d ext4_data\t[ext4]\n"
			       "ffffffffc0301100 t other_read\t[other]";

/* A GNU build id note of 20 times a byte. */
static void put_notes(const char *path, int byte)
{
	char note[36] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU";
	char full[512];

	memset(note + 16, byte, 20);
	put_file(root, "", "%s", path);
	snprintf(full, sizeof(full), "%s%s", root, path);
	FILE *file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(note, 1, sizeof(note), file), sizeof(note));
	fclose(file);
}

static struct xp_symtab *open_with(const struct xp_symbols_opts *opts, const char *path, int byte,
				   struct xp_symbols **ret_symbols)
{
	struct xp_symbols_opts all = *opts;
	struct xp_symtab *symtab = NULL;
	char id[20], cache[64];

	memset(id, byte, sizeof(id));
	snprintf(cache, sizeof(cache), "%s/cache", root);
	all.size = sizeof(all);
	all.debug_dir = cache;
	assert_int_equal(xp_symbols_new(ctx, &all, ret_symbols), 0);
	assert_int_equal(xp_symbols_open(*ret_symbols, path, byte ? id : NULL, sizeof(id), &symtab),
			 0);
	return symtab;
}

static void assert_name(struct xp_symtab *symtab, uint64_t address, const char *name,
			uint64_t start)
{
	struct xp_function function;

	if (!name) {
		assert_int_equal(xp_symtab_find(symtab, address, &function), 0);
		return;
	}
	assert_int_equal(xp_symtab_find(symtab, address, &function), 1);
	assert_string_equal(function.name, name);
	assert_int_equal(function.start, start);
}

static void assert_kernel(struct xp_symtab *kernel)
{
	uint64_t address = 0;

	assert_string_equal(xp_symtab_reason(kernel), "");
	assert_int_equal(xp_symtab_address(kernel, 0xffffffff81001050), 0xffffffff81001050);
	assert_name(kernel, 0xffffffff80ffffff, NULL, 0);
	/* Of several names, the last. */
	assert_name(kernel, 0xffffffff81000800, "_a_longer_one", 0xffffffff81000000);
	assert_name(kernel, 0xffffffff810010ff, "do_work", 0xffffffff81001000);
	assert_name(kernel, 0xffffffff81001100, "weak_but_longer", 0xffffffff81001100);
	assert_name(kernel, 0xffffffff82000080, "a_variable", 0xffffffff82000000);
	assert_name(kernel, 0xffffffffc0201100, NULL, 0);
	assert_int_equal(xp_symtab_reference(kernel, "_text", &address), 0);
	assert_int_equal(address, 0xffffffff81000000);
	assert_int_equal(xp_symtab_reference(kernel, "helper", &address), 0);
	assert_int_equal(address, 0xffffffff81001100);
}

static void the_running_kernel_is_used_if_it_is_the_one(void **state)
{
	static const struct xp_symbols_opts none;
	struct xp_symbols *symbols;

	(void)state;
	put_file(root, kallsyms, "/proc/kallsyms");
	put_notes("/sys/kernel/notes", 'k');
	struct xp_symtab *kernel = open_with(&none, "[kernel.kallsyms]", 'k', &symbols);
	assert_kernel(kernel);
	assert_non_null(strstr(xp_symtab_path(kernel), "/proc/kallsyms"));
	xp_symbols_free(symbols);
	assert_kernel(open_with(&none, "[kernel.kallsyms]_text", 0, &symbols));
	xp_symbols_free(symbols);
	kernel = open_with(&none, "[kernel.kallsyms]", 'x', &symbols);
	assert_int_equal(xp_symtab_get_state(kernel), XP_SYMTAB_OTHER_FILE);
	xp_symbols_free(symbols);
	kernel = open_with(&none, "[guest.kernel.kallsyms]", 0, &symbols);
	assert_int_equal(xp_symtab_get_state(kernel), XP_SYMTAB_NO_FILE);
	xp_symbols_free(symbols);
}

static void a_kept_copy_is_used(void **state)
{
	static const struct xp_symbols_opts none;
	struct xp_symbols *symbols;
	char text[64];

	(void)state;
	put_file(root, kallsyms,
		 "/cache/.build-id/6f/6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f/kallsyms");
	struct xp_symtab *kernel = open_with(&none, "[kernel.kallsyms]", 'o', &symbols);
	assert_kernel(kernel);
	assert_non_null(strstr(xp_symtab_path(kernel), "/cache/"));
	xp_symbols_free(symbols);
	/* one that the user names */
	put_file(root, kallsyms, "/mine");
	snprintf(text, sizeof(text), "%s/mine", root);
	kernel = open_with(&(struct xp_symbols_opts){ .kallsyms = text }, "[kernel.kallsyms]", 'y',
			   &symbols);
	assert_kernel(kernel);
	assert_string_equal(xp_symtab_path(kernel), text);
	xp_symbols_free(symbols);
}

static void modules_count_from_their_beginning(void **state)
{
	static const struct xp_symbols_opts none;
	static const char *const paths[] = { "[ext4]", "/lib/modules/6.1/kernel/fs/ext4.ko.xz" };
	struct xp_symbols *symbols;

	(void)state;
	put_file(root, kallsyms, "/proc/kallsyms");
	put_notes("/sys/module/ext4/notes/.note.gnu.build-id", 'm');
	for (size_t i = 0; i < 2; i++) {
		struct xp_symtab *module = open_with(&none, paths[i], 'm', &symbols);
		assert_name(module, 0x120, "ext4_read", 0x100);
		assert_name(module, 0x50, "ext4_first", 0x40);
		xp_symbols_free(symbols);
	}
	struct xp_symtab *module = open_with(&none, "[ext4]", 'n', &symbols);
	assert_int_equal(xp_symtab_get_state(module), XP_SYMTAB_OTHER_FILE);
	xp_symbols_free(symbols);
	module = open_with(&none, "[gone]", 0, &symbols);
	assert_int_equal(xp_symtab_get_state(module), XP_SYMTAB_NO_FILE);
	xp_symbols_free(symbols);
}

static void hidden_addresses_are_reported(void **state)
{
	static const struct xp_symbols_opts none;
	struct xp_symbols *symbols;

	(void)state;
	put_file(root, "0000000000000000 T _text\n0000000000000000 T do_work\n", "/proc/kallsyms");
	struct xp_symtab *kernel = open_with(&none, "[kernel.kallsyms]", 0, &symbols);
	assert_int_equal(xp_symtab_get_state(kernel), XP_SYMTAB_HIDDEN);
	assert_non_null(strstr(xp_symtab_reason(kernel), "kptr_restrict"));
	xp_symbols_free(symbols);
	put_file(root, "", "/proc/kallsyms");
	kernel = open_with(&none, "[kernel.kallsyms]", 0, &symbols);
	assert_int_not_equal(xp_symtab_get_state(kernel), XP_SYMTAB_FOUND);
	xp_symbols_free(symbols);
}

static void jit_maps_are_read(void **state)
{
	static const struct xp_symbols_opts none;
	struct xp_symbols *symbols;
	char path[64];

	(void)state;
	/* Of what was at one place, the last counts; damaged lines do not. */
	put_file(root,
		 "7f0000001000 40 first\n"
		 "7f0000002000 0x20 void Thing::run(int, char) const\n"
		 "garbage\n7f0000003000\n7f0000003000 10\n12345678901234567 10 too_long\n"
		 "ffffffffffffffff 10 over_the_end\n"
		 "0x7f0000001000 30 second\n"
		 "7f0000000000 8 before",
		 "/tmp/perf-123.map");
	snprintf(path, sizeof(path), "%s/tmp/perf-123.map", root);
	struct xp_symtab *jit = open_with(&none, path, 0, &symbols);
	assert_string_equal(xp_symtab_reason(jit), "");
	assert_int_equal(xp_symtab_address(jit, 0x7f0000001010), 0x7f0000001010);
	assert_name(jit, 0x7f0000001010, "second", 0x7f0000001000);
	assert_name(jit, 0x7f0000001030, NULL, 0);
	assert_name(jit, 0x7f000000201f, "void Thing::run(int, char) const", 0x7f0000002000);
	assert_name(jit, 0x7f0000000007, "before", 0x7f0000000000);
	assert_name(jit, 0x7f0000003000, NULL, 0);
	xp_symbols_free(symbols);
	jit = open_with(&none, "/tmp/none/perf-123.map", 0, &symbols);
	assert_int_equal(xp_symtab_get_state(jit), XP_SYMTAB_NO_FILE);
	xp_symbols_free(symbols);
}

static int make(void **state)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = root };

	(void)state;
	return !mkdtemp(root) || xp_ctx_new(&opts, &ctx);
}

static int unmake(void **state)
{
	(void)state;
	xp_ctx_free(ctx);
	return remove_tree(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_running_kernel_is_used_if_it_is_the_one),
		cmocka_unit_test(a_kept_copy_is_used),
		cmocka_unit_test(modules_count_from_their_beginning),
		cmocka_unit_test(hidden_addresses_are_reported),
		cmocka_unit_test(jit_maps_are_read),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
