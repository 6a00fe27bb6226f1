/* SPDX-License-Identifier: MIT */
/* The kernel's names, kept in a directory: used while they are true, and only if they are ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <xperf/ctx.h>
#include <xperf/symtab.h>

#include "put-file.h"
#include "reference.h"
#include "remove-tree.h"

enum { FUNCTIONS = 3000, STEP = 256 };

static const uint64_t base = 0xffffffff81000000;
static char root[] = "/tmp/xperf-kernel-cache-XXXXXX";
static char dir[64], file[128];
static struct xp_ctx *ctx;

/* Functions of many parts; only what is in the first pages is called the same. And a module. */
static void put_kernel(const char *names, uint64_t moved, const char *module)
{
	static char text[FUNCTIONS * 64 + 256];
	size_t len = (size_t)sprintf(text, "%016llx T _text\n", (unsigned long long)(base + moved));

	for (unsigned int i = 0; i < FUNCTIONS; i++)
		len += (size_t)sprintf(text + len, "%016llx t %s_%u\n",
				       (unsigned long long)(base + moved + i * STEP),
				       i < 200 ? "same" : names, i);
	if (module)
		sprintf(text + len,
			"ffffffffc0201000 t %s_first\t[ext4]\n"
			"ffffffffc0201040 t %s_read\t[ext4]\n",
			module, module);
	put_file(root, text, "/proc/kallsyms");
}

static void put_boot(const char *name)
{
	put_file(root, name, "/proc/sys/kernel/random/boot_id");
}

static void put_notes(void)
{
	char note[36] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU", full[128];

	memset(note + 16, 'k', 20);
	put_file(root, "", "/sys/kernel/notes");
	snprintf(full, sizeof(full), "%s/sys/kernel/notes", root);
	FILE *out = fopen(full, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(note, 1, sizeof(note), out), sizeof(note));
	fclose(out);
}

static struct xp_symbols *open_symbols(void)
{
	const struct xp_symbols_opts opts = { .size = sizeof(opts),
					      .cache_dir = dir,
					      .debug_dir = root };
	struct xp_symbols *symbols = NULL;

	assert_int_equal(xp_symbols_new(ctx, &opts, &symbols), 0);
	return symbols;
}

/* What a command that starts now calls an address; "": nothing. */
static const char *name_now(const char *path, uint64_t address)
{
	static char name[64];
	struct xp_symbols *symbols = open_symbols();
	struct xp_symtab *symtab;
	struct xp_function function = { .name = "" };
	uint64_t text;

	assert_int_equal(xp_symbols_open(symbols, path, NULL, 0, &symtab), 0);
	xp_symtab_find(symtab, address, &function);
	snprintf(name, sizeof(name), "%s", function.name);
	if (*path == '[' && path[1] == 'k' && *name)
		assert_int_equal(xp_symtab_reference(symtab, "_text", &text), 0);
	xp_symbols_free(symbols);
	return name;
}

static const char *kernel_name(unsigned int i)
{
	return name_now("[kernel.kallsyms]", base + (uint64_t)i * STEP + 5);
}

/* A machine that has just been booted, and one command that has asked for the kernel's names. */
static void begin(const char *module)
{
	char line[256];

	snprintf(line, sizeof(line), "rm -rf %s/*", root);
	assert_int_equal(system(line), 0);
	put_boot("39be87e0-9bf4-421d-8b04-30d0f39d8c28\n");
	put_notes();
	put_kernel("old", 0, module);
	put_file(root, module ? "ext4 1000 1 - Live 0xffffffffc0201000\n" : "", "/proc/modules");
	put_file(root, "", "/sys/module/ext4/refcnt");
	put_file(root, "", "/cache/there");
	assert_string_equal(kernel_name(2500), "old_2500");
	assert_int_equal(access(file, F_OK), 0);
}

static void names_are_read_once_per_boot(void **state)
{
	struct stat st;

	(void)state;
	begin(NULL);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* It differs where nobody looks, so what is found is what was kept. */
	put_kernel("new", 0, NULL);
	assert_string_equal(kernel_name(10), "same_10");
	assert_string_equal(kernel_name(2500), "old_2500");
	put_boot("another boot of the machine\n");
	assert_string_equal(kernel_name(2500), "new_2500");
	put_kernel("newer", 0, NULL);
	assert_string_equal(kernel_name(2500), "new_2500");
}

static void addresses_that_moved_are_noticed(void **state)
{
	(void)state;
	begin(NULL);
	put_kernel("new", 0x200000, NULL);
	assert_string_equal(kernel_name(0), "");
	assert_string_equal(name_now("[kernel.kallsyms]", base + 0x200000 + 2500 * STEP),
			    "new_2500");
}

static void hidden_addresses_stay_hidden(void **state)
{
	struct xp_symtab *symtab;

	(void)state;
	begin(NULL);
	put_file(root, "0000000000000000 T _text\n0000000000000000 t secret\n", "/proc/kallsyms");
	struct xp_symbols *symbols = open_symbols();
	assert_int_equal(xp_symbols_open(symbols, "[kernel.kallsyms]", NULL, 0, &symtab), 0);
	assert_int_equal(xp_symtab_get_state(symtab), XP_SYMTAB_HIDDEN);
	xp_symbols_free(symbols);
}

static void modules_are_those_that_are_loaded(void **state)
{
	char path[128];

	(void)state;
	begin("old");
	put_kernel("new", 0, "new");
	assert_string_equal(name_now("[ext4]", 0x45), "old_read");
	/* It is used by one more, which changes nothing. */
	put_file(root, "ext4 1000 2 - Live 0xffffffffc0201000\n", "/proc/modules");
	assert_string_equal(name_now("[ext4]", 0x45), "old_read");
	/* One that is in no list is looked for in what the kernel prints now, and that is kept. */
	assert_string_equal(name_now("[unlisted]", 0x45), "");
	assert_string_equal(name_now("[ext4]", 0x45), "new_read");
	put_kernel("newer", 0, "moved");
	put_file(root, "ext4 1000 2 - Live 0xffffffffc0301000\n", "/proc/modules");
	assert_string_equal(name_now("[ext4]", 0x45), "moved_read");
	/* Loaded again at the same place: its directory is another one. */
	put_kernel("newest", 0, "again");
	snprintf(path, sizeof(path), "%s/sys/module/old", root);
	put_file(root, "", "/sys/module/old/refcnt");
	char ext4[128], kept[128];
	snprintf(ext4, sizeof(ext4), "%s/sys/module/ext4", root);
	snprintf(kept, sizeof(kept), "%s/sys/module/kept", root);
	assert_int_equal(rename(ext4, kept), 0);
	assert_int_equal(rename(path, ext4), 0);
	assert_string_equal(name_now("[ext4]", 0x45), "again_read");
	assert_string_equal(kernel_name(2500), "newest_2500");
}

static void change_byte(long offset)
{
	int fd = open(file, O_RDWR | O_CLOEXEC);
	char byte;

	assert_int_equal(pread(fd, &byte, 1, offset), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
	close(fd);
}

static void damage_is_noticed(void **state)
{
	static const unsigned int asked[] = { 1, 700, 1500, 2999 };
	struct stat st;

	(void)state;
	begin(NULL);
	assert_int_equal(stat(file, &st), 0);
	for (long at = 0; at < st.st_size; at += at < 200 ? 17 : st.st_size / 12) {
		char name[16];

		change_byte(at);
		for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
			snprintf(name, sizeof(name), "%s_%u", i ? "old" : "same", asked[i]);
			assert_string_equal(kernel_name(asked[i]), name);
		}
		begin(NULL);
	}
	for (long len = 0; len < st.st_size; len += st.st_size / 6) {
		assert_int_equal(truncate(file, len), 0);
		assert_string_equal(kernel_name(2500), "old_2500");
		begin(NULL);
	}
}

/* Each makes it one that is not believed. */
static void let_others_write(void)
{
	assert_int_equal(chmod(file, 0620), 0);
}

static void let_others_write_dir(void)
{
	assert_int_equal(chmod(dir, 0777), 0);
}

static void let_others_write_above(void)
{
	char above[64];

	snprintf(above, sizeof(above), "%s/cache", root);
	assert_int_equal(chmod(above, 0777), 0);
}

static void make_link(void)
{
	char other[128];

	snprintf(other, sizeof(other), "%s/cache/other", root);
	assert_int_equal(rename(file, other), 0);
	assert_int_equal(symlink(other, file), 0);
}

static void make_dir_link(void)
{
	char other[128];

	snprintf(other, sizeof(other), "%s/cache/other", root);
	assert_int_equal(rename(dir, other), 0);
	assert_int_equal(symlink(other, dir), 0);
}

static void give_away(void)
{
	if (!geteuid())
		assert_int_equal(chown(file, 65534, 65534), 0);
	else
		let_others_write();
}

static void what_others_could_have_written_is_not_read(void **state)
{
	static void (*const ways[])(void) = { let_others_write,       let_others_write_dir,
					      let_others_write_above, make_link,
					      make_dir_link,          give_away };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		begin(NULL);
		put_kernel("new", 0, NULL);
		ways[i]();
		assert_string_equal(kernel_name(2500), "new_2500");
	}
}

static void names_are_found_where_nothing_can_be_kept(void **state)
{
	char line[128];

	(void)state;
	begin(NULL);
	assert_int_equal(remove_tree(dir), 0);
	put_file(root, "no directory", "/cache/xperf");
	assert_string_equal(kernel_name(2500), "old_2500");
	put_kernel("new", 0, NULL);
	assert_string_equal(kernel_name(2500), "new_2500");
	/* Without the id of the boot there is nothing to know it by. */
	begin(NULL);
	snprintf(line, sizeof(line), "rm %s/proc/sys/kernel/random/boot_id", root);
	assert_int_equal(system(line), 0);
	put_kernel("new", 0, NULL);
	assert_string_equal(kernel_name(2500), "new_2500");
}

static void old_files_are_removed(void **state)
{
	int nr = 0;

	(void)state;
	begin(NULL);
	for (int i = 0; i < 6; i++)
		put_file(root, "old", "/cache/xperf/kernel-%d", i);
	put_file(root, "another one's", "/cache/xperf/settings");
	put_boot("another boot of the machine\n");
	assert_string_equal(kernel_name(2500), "old_2500");
	DIR *list = opendir(dir);
	for (const struct dirent *entry; (entry = readdir(list));)
		nr += !strncmp(entry->d_name, "kernel-", 7);
	closedir(list);
	assert_int_equal(nr, 4);
	assert_int_equal(access(file, F_OK), 0);
	put_file(root, "still there", "/cache/xperf/settings");
}

static int make(void **state)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = root };

	(void)state;
	if (!mkdtemp(root))
		return 1;
	snprintf(dir, sizeof(dir), "%s/cache/xperf", root);
	snprintf(file, sizeof(file), "%s/kernel-6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b6b", dir);
	return xp_ctx_new(&opts, &ctx);
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
		cmocka_unit_test(names_are_read_once_per_boot),
		cmocka_unit_test(addresses_that_moved_are_noticed),
		cmocka_unit_test(hidden_addresses_stay_hidden),
		cmocka_unit_test(modules_are_those_that_are_loaded),
		cmocka_unit_test(damage_is_noticed),
		cmocka_unit_test(what_others_could_have_written_is_not_read),
		cmocka_unit_test(names_are_found_where_nothing_can_be_kept),
		cmocka_unit_test(old_files_are_removed),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
