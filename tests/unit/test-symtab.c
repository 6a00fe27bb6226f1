/* SPDX-License-Identifier: MIT */
/* <xperf/symtab.h> on files that the compiler makes here: which one is taken, what is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/ctx.h>
#include <xperf/symtab.h>

#include "reference.h"
#include "unit/elf-files.h"

/* Debug files are where a symfs has them: $ID is the build id of "app". */
static const char command[] =
	"program=\"$SRC/main.c $SRC/other.c\"; "
	"$CC -O0 -g -pie -fPIE -Wl,--build-id=sha1 -o app $program && "
	"$CC -O1 -pie -fPIE -Wl,--build-id=sha1 -o changed $program && "
	"$CC -O0 -no-pie -fno-pie -Wl,--build-id=none -o plain $program && "
	"$CC -O0 -shared -fPIC -Wl,--version-script=$SRC/lib.map -o lib.so $SRC/lib.c && "
	"ID=$(readelf -n app | sed -n 's/.*Build ID: //p') && echo $ID >id && "
	"cp app bare && strip -g -s bare && cp bare linked && cp app linked.dbg && "
	"objcopy --add-gnu-debuglink=linked.dbg linked && "
	"F=usr/lib/debug/.build-id/$(echo $ID | cut -c1-2)/$(echo $ID | cut -c3-) && "
	"mkdir -p sym/bin sym/${F%/*} far && cp bare sym/bin/app && "
	"objcopy --only-keep-debug app sym/$F.debug && "
	"mkdir -p cache/${F#usr/lib/debug/} && cp app cache/${F#usr/lib/debug/}/elf && "
	"mkdir -p wrong/.debug && cp bare wrong/linked && cp changed wrong/.debug/linked.dbg && "
	"objcopy --add-gnu-debuglink=linked.dbg wrong/linked && "
	"head -c 3000 app >cut && echo text >text && cp app closed && chmod 0 closed";

static struct xp_ctx *ctx;
static uint8_t id[20];

static struct xp_symbols *symbols_of(const struct xp_symbols_opts *opts)
{
	struct xp_symbols_opts all = *opts;
	struct xp_symbols *symbols = NULL;

	all.size = sizeof(all);
	if (!all.debug_dir)
		all.debug_dir = "/nowhere";
	assert_int_equal(xp_symbols_new(ctx, &all, &symbols), 0);
	return symbols;
}

static struct xp_symtab *open_file(struct xp_symbols *symbols, const char *path, bool with_id)
{
	struct xp_symtab *symtab = NULL;

	assert_int_equal(xp_symbols_open(symbols, path, with_id ? id : NULL, sizeof(id), &symtab),
			 0);
	assert_non_null(symtab);
	return symtab;
}

static void assert_leaf(struct xp_symtab *symtab, uint64_t address)
{
	struct xp_function function, again;

	assert_string_equal(xp_symtab_reason(symtab), "");
	assert_int_equal(xp_symtab_get_state(symtab), XP_SYMTAB_FOUND);
	assert_int_equal(xp_symtab_find(symtab, address + 3, &function), 1);
	assert_string_equal(function.name, "leaf");
	assert_int_equal(function.start, address);
	assert_true(function.size > 3);
	assert_int_equal(xp_symtab_find(symtab, address, &again), 1);
	assert_ptr_equal(function.name, again.name);
	assert_int_equal(function.index, again.index);
}

static void functions_are_found(void **state)
{
	struct xp_symbols *symbols = symbols_of(&(struct xp_symbols_opts){ 0 });
	struct xp_symtab *app = open_file(symbols, elf_path("app"), true);
	struct xp_function function;
	uint64_t address = 0;

	(void)state;
	assert_leaf(app, elf_listed("app", "leaf"));
	assert_string_equal(xp_symtab_path(app), elf_path("app"));
	assert_int_equal(xp_symtab_reference(app, "leaf", &address), 0);
	assert_int_equal(address, elf_listed("app", "leaf"));
	assert_int_equal(xp_symtab_reference(app, "lea", &address), -ENODATA);
	assert_int_equal(xp_symtab_find(app, 0, &function), 0);
	assert_int_equal(xp_symtab_find(app, UINT64_MAX, &function), 0);
	/* asked again, the same */
	assert_ptr_equal(open_file(symbols, elf_path("app"), true), app);
	/* what no build id is known of */
	assert_leaf(open_file(symbols, elf_path("app"), false), elf_listed("app", "leaf"));
	assert_leaf(open_file(symbols, elf_path("plain"), false), elf_listed("plain", "leaf"));
	/* what is exported only */
	struct xp_symtab *lib = open_file(symbols, elf_path("lib.so"), false);
	assert_int_equal(xp_symtab_find(lib, elf_listed("lib.so", "plain_thing"), &function), 1);
	assert_string_equal(function.name, "plain_thing");
	xp_symbols_free(symbols);
}

static void offsets_become_addresses(void **state)
{
	struct xp_symbols *symbols = symbols_of(&(struct xp_symbols_opts){ 0 });
	struct xp_symtab *plain = open_file(symbols, elf_path("plain"), false);
	struct xp_symbol_place place;

	(void)state;
	assert_int_equal(
		xp_symbol_find(elf_path("plain"), "leaf", XP_SYMBOL_FUNCTION, &place, NULL), 0);
	assert_true(place.offset != place.address);
	assert_int_equal(xp_symtab_address(plain, place.offset), place.address);
	/* behind its end there is nothing */
	assert_int_equal(xp_symtab_address(plain, 1ULL << 40), 1ULL << 40);
	xp_symbols_free(symbols);
}

static void calls_through_the_plt_have_names(void **state)
{
	struct xp_symbols *symbols = symbols_of(&(struct xp_symbols_opts){ 0 });
	struct xp_symtab *bare = open_file(symbols, elf_path("bare"), false);
	struct xp_function function;
	char line[256];
	unsigned long long at = 0;

	(void)state;
	snprintf(line, sizeof(line),
		 "objdump -d -j .plt -j .plt.sec %s | sed -n 's/ <atoi@plt>:$//p'",
		 elf_path("app"));
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	int nr = fscanf(pipe, "%llx", &at);
	pclose(pipe);
	if (nr == 1) {
		assert_int_equal(xp_symtab_find(bare, at, &function), 1);
		assert_string_equal(function.name, "atoi@plt");
		assert_int_equal(function.start, at);
	}
	xp_symbols_free(symbols);
}

/* Each place where the symbols of a stripped file can be. */
static void separate_files_are_found(void **state)
{
	uint64_t leaf = elf_listed("app", "leaf");
	char symfs[128], cache[128];

	(void)state;
	snprintf(symfs, sizeof(symfs), "%s", elf_path("sym"));
	snprintf(cache, sizeof(cache), "%s", elf_path("cache"));
	struct xp_symbols *symbols = symbols_of(&(struct xp_symbols_opts){ .symfs = symfs });
	struct xp_symtab *symtab = open_file(symbols, "/bin/app", true);
	assert_leaf(symtab, leaf);
	assert_non_null(strstr(xp_symtab_path(symtab), "/usr/lib/debug/.build-id/"));
	/* the file itself is gone */
	assert_leaf(open_file(symbols, "/bin/gone", true), leaf);
	assert_leaf(open_file(symbols, "/bin/app", false), leaf);
	xp_symbols_free(symbols);

	symbols = symbols_of(&(struct xp_symbols_opts){ .debug_dir = cache });
	assert_leaf(open_file(symbols, "/gone/app", true), leaf);
	/* another build is there by now */
	symtab = open_file(symbols, elf_path("changed"), true);
	assert_leaf(symtab, leaf);
	assert_non_null(strstr(xp_symtab_path(symtab), "/elf"));
	xp_symbols_free(symbols);

	symbols = symbols_of(&(struct xp_symbols_opts){ 0 });
	symtab = open_file(symbols, elf_path("linked"), true);
	assert_leaf(symtab, leaf);
	assert_string_equal(xp_symtab_path(symtab), elf_path("linked.dbg"));
	/* the link leads to another build */
	symtab = open_file(symbols, elf_path("wrong/linked"), true);
	struct xp_function function;
	assert_int_equal(xp_symtab_find(symtab, leaf + 3, &function), 0);
	xp_symbols_free(symbols);
}

static void reasons_are_reported(void **state)
{
	static const struct {
		const char *file;
		bool with_id;
		enum xp_symtab_state state;
	} files[] = {
		{ "none", false, XP_SYMTAB_NO_FILE },     { "none", true, XP_SYMTAB_NO_FILE },
		{ "text/none", true, XP_SYMTAB_NO_FILE }, { "changed", true, XP_SYMTAB_OTHER_FILE },
		{ "plain", true, XP_SYMTAB_OTHER_FILE },  { "text", false, XP_SYMTAB_DAMAGED },
		{ "sym", false, XP_SYMTAB_DAMAGED },      { "closed", true, XP_SYMTAB_FORBIDDEN },
	};
	static const char *const others[] = { "[heap]", "[stack]", "//anon", "[vsyscall]", "" };
	struct xp_symbols *symbols = symbols_of(&(struct xp_symbols_opts){ 0 });
	struct xp_function function;
	uint64_t address;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (files[i].state == XP_SYMTAB_FORBIDDEN && !geteuid())
			continue;
		struct xp_symtab *symtab =
			open_file(symbols, elf_path(files[i].file), files[i].with_id);
		if (xp_symtab_get_state(symtab) != files[i].state)
			fail_msg("%s: %d", files[i].file, xp_symtab_get_state(symtab));
		assert_true(*xp_symtab_reason(symtab));
		assert_string_equal(xp_symtab_path(symtab), "");
		assert_int_equal(xp_symtab_find(symtab, 0x1000, &function), 0);
		assert_int_equal(xp_symtab_reference(symtab, "leaf", &address), -ENODATA);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(xp_symtab_get_state(open_file(symbols, others[i], false)),
				 XP_SYMTAB_NOT_A_FILE);
	xp_symbols_free(symbols);
}

/* Without a build id, the inode says whether it is the recorded file; of another machine's, it does
 * not. */
static void a_replaced_file_has_no_symbols(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(stat(elf_path("app"), &st), 0);
	const struct {
		bool is_here, has_id;
		uint64_t inode;
		enum xp_symtab_state state;
	} rows[] = {
		{ true, false, st.st_ino, XP_SYMTAB_FOUND },
		{ true, false, st.st_ino + 1, XP_SYMTAB_REPLACED },
		{ true, true, st.st_ino + 1, XP_SYMTAB_FOUND },
		{ false, false, st.st_ino + 1, XP_SYMTAB_FOUND },
		{ true, false, 0, XP_SYMTAB_FOUND },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_symbols *symbols =
			symbols_of(&(struct xp_symbols_opts){ .this_machine = rows[i].is_here });
		const struct xp_symbol_file file = { .size = sizeof(file),
						     .path = elf_path("app"),
						     .build_id = rows[i].has_id ? id : NULL,
						     .build_id_len = sizeof(id),
						     .inode = rows[i].inode };
		struct xp_symtab *symtab;

		assert_int_equal(xp_symbols_open_file(symbols, &file, &symtab), 0);
		assert_int_equal(xp_symtab_get_state(symtab), rows[i].state);
		xp_symbols_free(symbols);
	}
}

static void the_vdso_is_this_process_s(void **state)
{
	struct xp_symbols *symbols = symbols_of(&(struct xp_symbols_opts){ 0 });
	struct xp_symtab *vdso = open_file(symbols, "[vdso]", false);
	uint64_t address;

	(void)state;
#ifdef __x86_64__
	assert_int_equal(xp_symtab_get_state(vdso), XP_SYMTAB_FOUND);
	assert_int_equal(xp_symtab_reference(vdso, "__vdso_clock_gettime", &address), 0);
#else
	(void)vdso, (void)address;
#endif
	assert_int_equal(xp_symtab_get_state(open_file(symbols, "[vdso]", true)),
			 XP_SYMTAB_OTHER_FILE);
	xp_symbols_free(symbols);
}

static bool read_id(void)
{
	FILE *file = fopen(elf_path("id"), "r");
	bool is_good = file;

	for (size_t i = 0; is_good && i < sizeof(id); i++)
		is_good = fscanf(file, "%2hhx", &id[i]) == 1;
	if (file)
		fclose(file);
	return is_good;
}

static int make(void **state)
{
	(void)state;
	return !elf_files_make(command) || !read_id() || xp_ctx_new(NULL, &ctx);
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
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(offsets_become_addresses),
		cmocka_unit_test(calls_through_the_plt_have_names),
		cmocka_unit_test(separate_files_are_found),
		cmocka_unit_test(reasons_are_reported),
		cmocka_unit_test(a_replaced_file_has_no_symbols),
		cmocka_unit_test(the_vdso_is_this_process_s),
	};

	if (!elf_is_read() || system("which objcopy nm readelf >/dev/null 2>&1")) {
		puts("there is no libelf, or there are no binutils");
		return 77;
	}
	return cmocka_run_group_tests(tests, make, unmake);
}
