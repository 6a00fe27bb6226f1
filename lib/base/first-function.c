/* SPDX-License-Identifier: MIT */
/* Names of first functions. Sources: glibc, musl, Go's runtime. */
#include "first-function.h"

#include <stddef.h>
#include <string.h>

bool xp_is_first_function(const char *name)
{
	static const char *const names[] = {
		"_start",
		"_start_c",
		"__libc_start_call_main",
		"__libc_start_main_impl",
		"__libc_start_main",
		"libc_start_main_stage2",
		"_dl_start_user",
		"start_thread",
		"clone",
		"__clone",
		"clone3",
		"__clone3",
		"__clone_internal",
		"thread_start",
		"__start_context",
		"runtime.goexit",
		"runtime.goexit.abi0",
		"runtime.mstart",
		"runtime.mstart.abi0",
		"runtime.mcall", /* it does not return */
		"runtime.rt0_go",
		"runtime.rt0_go.abi0",
	};
	size_t len = strcspn(name, "@"); /* "__libc_start_main@@GLIBC_2.34" */

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return true;
	return false;
}
