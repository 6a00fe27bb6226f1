/* SPDX-License-Identifier: MIT */
/*
 * Where else symbols come from: packed into the file itself, linked without build id, modules that
 * do not run here, dumps of JIT compilers, servers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <xperf/ctx.h>
#include <xperf/disasm.h>
#include <xperf/symtab.h>

#include "unit/elf-files.h"
#include "xz.h"

/* A module with two sections of code; $ID is the build id of "app". */
static const char command[] =
	"program=\"$SRC/main.c $SRC/other.c\"; "
	"$CC -O0 -g -pie -fPIE -Wl,--build-id=sha1 -o app $program && "
	"ID=$(readelf -n app | sed -n 's/.*Build ID: //p') && echo $ID >id && "
	"cp app bare && strip -s bare && "
	"KEPT=kept/.build-id/$(echo $ID | cut -c1-2)/$(echo $ID | cut -c3-) && "
	"mkdir -p $KEPT && cp app $KEPT/elf && "
	"mkdir -p m/proc/self/ns m/proc/7/ns m/proc/8/ns m/proc/8/root/in m/proc/9/ns && "
	"touch m/proc/self/ns/mnt m/proc/8/ns/mnt m/proc/9/ns/mnt && "
	"ln m/proc/self/ns/mnt m/proc/7/ns/mnt && cp app m/proc/8/root/in/ && "
	"mkdir -p srv/buildid/$ID && objcopy --only-keep-debug app srv/buildid/$ID/debuginfo && "
	"objcopy -S -K leaf -K other app mini && "
	"if xz -k mini; then objcopy --add-section .gnu_debugdata=mini.xz bare packed; fi; "
	"$CC -O0 -g -pie -fPIE -Wl,--build-id=none -o old $program && cp old old.dbg && "
	"strip -s old && objcopy --add-gnu-debuglink=old.dbg old && "
	"cp old other && cp app other.dbg && objcopy --remove-section .gnu_debuglink other && "
	"objcopy --add-gnu-debuglink=other.dbg other && echo more >>other.dbg && "
	"printf 'int f(void){return 1;} __attribute__((section(\".text.far\"))) int far(void)"
	"{return 2;} __attribute__((section(\".init.text\"))) int gone(void){return 3;}' >mod.c && "
	"$CC -O0 -fno-pic -ffunction-sections -c -o mod.o mod.c && "
	"ld -r --build-id=sha1 -o mod.ko mod.o && "
	"readelf -n mod.ko | sed -n 's/.*Build ID: //p' >mod-id";

static struct xp_ctx *ctx;

static void need_libelf(void)
{
	if (elf_is_read())
		return;
	puts("there is no libelf");
	skip();
}

static struct xp_symbols *symbols_new(bool ask)
{
	struct xp_symbols_opts opts = { .size = sizeof(opts),
					.debug_dir = "/nowhere",
					.kallsyms = "/nowhere",
					.debuginfod = ask };
	struct xp_symbols *symbols;

	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	return symbols;
}

static struct xp_symtab *table_of(struct xp_symbols *symbols, const char *path, const uint8_t *id)
{
	struct xp_symtab *symtab;

	assert_int_equal(xp_symbols_open(symbols, path, id, id ? 20 : 0, &symtab), 0);
	return symtab;
}

static void assert_function(struct xp_symtab *symtab, uint64_t address, const char *name)
{
	struct xp_function function;

	assert_string_equal(xp_symtab_reason(symtab), "");
	if (!name) {
		assert_false(xp_symtab_find(symtab, address, &function) &&
			     function.start == address);
		return;
	}
	assert_int_equal(xp_symtab_find(symtab, address, &function), 1);
	assert_string_equal(function.name, name);
}

static void packed_symbols_are_found(void **state)
{
	(void)state;
	struct xp_symbols *symbols = symbols_new(false);
	void *none;
	size_t len;

	if (access(elf_path("packed"), R_OK) || xp_xz_unpack("", 0, 1, &none, &len) == -ENOSYS) {
		xp_symbols_free(symbols);
		puts("there is no xz, or no liblzma");
		skip();
	}
	struct xp_symtab *symtab = table_of(symbols, elf_path("packed"), NULL);
	assert_function(symtab, elf_listed("app", "leaf"), "leaf");
	assert_function(symtab, elf_listed("app", "other"), "other");
	/* it was not packed */
	assert_function(symtab, elf_listed("app", "twice"), NULL);
	xp_symbols_free(symbols);
}

/* What is packed may not become more than was agreed on. */
static void unpacking_is_bounded(void **state)
{
	(void)state;
	static const uint8_t not_xz[64];
	void *out = NULL;
	size_t len;

	if (xp_xz_unpack(not_xz, sizeof(not_xz), 1 << 20, &out, &len) == -ENOSYS)
		skip();
	assert_int_equal(xp_xz_unpack(not_xz, sizeof(not_xz), 1 << 20, &out, &len), -EBADMSG);
	assert_int_equal(xp_xz_unpack(not_xz, 0, 1 << 20, &out, &len), -EBADMSG);
	FILE *file = fopen(elf_path("mini.xz"), "r");
	if (!file)
		skip();
	static uint8_t packed[1 << 16];
	size_t packed_len = fread(packed, 1, sizeof(packed), file);
	fclose(file);
	assert_int_equal(xp_xz_unpack(packed, packed_len, 100, &out, &len), -EFBIG);
	assert_int_equal(xp_xz_unpack(packed, packed_len / 2, 1 << 20, &out, &len), -EBADMSG);
	assert_int_equal(xp_xz_unpack(packed, packed_len, 1 << 20, &out, &len), 0);
	assert_memory_equal(out, "\177ELF", 4);
	free(out);
}

/* Addresses of modules count from the beginning of their code, section by section. */
static void modules_are_read_by_build_id(void **state)
{
	(void)state;
	need_libelf();
	struct xp_symbols *symbols = symbols_new(false);
	uint8_t id[20];
	struct xp_function f, far;

	elf_read_id("mod-id", id);
	struct xp_symtab *symtab = table_of(symbols, elf_path("mod.ko"), id);
	assert_string_equal(xp_symtab_reason(symtab), "");
	assert_int_equal(xp_symtab_find(symtab, 0, &f), 1);
	/* Which of the two comes first, the linker decides; what is thrown away is in neither. */
	assert_int_equal(xp_symtab_find(symtab, f.size, &far) ||
				 xp_symtab_find(symtab, (f.size + 15) / 16 * 16, &far),
			 1);
	assert_true((!strcmp(f.name, "f") && !strcmp(far.name, "far")) ||
		    (!strcmp(f.name, "far") && !strcmp(far.name, "f")));
	id[0] ^= 1;
	symtab = table_of(symbols, elf_path("mod.ko"), id);
	assert_int_not_equal(xp_symtab_get_state(symtab), XP_SYMTAB_FOUND);
	xp_symbols_free(symbols);
}

/* Without a build id, the checksum in the link decides. */
static void links_have_checksums(void **state)
{
	(void)state;
	need_libelf();
	struct xp_symbols *symbols = symbols_new(false);
	struct xp_function function;
	uint64_t twice = elf_listed("old.dbg", "twice");

	struct xp_symtab *symtab = table_of(symbols, elf_path("old"), NULL);
	assert_function(symtab, twice, "twice");
	assert_string_equal(xp_symtab_path(symtab), elf_path("old.dbg"));
	symtab = table_of(symbols, elf_path("other"), NULL);
	assert_true(!xp_symtab_find(symtab, twice, &function) ||
		    strcmp(function.name, "twice") != 0);
	xp_symbols_free(symbols);
}

static void put_dump(const char *path)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
		struct {
			uint32_t type, size;
			uint64_t time;
			uint32_t pid, tid;
			uint64_t vma, address, len, index;
			char name[8];
			uint8_t code[16];
		} loads[3];
		struct {
			uint32_t type, size;
			uint64_t time;
			uint32_t pid, tid;
			uint64_t vma, from, to, len, index;
		} move;
	} dump = { .magic = 0x4a695444, .version = 1, .size = 40, .pid = 12 };
	static const char *const names[] = { "first", "second", "third" };

	for (size_t i = 0; i < 3; i++) {
		dump.loads[i].size = sizeof(dump.loads[i]);
		/* the third takes the place of the first */
		dump.loads[i].address = 0x1000 + (i == 2 ? 0 : i) * 0x100;
		dump.loads[i].len = 16;
		memcpy(dump.loads[i].name, names[i], strlen(names[i]));
	}
	dump.move.type = 1;
	dump.move.size = sizeof(dump.move);
	dump.move.from = 0x1100;
	dump.move.to = 0x2000;
	dump.move.len = 16;
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(&dump, sizeof(dump), 1, file), 1);
	fclose(file);
}

static void jit_dumps_are_read(void **state)
{
	(void)state;
	struct xp_symbols *symbols = symbols_new(false);
	char map[128];

	put_dump(elf_path("jit-12.dump"));
	snprintf(map, sizeof(map), "%s/perf-12.map", elf_dir);
	assert_int_equal(xp_symbols_add_jitdump(symbols, 12, elf_path("jit-12.dump")), 0);
	assert_int_equal(xp_symbols_add_jitdump(symbols, 13, elf_path("app")), 0);
	struct xp_symtab *symtab = table_of(symbols, map, NULL);
	assert_function(symtab, 0x1008, "third");
	assert_function(symtab, 0x1100, "second");
	assert_function(symtab, 0x200f, "second");
	assert_function(symtab, 0x2010, NULL);
	xp_symbols_free(symbols);

	/* Beside a map, which is older. */
	FILE *file = fopen(map, "w");
	assert_non_null(file);
	fputs("1000 10 old\n3000 10 mapped", file);
	fclose(file);
	symbols = symbols_new(false);
	assert_int_equal(xp_symbols_add_jitdump(symbols, 12, elf_path("jit-12.dump")), 0);
	symtab = table_of(symbols, map, NULL);
	assert_function(symtab, 0x1000, "third");
	assert_function(symtab, 0x3000, "mapped");
	xp_symbols_free(symbols);

	/* What is no dump is none. */
	symbols = symbols_new(false);
	snprintf(map, sizeof(map), "%s/perf-13.map", elf_dir);
	assert_int_equal(xp_symbols_add_jitdump(symbols, 13, elf_path("app")), 0);
	assert_int_not_equal(xp_symtab_get_state(table_of(symbols, map, NULL)), XP_SYMTAB_FOUND);
	xp_symbols_free(symbols);
}

/* What runs from memory has a name, but no path. */
static void programs_in_memory_are_found_by_build_id(void **state)
{
	static const char name[] = "/memfd:app (deleted)";
	struct xp_symbols_opts opts = { .size = sizeof(opts), .debug_dir = elf_path("kept") };
	struct xp_symbols *symbols;
	uint8_t id[20];

	(void)state;
	need_libelf();
	elf_read_id("id", id);
	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	assert_function(table_of(symbols, name, id), elf_listed("app", "leaf"), "leaf");
	assert_int_equal(xp_symtab_get_state(table_of(symbols, name, NULL)), XP_SYMTAB_NOT_A_FILE);
	id[0] ^= 1;
	assert_int_equal(xp_symtab_get_state(table_of(symbols, name, id)), XP_SYMTAB_NOT_A_FILE);
	xp_symbols_free(symbols);
}

/* A file that only a process in another mount namespace sees, is the right one if its build id is.
 */
static void files_of_containers_are_found(void **state)
{
	char root[256];
	const struct xp_ctx_opts machine = { .size = sizeof(machine), .root = root };
	const struct xp_symbols_opts opts = { .size = sizeof(opts), .debug_dir = "/nowhere" };
	struct xp_symbols *symbols;
	struct xp_ctx *own;
	uint8_t id[20];

	(void)state;
	need_libelf();
	elf_read_id("id", id);
	snprintf(root, sizeof(root), "%s", elf_path("m"));
	assert_int_equal(xp_ctx_new(&machine, &own), 0);
	assert_int_equal(xp_symbols_new(own, &opts, &symbols), 0);
	for (int32_t pid = 6; pid < 10; pid++)
		assert_int_equal(xp_symbols_add_process(symbols, pid), 0);
	assert_function(table_of(symbols, "/in/app", id), elf_listed("app", "leaf"), "leaf");
	assert_int_equal(xp_symtab_get_state(table_of(symbols, "/in/app", NULL)),
			 XP_SYMTAB_NO_FILE);
	id[0] ^= 1;
	assert_int_equal(xp_symtab_get_state(table_of(symbols, "/in/app", id)), XP_SYMTAB_NO_FILE);
	xp_symbols_free(symbols);
	xp_ctx_free(own);
}

/* The code of the right file, and of no other. */
static void code_is_read(void **state)
{
	struct xp_symbols *symbols = symbols_new(false);
	struct xp_symtab *symtab;
	uint8_t id[20], code[16], whole[4096];
	int machine;

	(void)state;
	need_libelf();
	elf_read_id("id", id);
	FILE *file = fopen(elf_path("app"), "r");
	assert_non_null(file);
	assert_int_equal(fread(whole, 1, sizeof(whole), file), sizeof(whole));
	fclose(file);
	symtab = table_of(symbols, elf_path("app"), id);
	assert_int_equal(xp_symtab_code(symtab, 100, code, sizeof(code), &machine), sizeof(code));
	assert_memory_equal(code, whole + 100, sizeof(code));
	assert_int_not_equal(machine, 0);
	assert_int_equal(xp_symtab_code(symtab, 1 << 30, code, sizeof(code), &machine), 0);
	id[0] ^= 1;
	symtab = table_of(symbols, elf_path("app"), id);
	assert_int_equal(xp_symtab_code(symtab, 100, code, sizeof(code), &machine), 0);
	symtab = table_of(symbols, "//anon", NULL);
	assert_int_equal(xp_symtab_code(symtab, 0, code, sizeof(code), &machine), 0);
	xp_symbols_free(symbols);
}

/* Checked against what objdump makes of whole libraries, too. */
static void instructions_have_lengths(void **state)
{
	enum { I386 = 3, S390 = 22, X86_64 = 62, AARCH64 = 183 };
	static const struct {
		int machine, len;
		const char *bytes;
	} rows[] = {
		{ X86_64, 1, "\xc3" },
		{ X86_64, 3, "\x48\x01\xc2" },
		{ X86_64, 6, "\x81\xee\xbd\0\0\0" },
		{ X86_64, 5, "\x66\x81\xee\xbd\0" },
		{ X86_64, 10, "\x48\xb8\1\2\3\4\5\6\7\x08" },
		{ X86_64, 5, "\xb8\1\2\3\4" },
		{ X86_64, 9, "\xa1\1\2\3\4\5\6\7\x08" },
		{ X86_64, 7, "\x48\x8b\x05\1\2\3\4" },
		{ X86_64, 8, "\x48\x8b\x04\x25\1\2\3\4" },
		{ X86_64, 4, "\x8b\x44\x24\x08" },
		{ X86_64, 3, "\xf6\xc1\x01" },
		{ X86_64, 2, "\xf7\xd8" },
		{ X86_64, 6, "\x0f\x84\1\2\3\4" },
		{ X86_64, 2, "\x0f\x05" },
		{ X86_64, 6, "\x66\x0f\x3a\x0f\xc1\x04" },
		{ X86_64, 4, "\xc5\xfb\x93\xc0" },
		{ X86_64, 3, "\xc5\xf8\x77" },
		{ X86_64, 6, "\xc4\xe3\x7d\x39\xc1\x01" },
		{ X86_64, 6, "\x62\xf1\xfe\x28\x6f\x07" },
		{ X86_64, 4, "\xf3\x0f\x1e\xfa" },
		{ X86_64, 0, "\x48\xb8\1\2" }, /* its end is missing */
		{ I386, 1, "\x40" },
		{ I386, 5, "\xa1\1\2\3\4" },
		{ I386, 2, "\xc5\x06" },
		{ I386, 5, "\x67\x8b\x0e\1\2" },
		{ I386, 7, "\x9a\1\2\3\4\5\6" },
		{ AARCH64, 4, "\xc0\x03\x5f\xd6" },
		{ S390, 2, "\x07\xfe" },
		{ S390, 4, "\xa7\xf4\0\1" },
		{ S390, 6, "\xc0\xe5\0\0\0\1" },
		{ 1, 0, "\xc3\0\0\0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t padded[16] = { 0 };
		int bytes = rows[i].len ? rows[i].len : 4;

		memcpy(padded, rows[i].bytes, (size_t)bytes);
		size_t there = rows[i].len ? sizeof(padded) : (size_t)bytes;
		if (xp_instruction_len(rows[i].machine, padded, there) != rows[i].len)
			fail_msg("row %zu: %d", i,
				 xp_instruction_len(rows[i].machine, padded, there));
	}
}

static void instructions_branch(void **state)
{
	enum { I386 = 3, S390 = 22, X86_64 = 62, AARCH64 = 183 };
	static const struct {
		int machine, branches;
		const char *bytes;
	} rows[] = {
		{ X86_64, 1, "\x74\x02\0" },        /* je */
		{ X86_64, 1, "\x0f\x84\1\0\0\0" },  /* je */
		{ X86_64, 1, "\xf2\xe9\1\0\0\0" },  /* bnd jmp */
		{ X86_64, 1, "\xe8\1\0\0\0" },      /* call */
		{ X86_64, 1, "\x41\xff\xd4" },      /* call *%r12 */
		{ X86_64, 1, "\xff\x25\1\0\0\0" },  /* jmp *1(%rip) */
		{ X86_64, 1, "\xc3\0\0" },          /* ret */
		{ X86_64, 1, "\x0f\x05\0" },        /* syscall */
		{ X86_64, 1, "\xcc\0\0" },          /* int3 */
		{ X86_64, 0, "\xff\xc0\0" },        /* inc %eax */
		{ X86_64, 0, "\xff\x35\1\0\0\0" },  /* push 1(%rip) */
		{ X86_64, 0, "\x0f\x94\xc0" },      /* sete %al */
		{ X86_64, 0, "\x48\x89\xe5" },      /* mov */
		{ I386, 1, "\xeb\xfe\0" },          /* jmp */
		{ I386, 0, "\x40\xc3\0" },          /* inc %eax */
		{ AARCH64, 1, "\xc0\x03\x5f\xd6" }, /* ret */
		{ AARCH64, 1, "\1\0\0\x94" },       /* bl */
		{ AARCH64, 1, "\x41\0\0\x54" },     /* b.ne */
		{ AARCH64, 1, "\x20\0\0\xb4" },     /* cbz */
		{ AARCH64, 1, "\x20\0\0\x36" },     /* tbz */
		{ AARCH64, 0, "\x1f\x20\x03\xd5" }, /* nop */
		{ AARCH64, 0, "\xe0\x03\x01\xaa" }, /* mov */
		{ S390, 0, "\x07\xfe\0\0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t padded[16] = { 0 };

		memcpy(padded, rows[i].bytes, 4);
		if (xp_instruction_is_branch(rows[i].machine, padded, sizeof(padded)) !=
		    rows[i].branches)
			fail_msg("row %zu", i);
	}
}

static void servers_are_asked_when_enabled(void **state)
{
	(void)state;
	need_libelf();
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	char urls[128];
	uint8_t id[20];

	if (!library) {
		puts("there is no libdebuginfod");
		skip();
	}
	elf_read_id("id", id);
	snprintf(urls, sizeof(urls), "file://%s/srv", elf_dir);
	setenv("DEBUGINFOD_URLS", urls, 1);
	setenv("DEBUGINFOD_CACHE_PATH", elf_path("fetched"), 1);
	struct xp_symbols *symbols = symbols_new(false);
	struct xp_symtab *symtab = table_of(symbols, elf_path("bare"), id);
	struct xp_function function;
	assert_false(xp_symtab_get_state(symtab) == XP_SYMTAB_FOUND &&
		     xp_symtab_find(symtab, elf_listed("app", "twice"), &function));
	xp_symbols_free(symbols);
	symbols = symbols_new(true);
	assert_function(table_of(symbols, elf_path("bare"), id), elf_listed("app", "twice"),
			"twice");
	xp_symbols_free(symbols);
	dlclose(library);
}

static int make(void **state)
{
	(void)state;
	return !elf_files_make(command) || xp_ctx_new(NULL, &ctx);
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
		cmocka_unit_test(packed_symbols_are_found),
		cmocka_unit_test(unpacking_is_bounded),
		cmocka_unit_test(links_have_checksums),
		cmocka_unit_test(modules_are_read_by_build_id),
		cmocka_unit_test(jit_dumps_are_read),
		cmocka_unit_test(programs_in_memory_are_found_by_build_id),
		cmocka_unit_test(files_of_containers_are_found),
		cmocka_unit_test(code_is_read),
		cmocka_unit_test(instructions_have_lengths),
		cmocka_unit_test(instructions_branch),
		cmocka_unit_test(servers_are_asked_when_enabled),
	};

	if (system("which objcopy nm readelf ld >/dev/null 2>&1")) {
		puts("there are no binutils");
		return 77;
	}
	return cmocka_run_group_tests(tests, make, unmake);
}
