/* SPDX-License-Identifier: MIT */
/* Which file a recording goes to, and what becomes of the one that was there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "put-file.h"
#include "writer-fixture.h"

/* Opens @name in the fixture's directory. Returns what xp_data_writer_open() said. */
static int open_at(struct writer_fixture *f, const char *name, struct xp_data_writer_opts opts)
{
	snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name);
	opts.size = sizeof(opts);
	opts.path = f->path;
	return xp_data_writer_open(f->ctx, &opts, &f->writer, &f->diag);
}

static int open_plain(struct writer_fixture *f, const char *name)
{
	return open_at(f, name, (struct xp_data_writer_opts){ 0 });
}

/* Records a little into the file that is open. */
static void record(struct writer_fixture *f)
{
	for (int i = 0; i < 2; i++) {
		struct xp_data_event event = fixture_event(i);

		assert_int_equal(xp_data_writer_add_event(f->writer, &event), 0);
	}
	assert_int_equal(xp_data_writer_start(f->writer, &f->diag), 0);
	f->sent_len = 0;
	assert_int_equal(fixture_send(f, 3, false), 0);
	assert_int_equal(xp_data_writer_finish(f->writer, &f->diag), 0);
	xp_data_writer_free(f->writer);
	f->writer = NULL;
}

static bool exists(const struct writer_fixture *f, const char *name)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	return !lstat(path, &st);
}

static void assert_holds(const struct writer_fixture *f, const char *name, const char *text)
{
	char path[128], got[64] = { 0 };

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	got[fread(got, 1, sizeof(got) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(got, text);
}

static void the_old_one_is_renamed(void **state)
{
	struct writer_fixture f;
	struct data_check c;
	struct stat st;

	(void)state;
	fixture_init(&f);
	put_file(f.dir, "older", "/out.old");
	put_file(f.dir, "old", "/out");
	mode_t mask = umask(0);
	assert_int_equal(open_plain(&f, "out"), 0);
	umask(mask);
	assert_holds(&f, "out.old", "old");
	record(&f);
	fixture_verify(&f, &c);
	assert_int_equal(stat(f.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_holds(&f, "out.old", "old");
	fixture_fini(&f);
}

/* Events that could not be opened, for one: what was there is there again. */
static void never_started_it_comes_back(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	put_file(f.dir, "old", "/out");
	assert_int_equal(open_plain(&f, "out"), 0);
	xp_data_writer_free(f.writer);
	assert_holds(&f, "out", "old");
	assert_false(exists(&f, "out.old"));
	assert_int_equal(open_plain(&f, "new"), 0);
	xp_data_writer_free(f.writer);
	f.writer = NULL;
	assert_false(exists(&f, "new"));
	fixture_fini(&f);
}

/* The parent goes on to write it. */
static void a_child_by_fork_leaves_the_file(void **state)
{
	struct writer_fixture f;
	struct data_check c;
	int status;

	(void)state;
	fixture_init(&f);
	put_file(f.dir, "old", "/out");
	assert_int_equal(open_plain(&f, "out"), 0);
	pid_t child = fork();
	if (!child) {
		xp_data_writer_free(f.writer);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_holds(&f, "out.old", "old");
	record(&f);
	fixture_verify(&f, &c);
	fixture_fini(&f);
}

/* mktemp has made it, for one. */
static void an_empty_file_is_not_kept(void **state)
{
	struct writer_fixture f;
	struct data_check c;

	(void)state;
	fixture_init(&f);
	put_file(f.dir, "", "/out");
	assert_int_equal(open_plain(&f, "out"), 0);
	assert_false(exists(&f, "out.old"));
	record(&f);
	fixture_verify(&f, &c);
	fixture_fini(&f);
}

static void an_existing_one_can_be_kept(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	put_file(f.dir, "old", "/out");
	assert_int_equal(open_at(&f, "out", (struct xp_data_writer_opts){ .keep_existing = true }),
			 -EEXIST);
	assert_holds(&f, "out", "old");
	fixture_fini(&f);
}

static void links_are_not_followed(void **state)
{
	struct writer_fixture f;
	char link[128], target[128];

	(void)state;
	fixture_init(&f);
	put_file(f.dir, "precious", "/target");
	snprintf(target, sizeof(target), "%s/target", f.dir);
	snprintf(link, sizeof(link), "%s/out", f.dir);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(open_plain(&f, "out"), -ELOOP);
	assert_non_null(strstr(f.diag.what, "is a symbolic link"));
	assert_true(f.diag.hint[0]);
	assert_holds(&f, "target", "precious");
	/* as PATH.old it is replaced itself */
	put_file(f.dir, "old", "/other");
	snprintf(link, sizeof(link), "%s/other.old", f.dir);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(open_plain(&f, "other"), 0);
	assert_holds(&f, "other.old", "old");
	assert_holds(&f, "target", "precious");
	fixture_fini(&f);
}

static uid_t root(const struct xp_sys *sys)
{
	(void)sys;
	return 0;
}

static int others_lstat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	int err = xp_sys_linux()->lstat(sys, path, ret_stat);

	if (!err)
		ret_stat->st_uid = 1000;
	return err;
}

static void root_replaces_nothing_of_others(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	f.sys.euid = root;
	f.sys.lstat = others_lstat;
	put_file(f.dir, "old", "/out");
	assert_int_equal(open_plain(&f, "out"), -EPERM);
	assert_non_null(strstr(f.diag.what, "belongs to another user (uid 1000)"));
	assert_holds(&f, "out", "old");
	fixture_fini(&f);
}

/* --- directories --- */

static void a_directory_is_made(void **state)
{
	struct writer_fixture f;
	struct stat st;

	(void)state;
	fixture_init(&f);
	assert_int_equal(open_at(&f, "out", (struct xp_data_writer_opts){ .directory = true }), 0);
	record(&f);
	assert_int_equal(stat(f.path, &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	snprintf(f.path, sizeof(f.path), "%s/out/data", f.dir);

	size_t len;
	struct data_check c;
	unsigned char *bytes = fixture_bytes(&f, &len);
	assert_true(data_check(bytes, len, &c));
	assert_int_equal(c.features[XP_FEATURE_DIR_FORMAT].size, 8);
	assert_int_equal(check_u64(bytes + c.features[XP_FEATURE_DIR_FORMAT].offset), 0);
	free(bytes);

	assert_int_equal(open_at(&f, "gone", (struct xp_data_writer_opts){ .directory = true }), 0);
	assert_true(exists(&f, "gone/data"));
	xp_data_writer_free(f.writer);
	f.writer = NULL;
	assert_false(exists(&f, "gone"));
	fixture_fini(&f);
}

/* Files take the place of directories, and the other way round, as they come. */
static void directories_are_renamed(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	for (int i = 0; i < 6; i++) {
		struct xp_data_writer_opts opts = { .directory = i % 3 };

		assert_int_equal(open_at(&f, "out", opts), 0);
		if (opts.directory) {
			put_file(f.path, "k", "/kcore_dir/kcore");
			put_file(f.path, "m", "/kcore_dir/modules");
		}
		record(&f);
		assert_int_equal(exists(&f, "out/kcore_dir/kcore"), opts.directory);
		assert_int_equal(exists(&f, "out.old"), i > 0);
		assert_int_equal(exists(&f, "out.old/data"), i > 0 && (i - 1) % 3);
	}
	fixture_fini(&f);
}

/* -o with a directory of something else: it stays as it is. */
static void other_directories_stay(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	put_file(f.dir, "text", "/out/thesis.tex");
	assert_int_equal(open_plain(&f, "out"), -EEXIST);
	assert_non_null(strstr(f.diag.what, "is a directory, but not a recording"));
	assert_holds(&f, "out/thesis.tex", "text");
	put_file(f.dir, "old", "/other");
	put_file(f.dir, "text", "/other.old/thesis.tex");
	assert_int_equal(open_plain(&f, "other"), -EEXIST);
	assert_holds(&f, "other", "old");
	assert_holds(&f, "other.old/thesis.tex", "text");
	fixture_fini(&f);
}

/* --- what is no file --- */

static void devices_are_written_to(void **state)
{
	struct xp_data_writer_opts opts = { .size = sizeof(opts), .path = "/dev/null" };
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	assert_int_equal(xp_data_writer_open(f.ctx, &opts, &f.writer, &f.diag), 0);
	record(&f);
	assert_int_equal(access("/dev/null", F_OK), 0);
	fixture_fini(&f);
}

static int block_lstat(const struct xp_sys *sys, const char *path, struct stat *ret_stat)
{
	int err = xp_sys_linux()->lstat(sys, path, ret_stat);

	if (!err)
		ret_stat->st_mode = S_IFBLK | 0660;
	return err;
}

/* "-o /dev/sda" by root neither writes to the disk nor renames it. */
static void disks_are_left_alone(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	f.sys.lstat = block_lstat;
	put_file(f.dir, "disk", "/sda");
	assert_int_equal(open_plain(&f, "sda"), -EINVAL);
	assert_non_null(strstr(f.diag.what, "sda' is not a regular file"));
	assert_holds(&f, "sda", "disk");
	fixture_fini(&f);
}

/* A reader waits at a named pipe: it gets a stream. */
static void a_named_pipe_gets_a_stream(void **state)
{
	struct writer_fixture f;
	char buf[16];

	(void)state;
	fixture_init(&f);
	assert_int_equal(mkfifo(f.path, 0600), 0);
	int reader = open(f.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_int_equal(open_plain(&f, "data"), 0);
	record(&f);
	assert_int_equal(read(reader, buf, sizeof(buf)), 16);
	assert_memory_equal(buf, "PERFILE2\x10\0\0\0\0\0\0", 16);
	close(reader);
	assert_true(exists(&f, "data"));
	fixture_fini(&f);
}

/* --- failures --- */

static int failing_rename(const struct xp_sys *sys, const char *from, const char *to)
{
	(void)sys, (void)from, (void)to;
	return -EACCES;
}

static int failing_create(const struct xp_sys *sys, const char *path, int flags)
{
	(void)sys, (void)path, (void)flags;
	return -EACCES;
}

static void failures_change_nothing(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	put_file(f.dir, "old", "/out");
	f.sys.rename = failing_rename;
	assert_int_equal(open_plain(&f, "out"), -EACCES);
	assert_non_null(strstr(f.diag.what, "out.old': Permission denied"));
	assert_holds(&f, "out", "old");
	f.sys.rename = xp_sys_linux()->rename;
	f.sys.create = failing_create;
	assert_int_equal(open_plain(&f, "out"), -EACCES);
	assert_non_null(strstr(f.diag.what, "out' cannot be created: Permission denied"));
	assert_holds(&f, "out", "old");
	assert_int_equal(open_at(&f, "new", (struct xp_data_writer_opts){ .directory = true }),
			 -EACCES);
	assert_false(exists(&f, "new"));
	f.sys.create = xp_sys_linux()->create;
	assert_int_equal(open_plain(&f, "no/such/directory"), -ENOENT);
	assert_true(f.diag.what[0]);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_old_one_is_renamed),
		cmocka_unit_test(never_started_it_comes_back),
		cmocka_unit_test(a_child_by_fork_leaves_the_file),
		cmocka_unit_test(an_empty_file_is_not_kept),
		cmocka_unit_test(an_existing_one_can_be_kept),
		cmocka_unit_test(links_are_not_followed),
		cmocka_unit_test(root_replaces_nothing_of_others),
		cmocka_unit_test(a_directory_is_made),
		cmocka_unit_test(directories_are_renamed),
		cmocka_unit_test(other_directories_stay),
		cmocka_unit_test(devices_are_written_to),
		cmocka_unit_test(disks_are_left_alone),
		cmocka_unit_test(a_named_pipe_gets_a_stream),
		cmocka_unit_test(failures_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
