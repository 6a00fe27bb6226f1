/* SPDX-License-Identifier: MIT */
#ifndef TESTS_REMOVE_TREE_H
#define TESTS_REMOVE_TREE_H

#include <stdio.h>
#include <stdlib.h>

/* Removes a directory that a test has made, with all that is in it. Returns 0 if it is gone. */
static inline int remove_tree(const char *path)
{
	char command[512];

	if (snprintf(command, sizeof(command), "rm -rf '%s'", path) >= (int)sizeof(command))
		return -1;
	return system(command);
}

#endif
