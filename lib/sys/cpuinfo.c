/* SPDX-License-Identifier: MIT */
/* The first CPU as /proc/cpuinfo describes it: see cpuinfo.h. */
#include "cpuinfo.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>

#include "cleanup.h"
#include "str.h"

int xp_cpuinfo_read(struct xp_ctx *ctx, char info[XP_CPUINFO_LEN])
{
	struct xp_str path = { 0 };
	ssize_t n;

	if (xp_str_addf(&path, "%s/proc/cpuinfo", ctx->root))
		return -ENOMEM;
	int fd = ctx->sys->open(ctx->sys, path.s);
	xp_str_fini(&path);
	if (fd < 0)
		return fd;
	do
		n = ctx->sys->read(ctx->sys, fd, info, XP_CPUINFO_LEN - 1);
	while (n == -EINTR);
	ctx->sys->close(ctx->sys, fd);
	info[n < 0 ? 0 : n] = '\0';
	return n < 0 ? (int)n : 0;
}

char *xp_cpuinfo_value(const char *info, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = info; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len))
			continue;
		const char *value = line + len + strspn(line + len, " \t");
		if (*value++ != ':')
			continue;
		value += strspn(value, " \t");
		return strndup(value, strcspn(value, "\n"));
	}
	return NULL;
}

/* In place: runs of blanks become one. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *s = text; *s; s++)
		if (!isblank((unsigned char)*s) || !isblank((unsigned char)s[1]))
			*to++ = *s;
	*to = '\0';
}

/* x86 and s390, MIPS, Arm, POWER, RISC-V */
static const char *const names[] = { "model name", "cpu model", "Processor", "cpu", "uarch" };

int xp_cpu_model(struct xp_ctx *ctx, char **ret_name)
{
	char info[XP_CPUINFO_LEN];
	int err = xp_cpuinfo_read(ctx, info);

	for (size_t i = 0; i < XP_ARRAY_LEN(names) && !err; i++) {
		char *name = xp_cpuinfo_value(info, names[i]);

		if (!name)
			continue;
		squeeze(name);
		*ret_name = name;
		return 0;
	}
	return err ? err : -ENOENT;
}
