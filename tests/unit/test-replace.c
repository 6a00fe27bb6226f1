/* SPDX-License-Identifier: MIT */
/* Files that are complete before they bear their names: what is there after each way to fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "forward.h"
#include "put-file.h"
#include "remove-tree.h"
#include "replace.h"

static struct {
	char dir[64], path[96];
	struct forward forward;
	ssize_t answers[8]; /* of writes, in order; 0: as many bytes as were asked for */
	int nr_writes, rename_err;
} t;

static ssize_t answer_pwritev(const struct xp_sys *sys, int fd, const struct iovec *pieces, int nr,
			      int64_t offset)
{
	const struct xp_sys *real = xp_sys_linux();
	struct iovec piece = pieces[0];
	ssize_t answer = t.answers[t.nr_writes++];

	(void)sys;
	assert_int_equal(nr, 1);
	if (answer < 0)
		return answer;
	if (answer)
		piece.iov_len = (size_t)answer;
	return real->pwritev(real, fd, &piece, 1, offset);
}

static int answer_rename(const struct xp_sys *sys, const char *from, const char *to)
{
	const struct xp_sys *real = xp_sys_linux();

	(void)sys;
	return t.rename_err ?: real->rename(real, from, to);
}

static int begin(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	strcpy(t.dir, "/tmp/xperf-replace-XXXXXX");
	assert_non_null(mkdtemp(t.dir));
	snprintf(t.path, sizeof(t.path), "%s/file", t.dir);
	forward_init(&t.forward, xp_sys_linux());
	t.forward.sys.pwritev = answer_pwritev;
	t.forward.sys.rename = answer_rename;
	put_file(t.dir, "before", "/file");
	return 0;
}

static int end(void **state)
{
	(void)state;
	return remove_tree(t.dir);
}

static int write_pieces(const struct xp_sys *sys, int fd, void *data)
{
	char one[] = "one ", others[] = "two three";
	const struct iovec pieces[] = { { one, 4 }, { NULL, 0 }, { others, 9 } };

	(void)data;
	return xp_write_all(sys, fd, pieces, 3);
}

/* The file, of which there is nothing else in its directory. */
static void assert_file(const char *text)
{
	char found[64] = "";
	FILE *file = fopen(t.path, "r");
	DIR *dir = opendir(t.dir);
	int nr = 0;

	assert_non_null(file);
	assert_non_null(fgets(found, sizeof(found), file));
	fclose(file);
	assert_string_equal(found, text);
	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	assert_int_equal(nr, 3); /* it, "." and ".." */
}

static void a_file_is_replaced_when_it_is_complete(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(xp_replace_file(&t.forward.sys, t.path, write_pieces, NULL), 0);
	assert_file("one two three");
	assert_int_equal(stat(t.path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void writes_may_be_short_or_interrupted(void **state)
{
	(void)state;
	memcpy(t.answers, (ssize_t[]){ 1, -EINTR, 2, 0, 5, -EINTR }, 6 * sizeof(*t.answers));
	assert_int_equal(xp_replace_file(&t.forward.sys, t.path, write_pieces, NULL), 0);
	assert_int_equal(t.nr_writes, 7);
	assert_file("one two three");
}

static void what_was_there_stays_when_a_step_fails(void **state)
{
	(void)state;
	t.answers[1] = -ENOSPC;
	assert_int_equal(xp_replace_file(&t.forward.sys, t.path, write_pieces, NULL), -ENOSPC);
	assert_file("before");
	t.nr_writes = 2;
	t.rename_err = -EACCES;
	assert_int_equal(xp_replace_file(&t.forward.sys, t.path, write_pieces, NULL), -EACCES);
	assert_file("before");
}

static void what_a_process_of_the_same_number_left_is_no_obstacle(void **state)
{
	(void)state;
	put_file(t.dir, "left", "/file.%d", (int)getpid());
	assert_int_equal(xp_replace_file(&t.forward.sys, t.path, write_pieces, NULL), 0);
	assert_file("one two three");
}

static void directories_and_names_are_checked(void **state)
{
	char path[PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), "%s/none/file", t.dir);
	assert_int_equal(xp_replace_file(&t.forward.sys, path, write_pieces, NULL), -ENOENT);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(xp_replace_file(&t.forward.sys, path, write_pieces, NULL), -ENAMETOOLONG);
	assert_int_equal(t.nr_writes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_is_replaced_when_it_is_complete, begin, end),
		cmocka_unit_test_setup_teardown(writes_may_be_short_or_interrupted, begin, end),
		cmocka_unit_test_setup_teardown(what_was_there_stays_when_a_step_fails, begin, end),
		cmocka_unit_test_setup_teardown(
			what_a_process_of_the_same_number_left_is_no_obstacle, begin, end),
		cmocka_unit_test_setup_teardown(directories_and_names_are_checked, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
