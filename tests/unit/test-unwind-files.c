/* SPDX-License-Identifier: MIT */
/*
 * Where rules come from: .eh_frame with and without its table, .debug_frame, also packed, separate
 * debug files, the build-id cache, files that are deleted; and why there are none. What a hostile
 * description could make libdw allocate.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "unit/elf-files.h"

/* "plain" has .eh_frame, "debug" has .debug_frame only. */
static const char command[] =
	"program=\"$SRC/main.c $SRC/other.c\"; flags='-O0 -pie -fPIE -Wl,--build-id=sha1'; "
	"$CC $flags -o plain $program && strip -o stripped plain && "
	"$CC $flags -Wl,--no-eh-frame-hdr -o scanned $program && "
	"debug=\"$flags -g -fno-asynchronous-unwind-tables -fno-unwind-tables\"; "
	"$CC $debug -o debug $program && "
	"$CC $debug -gz=zlib -o packed $program && "
	"objcopy --only-keep-debug debug linked.debug && strip -o linked debug && "
	"objcopy --add-gnu-debuglink=linked.debug linked && "
	"cp debug alone && strip alone && "
	"ID=$(readelf -n debug | sed -n 's/.*Build ID: //p') && echo $ID >id && "
	"KEPT=kept/.build-id/$(echo $ID | cut -c1-2)/$(echo $ID | cut -c3-) && "
	"mkdir -p $KEPT && cp debug $KEPT/debug && cp debug $KEPT/elf && "
	/* One function that asks for much and one that does not; rules of registers are 16 bytes.
	 */
	"hostile() { { printf '.text\\n%s\\n.globl much\\nmuch:\\n.cfi_startproc\\n%s\\n' "
	"\"$2\" \"$3\"; printf '.fill 16,1,0\\n.cfi_endproc\\n.globl leaf\\nleaf:\\n'; "
	"printf '.cfi_startproc\\n.fill 16,1,0\\n.cfi_endproc\\n'; } >$1.s; "
	"$CC -nostdlib -shared $4 -o $1 $1.s; }; "
	"register='.cfi_escape 0x08, 0xc0, 0xd6, 0xb5, 0x3f'; "
	"states=$(printf '.rept 1000000 / 100\\n.cfi_escape 0x0a%s\\n.endr' "
	"\"$(printf '%099d' 0 | sed 's/0/,0x0a/g')\"); "
	"long=$(printf '.cfi_escape 0x16, 6, 0x80, 0x92, 0xf4, 1\\n.rept 4000000 / 100\\n"
	".cfi_escape 0x96%s\\n.endr' \"$(printf '%099d' 0 | sed 's/0/,0x96/g')\"); "
	"unnamed='.cfi_sections .debug_frame'; "
	"hostile register '' \"$register\" && "
	"hostile register-scanned '' \"$register\" -Wl,--no-eh-frame-hdr && "
	"hostile register-debug \"$unnamed\" \"$register\" && "
	"hostile register-packed \"$unnamed\" \"$register\" -Wl,--compress-debug-sections=zlib && "
	"hostile states '' \"$states\" && hostile long '' \"$long\" && "
	"{ echo '.section .debug_frame,\"\",%progbits'; "
	"echo 'cie: .4byte 1f - . - 4, -1; .byte 1, 0, 1, 0x78, 16, 0x08, 0xc0, 0xd6, 0xb5, 0x3f'; "
	"echo '.balign 8; 1: .4byte 1f - . - 4, 0; .8byte much, 16; .balign 8; 1:'; "
	"echo '.text; .globl much; much: .fill 16, 1, 0'; } >common.s && "
	"$CC -nostdlib -shared -Wl,-Bsymbolic -o common common.s";

enum { BASE = 0x10000000, STACK = 0x7f000000, MAPPED = 1 << 24 };

static struct xp_ctx *ctx;
static struct xp_symbols *symbols;
static struct xp_unwind *unwind;
static struct xp_unwind_file *file;

static int map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	(void)data;
	if (address < BASE || address >= BASE + MAPPED)
		return 0;
	*ret_map = (struct xp_unwind_map){ BASE, BASE + MAPPED, 0, file, true };
	return 1;
}

/* Makes rules that look in the cache of build ids. */
static void begin(void)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "%s", elf_path("kept"));
	const struct xp_symbols_opts opts = { .size = sizeof(opts), .debug_dir = dir };
	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
}

static void finish(void)
{
	xp_unwind_free(unwind);
	xp_symbols_free(symbols);
}

/* At the first instruction of a function, the return address is where the call has put it. */
static bool finds_caller(uint64_t address)
{
	const struct xp_unwind_calls calls = { .size = sizeof(calls), .map = map };
	uint64_t stack[8] = { BASE + address + 8 }, values[33] = { 0 }, pcs[2];
	struct xp_unwind_chain chain = { .size = sizeof(chain), .pcs = pcs, .max = 2 };
	struct xp_unwind_start start = { .size = sizeof(start),
					 .stack = stack,
					 .stack_len = sizeof(stack) };
	struct xp_unwinder *unwinder;
	struct utsname machine;

	assert_int_equal(uname(&machine), 0);
	bool is_arm = strcmp(machine.machine, "x86_64") != 0;
	values[is_arm ? 30 : 6] = is_arm ? stack[0] : 1;
	values[is_arm ? 31 : 7] = STACK;
	values[is_arm ? 32 : 8] = BASE + address;
	start.regs = (struct xp_regs){ .abi = 2,
				       .mask = is_arm ? (UINT64_C(1) << 33) - 1 : 0x1ff,
				       .values = values,
				       .nr = is_arm ? 33 : 9 };
	assert_int_equal(xp_unwinder_new(unwind, NULL, &calls, &unwinder), 0);
	assert_int_equal(xp_unwinder_walk(unwinder, &start, &chain), 0);
	xp_unwinder_free(unwinder);
	bool found = chain.nr == 2 && pcs[1] == stack[0];
	assert_true(found || (chain.nr == 1 &&
			      (chain.end == XP_UNWIND_NO_INFO || chain.end >= XP_UNWIND_NO_FILE)));
	return found;
}

static void every_kind_of_file_has_rules(void **state)
{
	static const struct {
		const char *name, *symbols_of;
	} files[] = {
		{ "plain", "plain" }, { "stripped", "plain" }, { "scanned", "scanned" },
		{ "debug", "debug" }, { "packed", "packed" },  { "linked", "debug" },
		{ "alone", "debug" },
	};

	(void)state;
	begin();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		uint64_t address = elf_listed(files[i].symbols_of, "leaf");

		assert_int_equal(xp_unwind_open(unwind, elf_path(files[i].name), NULL, 0, &file),
				 0);
		if (!finds_caller(address))
			fail_msg("%s: %s", files[i].name, xp_unwind_file_reason(file));
		assert_string_equal(xp_unwind_file_reason(file), "");
		assert_string_equal(xp_unwind_file_name(file), elf_path(files[i].name));
	}
	finish();
}

/* As this process has it mapped. @inode: 0: not known; @id: NULL: likewise */
static void open_mapped(const char *path, uint64_t inode, const uint8_t *id)
{
	const struct xp_unwind_mapped mapped = { .size = sizeof(mapped),
						 .path = path,
						 .pid = getpid(),
						 .inode = inode,
						 .build_id = id,
						 .build_id_len = id ? 20 : 0 };

	assert_int_equal(xp_unwind_open_mapped(unwind, &mapped, &file), 0);
}

static void a_file_is_found_by_its_build_id(void **state)
{
	struct xp_unwind_file *same, *mapped;
	const char *gone = elf_path("gone");
	uint8_t id[20], other[20] = { 1 };

	(void)state;
	FILE *in = fopen(elf_path("id"), "r");
	assert_non_null(in);
	for (size_t i = 0; i < sizeof(id); i++)
		assert_int_equal(fscanf(in, "%2hhx", &id[i]), 1);
	fclose(in);
	begin();
	uint64_t address = elf_listed("debug", "leaf");
	assert_int_equal(xp_unwind_open(unwind, gone, id, sizeof(id), &file), 0);
	assert_true(finds_caller(address));
	assert_int_equal(xp_unwind_open(unwind, gone, id, sizeof(id), &same), 0);
	assert_ptr_equal(file, same);
	assert_int_equal(xp_unwind_open(unwind, gone, NULL, 0, &file), 0);
	assert_false(finds_caller(address));
	assert_string_equal(xp_unwind_file_reason(file), "the file does not exist");
	assert_int_equal(xp_unwind_open(unwind, elf_path("plain"), other, sizeof(other), &file), 0);
	assert_false(finds_caller(address));
	assert_string_equal(xp_unwind_file_reason(file),
			    "the file's build id differs from the recorded one");
	assert_int_equal(xp_unwind_open(unwind, elf_path("id"), NULL, 0, &file), 0);
	assert_false(finds_caller(address));
	assert_string_equal(xp_unwind_file_reason(file), "the file is damaged, or not an ELF file");
	assert_int_equal(xp_unwind_open(unwind, "[heap]", NULL, 0, &file), 0);
	assert_false(finds_caller(address));
	assert_string_equal(xp_unwind_file_reason(file), "this is not a file");

	/* One that is mapped can be deleted. */
	assert_int_equal(rename(elf_path("plain"), elf_path("moved")), 0);
	address = elf_listed("moved", "leaf");
	open_mapped(elf_path("moved"), 0, NULL);
	mapped = file;
	open_mapped(elf_path("moved"), 0, NULL);
	assert_ptr_equal(file, mapped);
	assert_int_equal(unlink(elf_path("moved")), 0);
	assert_true(finds_caller(address));
	finish();
}

/* The process goes on with the old file, whose rules are not those of the new one. */
static void a_file_that_was_replaced_is_not_used(void **state)
{
	static const char replaced[] = "the file was replaced after it had been mapped";
	struct stat old, new;
	uint8_t other[20] = { 1 };

	(void)state;
	begin();
	assert_int_equal(link(elf_path("linked"), elf_path("first")), 0);
	assert_int_equal(stat(elf_path("first"), &old), 0);
	uint64_t address = elf_listed("debug", "leaf");
	open_mapped(elf_path("first"), old.st_ino, NULL);
	assert_true(finds_caller(address));
	assert_int_equal(unlink(elf_path("first")), 0);
	assert_int_equal(link(elf_path("debug"), elf_path("first")), 0);
	assert_int_equal(stat(elf_path("first"), &new), 0);

	open_mapped(elf_path("first"), old.st_ino, NULL);
	assert_false(finds_caller(address));
	assert_string_equal(xp_unwind_file_reason(file), replaced);
	open_mapped(elf_path("first"), new.st_ino, NULL);
	assert_true(finds_caller(address));
	open_mapped(elf_path("first"), 0, other);
	assert_false(finds_caller(address));
	/* There is none any more. */
	assert_int_equal(unlink(elf_path("first")), 0);
	open_mapped(elf_path("first"), old.st_ino + 1, NULL);
	assert_false(finds_caller(address));
	assert_true(*xp_unwind_file_reason(file));
	finish();
}

static size_t peak_bytes(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return (size_t)usage.ru_maxrss * 1024;
}

/* @keeps_others: what is known of other functions is found, through the table */
static void no_description_takes_much_memory(void **state)
{
	enum { LIMIT = 64 << 20 };
	static const struct {
		const char *name;
		bool keeps_others;
	} files[] = {
		{ "register", true },        { "register-scanned", false },
		{ "register-debug", false }, { "register-packed", false },
		{ "states", true },          { "long", true },
		{ "common", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *name = files[i].name;
		struct stat size;
		size_t before = peak_bytes();

		begin();
		assert_int_equal(xp_unwind_open(unwind, elf_path(name), NULL, 0, &file), 0);
		if (finds_caller(elf_listed(name, "much")))
			fail_msg("%s: a description was used", name);
		if (files[i].keeps_others && !finds_caller(elf_listed(name, "leaf")))
			fail_msg("%s: %s", name, xp_unwind_file_reason(file));
		assert_int_equal(stat(elf_path(name), &size), 0);
		if (peak_bytes() - before > LIMIT + 2 * (size_t)size.st_size)
			fail_msg("%s: %zu bytes", name, peak_bytes() - before);
		finish();
	}
}

/* Whether this build can read call frame information. */
static bool can_read(void)
{
	bool can = elf_is_read();

	if (can) {
		begin();
		assert_int_equal(xp_unwind_open(unwind, elf_path("debug"), NULL, 0, &file), 0);
		finds_caller(elf_listed("debug", "leaf"));
		can = strcmp(xp_unwind_file_reason(file), "libdw is not installed") != 0;
		finish();
	}
	return can;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_file_has_rules),
		cmocka_unit_test(a_file_is_found_by_its_build_id),
		cmocka_unit_test(a_file_that_was_replaced_is_not_used),
		cmocka_unit_test(no_description_takes_much_memory),
	};

	if (!elf_files_make(command) || xp_ctx_new(NULL, &ctx)) {
		puts("the files cannot be made: no compiler, or no binutils");
		elf_files_remove();
		return 77;
	}
	if (!can_read()) {
		puts("there is no libelf or libdw");
		xp_ctx_free(ctx);
		elf_files_remove();
		return 77;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	xp_ctx_free(ctx);
	elf_files_remove();
	return failed;
}
