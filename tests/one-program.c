/* SPDX-License-Identifier: MIT */
/* Many files of tests as one program, which is linked once: `unit-tests NAME` is what a program of
 * test-NAME.c alone would be, and exits as that would; without a name all run, each in a process of
 * its own, so that one that crashes is named and ends no other.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77 };

/* Made by CMake: TEST(function, "name"), a line for each file. */
#define TEST(function, name) int function(void);
#include XPERF_TEST_LIST
#undef TEST

static const struct test {
	const char *name;
	int (*run)(void);
} tests[] = {
#define TEST(function, name) { name, function },
#include XPERF_TEST_LIST
#undef TEST
};

enum { NR_TESTS = sizeof(tests) / sizeof(tests[0]) };

static int run_named(const char *name)
{
	for (int i = 0; i < NR_TESTS; i++)
		if (!strcmp(name, tests[i].name))
			return tests[i].run();
	fprintf(stderr, "there is no test '%s'; -l lists them\n", name);
	return 2;
}

/* Returns true if it failed. */
static bool run_in_child(const struct test *test)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		exit(test->run());
	if (child < 0 || waitpid(child, &status, 0) != child) {
		perror(test->name);
		return true;
	}
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: %s\n", test->name, strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == SKIPPED)
		fprintf(stderr, "%s: skipped\n", test->name);
	else if (WEXITSTATUS(status))
		fprintf(stderr, "%s: failed (%d)\n", test->name, WEXITSTATUS(status));
	return status && !(WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED);
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc == 2 && !strcmp(argv[1], "-l")) {
		for (int i = 0; i < NR_TESTS; i++)
			puts(tests[i].name);
		return 0;
	}
	if (argc == 2)
		return run_named(argv[1]);
	for (int i = 0; i < NR_TESTS; i++)
		failed += run_in_child(&tests[i]);
	fprintf(stderr, "%d of %d failed\n", failed, NR_TESTS);
	return failed != 0;
}
