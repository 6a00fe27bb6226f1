/* SPDX-License-Identifier: MIT */
/* In place of libbpf.c where the build has no libbpf. */
#include "libbpf.h"

enum xp_libbpf xp_libbpf_look(void)
{
	return XP_LIBBPF_NOT_BUILT_IN;
}
