/* SPDX-License-Identifier: MIT */
/* Names of this machine's registers become masks. */
#include "regs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <xperf/arch.h>

void regs_print(void)
{
	const struct xp_arch_reg *reg = xp_arch_native()->regs;

	fputs("available registers:", stderr);
	for (; reg && reg->name; reg++)
		fprintf(stderr, " %s", reg->name);
	fputc('\n', stderr);
}

static const struct xp_arch_reg *find(const char *name, size_t len)
{
	const struct xp_arch_reg *reg = xp_arch_native()->regs;

	for (; reg && reg->name; reg++)
		if (strlen(reg->name) == len && !strncasecmp(reg->name, name, len))
			return reg;
	return NULL;
}

int regs_parse(const struct option *option, const char *text, uint64_t *ret_mask)
{
	uint64_t mask = xp_arch_native()->sample_regs;

	if (!mask)
		return option_error(option, "this architecture has no registers in samples");
	for (const char *p = text; p;) {
		size_t len = strcspn(p, ",");
		const struct xp_arch_reg *reg = find(p, len);

		if (!reg)
			return option_error(option,
					    "there is no register '%.*s'; --%s=? lists "
					    "them",
					    (int)len, p, option->name);
		mask = (p == text ? 0 : mask) | 1ULL << reg->bit;
		p = p[len] ? p + len + 1 : NULL;
	}
	*ret_mask = mask;
	return 0;
}
