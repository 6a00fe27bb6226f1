/* SPDX-License-Identifier: MIT
 *
 * Runs the groups of points that the arguments name. After "memfd", the program is one that is in
 * no directory. After "wait", it waits for a line on its input. With TRUTH_KINDS, groups are those
 * of samples of the clock.
 */
#define _GNU_SOURCE
#include "frames.h"
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct truth_group groups[] = {
#ifndef TRUTH_KINDS
	{ "frames", group_frames },
	{ "recursion", group_recursion },
	{ "dynamic", group_dynamic },
	{ "cold", group_cold },
	{ "tail", group_tail },
	{ "jumps", group_jumps },
	{ "callbacks", group_callbacks },
	{ "threads", group_threads },
	{ "vdso", group_vdso },
	{ "vfork", group_vfork },
	{ "signals", group_signals },
	{ "coroutines", group_coroutines },
	{ "steps", group_steps },
	{ "assembly", group_assembly },
#ifdef TRUTH_LIBRARY
	{ "library", group_library },
	{ "dlopen", group_dlopen },
#endif
#ifdef TRUTH_CXX
	{ "exceptions", group_exceptions },
	{ "objects", group_objects },
#endif
	{ "jit", group_jit },
	{ "hot", group_hot },
	{ "exec", group_exec }, /* does not return */
#else
	{ "plain", kind_plain },         { "deep", kind_deep },
	{ "thread", kind_thread },       { "fiber", kind_fiber },
	{ "signal", kind_signal },       { "elsewhere", kind_elsewhere },
#ifdef TRUTH_CXX
	{ "templates", kind_templates }, { "exceptions", kind_exceptions },
#endif
#endif
};

static struct truth_stack stack = { .start = "_start" };

TRUTH_NOINLINE static int run(const struct truth_group *group)
{
	TRUTH_ENTER();
	group->run();
	TRUTH_LEAVE();
	return 0;
}

static int wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return 1;
	return 0;
}

static void wait_for_line(void)
{
	char c = 0;

	while (c != '\n' && read(STDIN_FILENO, &c, 1) == 1)
		;
}

/* Runs the program again, from a copy in memory. */
static void run_from_memory(char **argv)
{
	const int self = open("/proc/self/exe", O_RDONLY), copy = memfd_create("truth", 0);
	struct stat stat;

	if (self < 0 || copy < 0 || fstat(self, &stat) ||
	    sendfile(copy, self, NULL, (size_t)stat.st_size) != stat.st_size)
		abort();
	fexecve(copy, argv + 1, environ);
	abort();
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "memfd") == 0)
		run_from_memory(argv);
	truth_open(&stack);
	TRUTH_ENTER();
	if (wanted("wait", argc, argv))
		wait_for_line();
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (wanted(groups[i].name, argc, argv))
			run(&groups[i]);
	TRUTH_LEAVE();
	truth_close();
	return 0;
}
