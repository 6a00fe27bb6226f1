/* SPDX-License-Identifier: MIT */
/* Small ELF files, made by the compiler from tests/data/elf. */
#ifndef UNIT_ELF_FILES_H
#define UNIT_ELF_FILES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xperf/symbol.h>

#include "remove-tree.h"

/* Where they are. */
static char elf_dir[] = "/tmp/xperf-elf-XXXXXX";

/* The path of a file there; overwritten by the fourth call after it. */
static inline const char *elf_path(const char *name)
{
	static char paths[4][128];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", elf_dir, name);
	return path;
}

/* Makes the directory, and in it, with $CC and the sources in $SRC, what a shell command makes. */
static inline bool elf_files_make(const char *command)
{
	char line[4096];

	if (!mkdtemp(elf_dir))
		return false;
	setenv("CC", "cc", 0);
	setenv("SOURCE_DIR", ".", 0);
	snprintf(line, sizeof(line),
		 "SRC=$(cd \"$SOURCE_DIR\" && pwd)/tests/data/elf; cd %s && { %s; } >log 2>&1",
		 elf_dir, command);
	return system(line) == 0;
}

static inline void elf_files_remove(void)
{
	if (remove_tree(elf_dir))
		perror(elf_dir);
}

/* The build id that a text file there holds. */
static inline void elf_read_id(const char *name, uint8_t id[20])
{
	FILE *file = fopen(elf_path(name), "r");

	assert_non_null(file);
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(fscanf(file, "%2hhx", &id[i]), 1);
	fclose(file);
}

/* Where nm(1) says a symbol of a file is. */
static inline uint64_t elf_listed(const char *file, const char *name)
{
	char line[256];
	unsigned long long value = 0;

	snprintf(line, sizeof(line), "nm %s | sed -n 's/ [Tt] %s$//p'", elf_path(file), name);
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%llx", &value), 1);
	pclose(pipe);
	return value;
}

static inline int elf_ignore(const struct xp_symbol *symbol, void *data)
{
	(void)symbol;
	(void)data;
	return 0;
}

/* Whether this build has libelf. */
static inline bool elf_is_read(void)
{
	return xp_symbol_walk("/proc/self/exe", elf_ignore, NULL, NULL) != -ENOSYS;
}

#endif
