/* SPDX-License-Identifier: MIT */
/* Small trees of files that stand for a machine. Included behind <cmocka.h>. */
#ifndef TESTS_PUT_FILE_H
#define TESTS_PUT_FILE_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Writes a file below @root, its directories with it; @text NULL: makes a directory. */
static inline void put_file(const char *root, const char *text, const char *fmt, ...)
{
	char path[512];
	int len = snprintf(path, sizeof(path), "%s", root);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + len, sizeof(path) - (size_t)len, fmt, ap);
	va_end(ap);
	for (char *slash = strchr(path + len + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
		*slash = '/';
	}
	if (!text) {
		assert_int_equal(mkdir(path, 0755), 0);
		return;
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

#endif
