/* SPDX-License-Identifier: MIT */
/* Build ids: of files and notes, of what records map, and the cache perf looks into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <byteswap.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "build-id.h"
#include "build-ids.h"
#include "forward.h"
#include "put-file.h"
#include "remove-tree.h"
#include "str.h"

static struct {
	char root[64];
	struct xp_ctx *ctx;
	struct forward forward;
	struct xp_build_ids *ids;
	struct xp_str text; /* what a walk gave, as lines */
} t;

static int begin(void **state)
{
	struct xp_ctx_opts opts = { .size = sizeof(opts), .root = t.root };

	(void)state;
	memset(&t, 0, sizeof(t));
	strcpy(t.root, "/tmp/xperf-build-ids-XXXXXX");
	assert_non_null(mkdtemp(t.root));
	forward_init(&t.forward, xp_sys_linux());
	opts.sys = &t.forward.sys;
	assert_int_equal(xp_ctx_new(&opts, &t.ctx), 0);
	assert_int_equal(xp_build_ids_new(t.ctx, &t.ids), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	xp_build_ids_free(t.ids);
	xp_ctx_free(t.ctx);
	xp_str_fini(&t.text);
	return remove_tree(t.root);
}

/* Notes: one that is none of ours, then a build id of @len bytes, each @byte. */
static size_t make_notes(char *notes, uint8_t byte, uint32_t len, bool swapped)
{
	uint32_t words[] = { 4, 5, 1 }, id[] = { 4, len, NT_GNU_BUILD_ID };

	for (int i = 0; i < 3 && swapped; i++) {
		words[i] = bswap_32(words[i]);
		id[i] = bswap_32(id[i]);
	}
	memset(notes, 0, 64 + len);
	memcpy(notes, words, 12);
	memcpy(notes + 12, "GNU\0hello", 9);
	memcpy(notes + 24, id, 12);
	memcpy(notes + 36, "GNU", 4);
	memset(notes + 40, byte, len);
	return 40 + ((len + 3) & ~3U);
}

static void put_bytes(const char *path, const void *bytes, size_t len)
{
	char full[512];

	put_file(t.root, "", "%s", path);
	snprintf(full, sizeof(full), "%s%s", t.root, path);
	int fd = open(full, O_WRONLY | O_TRUNC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/* A 64-bit file of this machine with a note segment, or none for a @byte of 0. */
static void put_elf(const char *path, uint8_t byte)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[2];
		char notes[128];
	} file = { 0 };

	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = ELFCLASS64;
	file.header.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	file.header.e_phoff = offsetof(__typeof__(file), segments);
	file.header.e_phnum = 2;
	file.segments[0].p_type = PT_LOAD;
	file.segments[1].p_type = byte ? PT_NOTE : PT_NULL;
	file.segments[1].p_offset = offsetof(__typeof__(file), notes);
	file.segments[1].p_filesz = make_notes(file.notes, byte, 20, false);
	put_bytes(path, &file, sizeof(file));
}

static const char *below_root(const char *path)
{
	static char full[2][sizeof(t.root) + 512]; /* two may be in use at once */
	static int turn;

	turn = !turn;
	snprintf(full[turn], sizeof(full[turn]), "%s%s", t.root, path);
	return full[turn];
}

static void the_id_of_a_file(void **state)
{
	struct xp_build_id id;
	struct xp_diag diag = { 0 };

	(void)state;
	put_elf("/a", 0xab);
	assert_int_equal(xp_symbol_build_id(below_root("/a"), &id, NULL), 0);
	assert_int_equal(id.len, 20);
	assert_int_equal(id.bytes[0], 0xab);
	assert_int_equal(id.bytes[19], 0xab);
	put_elf("/b", 0);
	assert_int_equal(xp_symbol_build_id(below_root("/b"), &id, &diag), -ENODATA);
	assert_non_null(strstr(diag.what, "has no build id"));
	put_file(t.root, "#!/bin/sh\n", "/c");
	assert_int_equal(xp_symbol_build_id(below_root("/c"), &id, &diag), -ENOEXEC);
	assert_int_equal(xp_symbol_build_id(below_root("/d"), &id, &diag), -ENOENT);
	assert_int_equal(xp_symbol_build_id("/", &id, &diag), -ENOEXEC);
	assert_int_equal(mkfifo(below_root("/e"), 0600), 0);
	assert_int_equal(xp_symbol_build_id(below_root("/e"), &id, &diag), -ENOEXEC);
}

/* 32 bits, the other byte order, sections only, and a longer id than perf.data has room for. */
static void the_id_of_a_foreign_module(void **state)
{
	struct {
		Elf32_Ehdr header;
		Elf32_Shdr sections[2];
		char notes[128];
	} file = { 0 };
	bool is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct xp_build_id id;

	(void)state;
	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = ELFCLASS32;
	file.header.e_ident[EI_DATA] = is_big ? ELFDATA2LSB : ELFDATA2MSB;
	file.header.e_shoff = bswap_32(offsetof(__typeof__(file), sections));
	file.header.e_shnum = bswap_16(2);
	file.sections[1].sh_type = bswap_32(SHT_NOTE);
	file.sections[1].sh_offset = bswap_32(offsetof(__typeof__(file), notes));
	file.sections[1].sh_size = bswap_32((uint32_t)make_notes(file.notes, 0x11, 32, true));
	put_bytes("/a", &file, sizeof(file));
	assert_int_equal(xp_symbol_build_id(below_root("/a"), &id, NULL), 0);
	assert_int_equal(id.len, 20);
	assert_int_equal(id.bytes[19], 0x11);
}

static void damaged_notes_have_none(void **state)
{
	struct xp_build_id id;
	char notes[128];

	(void)state;
	size_t len = make_notes(notes, 1, 20, false);
	assert_true(xp_build_id_of_notes(notes, len, &xp_notes_native, &id));
	for (size_t i = 0; i < len; i++)
		assert_false(xp_build_id_of_notes(notes, i, &xp_notes_native, &id));
	memset(notes, 0xff, 12);
	assert_false(xp_build_id_of_notes(notes, len, &xp_notes_native, &id));
}

/* A map as a record; @st NULL: MMAP, which has no inode. */
static void add(const char *name, const struct stat *st, uint16_t misc, pid_t pid)
{
	union {
		struct xp_record_mmap mmap;
		struct xp_record_mmap2 mmap2;
		char bytes[512];
	} rec = { 0 };
	size_t fixed = st ? sizeof(rec.mmap2) : sizeof(rec.mmap);

	rec.mmap.header.type = st ? XP_RECORD_MMAP2 : XP_RECORD_MMAP;
	rec.mmap.header.misc = misc;
	rec.mmap.header.size = (uint16_t)((fixed + strlen(name) + 8) & ~(size_t)7);
	rec.mmap.pid = (uint32_t)pid;
	rec.mmap.len = 4096;
	if (st) {
		rec.mmap2.inode = st->st_ino;
		rec.mmap2.major = major(st->st_dev);
		rec.mmap2.minor = minor(st->st_dev);
	}
	strcpy(rec.bytes + fixed, name);
	assert_int_equal(xp_build_ids_add(t.ids, &rec.mmap.header), 0);
}

/* The file at a path below the root, as a process has mapped it. */
static void add_file(const char *name, const char *path)
{
	struct stat st;

	assert_int_equal(stat(below_root(path), &st), 0);
	add(name, &st, XP_MISC_USER, 77);
}

static int keep_record(const struct xp_record *record, void *data)
{
	const struct xp_record_build_id *id = (const void *)record;
	const char *name = (const char *)(id + 1);

	assert_int_equal(record->type, XP_RECORD_HEADER_BUILD_ID);
	assert_int_equal(record->size % 8, 0);
	assert_int_equal(id->pid, -1);
	assert_true(strlen(name) < record->size - sizeof(*id));
	xp_str_addf(&t.text, "%#x %u %02x%02x %s\n", record->misc, id->build_id_size,
		    id->build_id[0], id->build_id[19], name);
	return data ? 9 : 0;
}

static const char *walk(void)
{
	xp_str_fini(&t.text);
	memset(&t.text, 0, sizeof(t.text));
	assert_int_equal(xp_build_ids_walk(t.ids, keep_record, NULL), 0);
	return xp_str_text(&t.text);
}

static void put_notes(const char *path, uint8_t byte)
{
	char notes[128];

	put_bytes(path, notes, make_notes(notes, byte, 20, false));
}

static void files_and_the_kernel(void **state)
{
	(void)state;
	put_elf("/lib/a.so", 0xaa);
	put_elf("/lib/b.so", 0xbb);
	put_elf("/lib/none.so", 0);
	put_notes("/sys/kernel/notes", 0x33);
	put_notes("/sys/module/snd_hda/notes/.note.gnu.build-id", 0x44);
	put_notes("/sys/module/ext4/notes/.note.gnu.build-id", 0x55);
	for (int i = 0; i < 3; i++) {
		add_file("/lib/a.so", "/lib/a.so");
		add_file("/lib/b.so", "/lib/b.so");
	}
	add_file("/lib/none.so", "/lib/none.so");
	add("//anon", NULL, XP_MISC_USER, 77);
	add("[heap]", NULL, XP_MISC_USER, 77);
	add("/dev/zero (deleted)", NULL, XP_MISC_USER, 77);
	add("/lib/a.so", NULL, XP_MISC_USER | XP_MISC_MMAP_DATA, 77);
	add("/lib/gone.so", NULL, XP_MISC_USER, 77);
	add("[kernel.kallsyms]_text", NULL, XP_MISC_KERNEL, -1);
	add("/lib/modules/6.1/snd-hda.ko.xz", NULL, XP_MISC_KERNEL, -1);
	add("[ext4]", NULL, XP_MISC_KERNEL, -1);
	add("[../../etc]", NULL, XP_MISC_KERNEL, -1);
	assert_string_equal(walk(), "0x8001 20 3333 [kernel.kallsyms]\n"
				    "0x8001 20 4444 /lib/modules/6.1/snd-hda.ko.xz\n"
				    "0x8001 20 5555 [ext4]\n"
				    "0x8002 20 aaaa /lib/a.so\n"
				    "0x8002 20 bbbb /lib/b.so\n");
	assert_int_equal(xp_build_ids_walk(t.ids, keep_record, &t), 9);
}

/* What a process has mapped may be in its own tree, and be another file than the one of that name
 * here. */
static void a_file_of_another_root(void **state)
{
	(void)state;
	put_elf("/lib/a.so", 0xaa);
	put_elf("/proc/77/root/lib/a.so", 0xcc);
	put_elf("/proc/77/root/lib/c.so", 0xdd);
	add_file("/lib/a.so", "/proc/77/root/lib/a.so");
	add_file("/lib/a.so", "/lib/a.so");
	add_file("/lib/c.so", "/proc/77/root/lib/c.so");
	assert_string_equal(walk(), "0x8002 20 cccc /lib/a.so\n"
				    "0x8002 20 aaaa /lib/a.so\n"
				    "0x8002 20 dddd /lib/c.so\n");
}

static void a_replaced_file_is_not_mistaken(void **state)
{
	struct stat old;

	(void)state;
	put_elf("/lib/a.so", 0xaa);
	assert_int_equal(stat(below_root("/lib/a.so"), &old), 0);
	put_elf("/lib/new.so", 0xbb);
	assert_int_equal(rename(below_root("/lib/new.so"), below_root("/lib/a.so")), 0);
	add("/lib/a.so", &old, XP_MISC_USER, 77);
	assert_string_equal(walk(), "");
}

static void a_deleted_file_is_read_through_its_map(void **state)
{
	struct stat st;

	(void)state;
	put_elf("/proc/77/map_files/0-1000", 0xee);
	assert_int_equal(stat(below_root("/proc/77/map_files/0-1000"), &st), 0);
	add("/lib/a.so (deleted)", &st, XP_MISC_USER, 77);
	assert_string_equal(walk(), "0x8002 20 eeee /lib/a.so (deleted)\n");
}

static void an_id_in_the_record_is_used(void **state)
{
	struct {
		struct xp_record_mmap2 mmap2;
		char name[16];
	} rec = { .mmap2 = { .header = { XP_RECORD_MMAP2, XP_MISC_USER | XP_MISC_MMAP_BUILD_ID,
					 sizeof(rec) },
			     .build_id_size = 20 },
		  .name = "/no/such/file" };

	(void)state;
	memset(rec.mmap2.build_id, 0x77, 20);
	assert_int_equal(xp_build_ids_add(t.ids, &rec.mmap2.header), 0);
	assert_int_equal(xp_build_ids_add(t.ids, &rec.mmap2.header), 0);
	memset(rec.mmap2.build_id, 0x88, 20);
	assert_int_equal(xp_build_ids_add(t.ids, &rec.mmap2.header), 0);
	/* those that have none, but device and inode, and damaged ones are passed over */
	rec.mmap2.build_id_size = 8;
	assert_int_equal(xp_build_ids_add(t.ids, &rec.mmap2.header), 0);
	rec.mmap2.build_id_size = 21;
	assert_int_equal(xp_build_ids_add(t.ids, &rec.mmap2.header), 0);
	memset(rec.name, 'x', sizeof(rec.name));
	rec.mmap2.build_id_size = 20;
	assert_int_equal(xp_build_ids_add(t.ids, &rec.mmap2.header), 0);
	rec.mmap2.header.size = 8;
	assert_int_equal(xp_build_ids_add(t.ids, &rec.mmap2.header), 0);
	assert_string_equal(walk(), "0x8002 20 7777 /no/such/file\n"
				    "0x8002 20 8888 /no/such/file\n");
}

static void many_files(void **state)
{
	enum { NR = 1000 };
	char name[32];
	struct stat st = { .st_ino = 1 };
	int lines = 0;

	(void)state;
	put_elf("/a", 0xaa);
	assert_int_equal(stat(below_root("/a"), &st), 0);
	for (int i = 0; i < 2 * NR; i++) {
		snprintf(name, sizeof(name), "/link-%d", i % NR);
		if (i < NR) {
			char full[128];

			snprintf(full, sizeof(full), "%s%s", t.root, name);
			assert_int_equal(link(below_root("/a"), full), 0);
		}
		add(name, &st, XP_MISC_USER, i);
	}
	for (const char *at = walk(); (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, NR);
}

/* The content of a file below the root; NULL: there is none. */
static char *content(const char *fmt, ...)
{
	static char text[8192];
	char path[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	int fd = open(below_root(path), O_RDONLY);
	if (fd < 0)
		return NULL;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

#define HEX20(x) x x x x x x x x x x x x x x x x x x x x
#define HEX19(x) x x x x x x x x x x x x x x x x x x x

static void the_cache_is_as_perf_has_it(void **state)
{
	char cache[128], target[PATH_MAX];
	struct stat st, file;

	(void)state;
	put_elf("/lib/a.so", 0xaa);
	put_notes("/sys/kernel/notes", 0x33);
	put_file(t.root, "ffffffff81000000 T _text\n", "/proc/kallsyms");
	add_file("/lib/a.so", "/lib/a.so");
	add("[kernel.kallsyms]_text", NULL, XP_MISC_KERNEL, -1);
	add("[vdso]", NULL, XP_MISC_USER, 77);
	snprintf(cache, sizeof(cache), "%s/home/me/.debug", t.root);
	for (int again = 0; again < 2; again++)
		assert_int_equal(xp_build_ids_cache(t.ids, cache, NULL), 0);
	assert_int_equal(stat(below_root("/home/me/.debug/lib/a.so/" HEX20("aa") "/elf"), &st), 0);
	assert_int_equal(stat(below_root("/lib/a.so"), &file), 0);
	assert_int_equal(st.st_ino, file.st_ino);
	ssize_t len = readlink(below_root("/home/me/.debug/.build-id/aa/" HEX19("aa")), target,
			       sizeof(target));
	assert_true(len > 0);
	target[len] = '\0';
	assert_string_equal(target, "../../lib/a.so/" HEX20("aa"));
	assert_string_equal(content("/home/me/.debug/.build-id/33/" HEX19("33") "/kallsyms"),
			    "ffffffff81000000 T _text\n");
	assert_int_equal(stat(cache, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(stat(below_root("/home/me/.debug/[vdso]"), &st), 0);
}

static int refuse_link(const struct xp_sys *sys, int fd, const char *path)
{
	(void)sys, (void)fd, (void)path;
	return -EXDEV;
}

static void what_cannot_be_linked_is_copied(void **state)
{
	struct stat copy, file;

	(void)state;
	t.forward.sys.link = refuse_link;
	put_elf("/lib/a.so", 0xaa);
	add_file("/lib/a.so", "/lib/a.so");
	assert_int_equal(xp_build_ids_cache(t.ids, below_root("/cache"), NULL), 0);
	assert_int_equal(stat(below_root("/cache/.build-id/aa/" HEX19("aa") "/elf"), &copy), 0);
	assert_int_equal(stat(below_root("/lib/a.so"), &file), 0);
	assert_int_equal(copy.st_size, file.st_size);
	assert_true(copy.st_ino != file.st_ino);
}

static ssize_t full_disk(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr,
			 int64_t offset)
{
	(void)sys, (void)fd, (void)pieces, (void)nr, (void)offset;
	return -ENOSPC;
}

static int no_clone(const struct xp_sys *sys, int fd, unsigned long request, unsigned long arg)
{
	(void)sys, (void)fd, (void)request, (void)arg;
	return -EOPNOTSUPP;
}

static int names_below(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (flag != FTW_D && flag != FTW_DP)
		xp_str_addf(&t.text, "%s\n", path);
	return 0;
}

static void a_full_disk_leaves_nothing_half_done(void **state)
{
	struct xp_diag diag = { 0 };

	(void)state;
	t.forward.sys.link = refuse_link;
	t.forward.sys.ioctl = no_clone;
	t.forward.sys.pwritev = full_disk;
	put_elf("/lib/a.so", 0xaa);
	add_file("/lib/a.so", "/lib/a.so");
	assert_int_equal(xp_build_ids_cache(t.ids, below_root("/cache"), &diag), -ENOSPC);
	assert_non_null(strstr(diag.what, "/cache' cannot be written"));
	nftw(below_root("/cache"), names_below, 16, FTW_PHYS);
	assert_string_equal(xp_str_text(&t.text), "");
}

/* Names of a foreign mount namespace may be anything. */
static void odd_names_stay_outside(void **state)
{
	struct stat st;

	(void)state;
	put_elf("/proc/77/root/a", 0xaa);
	assert_int_equal(stat(below_root("/proc/77/root/a"), &st), 0);
	put_file(t.root, NULL, "/proc/77/root/x");
	add("/x/../a", &st, XP_MISC_USER, 77);
	assert_string_equal(walk(), "0x8002 20 aaaa /x/../a\n");
	assert_int_equal(xp_build_ids_cache(t.ids, below_root("/cache"), NULL), 0);
	nftw(below_root("/cache"), names_below, 16, FTW_PHYS);
	assert_null(strstr(xp_str_text(&t.text), "elf"));
}

/* A process in a mount namespace of its own. */
static void make_container(void)
{
	put_file(t.root, "", "/proc/self/ns/mnt");
	put_file(t.root, "", "/proc/77/ns/mnt");
}

/* A text of what is kept, with at most @max_bytes. */
static const char *keep(uint64_t max_bytes)
{
	static char text[128];
	struct xp_build_ids_kept kept = { .size = sizeof(kept) };

	assert_int_equal(xp_build_ids_keep(t.ids, below_root("/cache"), max_bytes, &kept, NULL), 0);
	snprintf(text, sizeof(text), "%u kept, %s bytes, %u lost, %s", (unsigned int)kept.files,
		 kept.bytes ? "some" : "no", (unsigned int)kept.lost,
		 kept.a_lost_file ? kept.a_lost_file : "none");
	return text;
}

static bool is_there(const char *path)
{
	struct stat st;

	return !stat(below_root(path), &st);
}

static void what_a_report_finds_is_not_kept(void **state)
{
	(void)state;
	make_container();
	put_elf("/lib/a.so", 0xaa);
	put_elf("/lib/b.so", 0xbb);
	put_elf("/lib/none.so", 0);
	put_elf("/proc/77/root/lib/c.so", 0xcc);
	add_file("/lib/a.so", "/lib/a.so");
	add_file("/lib/b.so", "/lib/b.so");
	add_file("/lib/none.so", "/lib/none.so");
	add_file("/lib/c.so", "/proc/77/root/lib/c.so");
	walk();
	/* It was installed once more. */
	put_elf("/lib/new.so", 0xbb);
	assert_int_equal(rename(below_root("/lib/new.so"), below_root("/lib/b.so")), 0);
	assert_string_equal(keep(UINT64_MAX), "0 kept, no bytes, 0 lost, none");
	assert_false(is_there("/cache"));
}

static void files_of_a_container_that_ended_are_kept(void **state)
{
	(void)state;
	make_container();
	put_elf("/lib/a.so", 0xaa);
	put_elf("/proc/77/root/lib/a.so", 0xcc);
	put_elf("/proc/77/root/lib/none.so", 0);
	add_file("/lib/a.so", "/proc/77/root/lib/a.so");
	add_file("/lib/none.so", "/proc/77/root/lib/none.so");
	assert_string_equal(walk(), "0x8002 20 cccc /lib/a.so\n");
	assert_int_equal(remove_tree(below_root("/proc/77")), 0);
	assert_string_equal(keep(UINT64_MAX), "2 kept, some bytes, 0 lost, none");
	assert_true(is_there("/cache/.build-id/cc/" HEX19("cc") "/elf"));
	assert_true(is_there("/cache/lib/none.so"));
	/* It got an id, which is that of its content. */
	assert_non_null(strstr(walk(), " /lib/none.so\n"));
	assert_string_equal(keep(UINT64_MAX), "2 kept, no bytes, 0 lost, none");
}

static void what_is_gone_is_lost(void **state)
{
	struct stat st;

	(void)state;
	make_container();
	put_elf("/proc/77/root/lib/a.so", 0xaa);
	put_elf("/proc/77/root/lib/b.so", 0xbb);
	add_file("/lib/a.so", "/proc/77/root/lib/a.so");
	add_file("/lib/b.so", "/proc/77/root/lib/b.so");
	put_elf("/lib/c.so", 0xcc);
	add_file("/lib/c.so", "/lib/c.so");
	walk();
	assert_int_equal(unlink(below_root("/lib/c.so")), 0);
	assert_int_equal(stat(below_root("/proc/77/root/lib/a.so"), &st), 0);
	assert_int_equal(remove_tree(below_root("/proc/77")), 0);
	assert_string_equal(keep((uint64_t)st.st_size), "1 kept, some bytes, 2 lost, /lib/b.so");
}

/* The user of a process in a container is @user. */
static void make_list(uid_t user)
{
	char status[64];

	make_container();
	snprintf(status, sizeof(status), "Name:\tx\nUid:\t1\t%u\t2\t3\nNSpid:\t77\t9\t3\n", user);
	put_file(t.root, "", "/proc/77/root/tmp/other");
	put_file(t.root, "1000 40 made\n", "/proc/77/root/tmp/perf-3.map");
	put_file(t.root, status, "/proc/77/status");
}

static void a_list_of_made_code_is_kept(void **state)
{
	(void)state;
	make_list(geteuid());
	add("//anon", NULL, XP_MISC_USER, 77);
	add("//anon", NULL, XP_MISC_USER, 77);
	/* This one has ended. */
	add("//anon", NULL, XP_MISC_USER, 78);
	assert_string_equal(walk(), "");
	assert_string_equal(keep(UINT64_MAX), "1 kept, some bytes, 0 lost, none");
	assert_non_null(strstr(walk(), " /tmp/perf-77.map\n"));
	assert_true(is_there("/cache/tmp/perf-77.map"));
}

static void a_list_of_another_user_is_not_kept(void **state)
{
	(void)state;
	if (!geteuid())
		skip();
	make_list(geteuid() + 1);
	add("//anon", NULL, XP_MISC_USER, 77);
	walk();
	assert_string_equal(keep(UINT64_MAX), "0 kept, no bytes, 0 lost, none");
}

static void a_list_that_is_a_link_is_not_kept(void **state)
{
	(void)state;
	make_list(geteuid());
	assert_int_equal(unlink(below_root("/proc/77/root/tmp/perf-3.map")), 0);
	assert_int_equal(symlink("other", below_root("/proc/77/root/tmp/perf-3.map")), 0);
	add("//anon", NULL, XP_MISC_USER, 77);
	walk();
	assert_string_equal(keep(UINT64_MAX), "0 kept, no bytes, 0 lost, none");
}

static void a_deleted_program_is_kept_by_its_name(void **state)
{
	struct stat st;

	(void)state;
	put_elf("/proc/77/map_files/0-1000", 0xee);
	assert_int_equal(stat(below_root("/proc/77/map_files/0-1000"), &st), 0);
	add("/bin/a (deleted)", &st, XP_MISC_USER, 77);
	assert_string_equal(walk(), "0x8002 20 eeee /bin/a (deleted)\n");
	assert_string_equal(keep(UINT64_MAX), "1 kept, some bytes, 0 lost, none");
	assert_true(is_there("/cache/bin/a/" HEX20("ee") "/elf"));
	assert_true(is_there("/cache/.build-id/ee/" HEX19("ee") "/elf"));
}

static uid_t other_user(const struct xp_sys *sys)
{
	(void)sys;
	return geteuid() + 1;
}

static void a_cache_of_another_user_is_refused(void **state)
{
	struct xp_diag diag = { 0 };

	(void)state;
	put_file(t.root, NULL, "/cache");
	put_elf("/lib/a.so", 0xaa);
	add_file("/lib/a.so", "/lib/a.so");
	t.forward.sys.euid = other_user;
	assert_int_equal(xp_build_ids_cache(t.ids, below_root("/cache"), &diag), -EPERM);
	assert_non_null(strstr(diag.what, "belongs to another user"));
	put_file(t.root, "", "/file");
	assert_int_equal(xp_build_ids_cache(t.ids, below_root("/file/cache"), &diag), -ENOTDIR);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_id_of_a_file),
		TEST(the_id_of_a_foreign_module),
		TEST(damaged_notes_have_none),
		TEST(files_and_the_kernel),
		TEST(a_file_of_another_root),
		TEST(a_replaced_file_is_not_mistaken),
		TEST(a_deleted_file_is_read_through_its_map),
		TEST(an_id_in_the_record_is_used),
		TEST(many_files),
		TEST(the_cache_is_as_perf_has_it),
		TEST(what_cannot_be_linked_is_copied),
		TEST(a_full_disk_leaves_nothing_half_done),
		TEST(odd_names_stay_outside),
		TEST(what_a_report_finds_is_not_kept),
		TEST(files_of_a_container_that_ended_are_kept),
		TEST(what_is_gone_is_lost),
		TEST(a_list_of_made_code_is_kept),
		TEST(a_list_of_another_user_is_not_kept),
		TEST(a_list_that_is_a_link_is_not_kept),
		TEST(a_deleted_program_is_kept_by_its_name),
		TEST(a_cache_of_another_user_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
