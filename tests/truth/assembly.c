/* SPDX-License-Identifier: MIT
 *
 * Points beneath the functions of cfi.S and cfi-arm64.S.
 */
#include "frames.h"

#include "truth.h"

#if defined(__x86_64__) || defined(__aarch64__)
void cfi_pushes(const char *point);
void cfi_register(const char *point);
void cfi_expression(const char *point);
void cfi_value_expression(const char *point);
void cfi_place_expression(const char *point);
void cfi_back_in_register(const char *point);
void assembly_point(const char *point);

__attribute__((visibility("hidden"))) uintptr_t assembly_back, assembly_sp;

static volatile int one = 1;

/* Enters for the function that called, too. */
void assembly_point(const char *point)
{
	struct truth_entry *caller = &truth_stack->entries[truth_stack->depth++];

	*caller = (struct truth_entry){ TRUTH_FRAME, (uintptr_t)__builtin_return_address(0) - 1,
					assembly_back, assembly_sp };
	TRUTH_ENTER();
	TRUTH_POINT(point);
	TRUTH_LEAVE();
	TRUTH_LEAVE();
}

/* The registers of this function's caller are those that the functions store. */
TRUTH_NOINLINE static int calls_assembly(void (*function)(const char *point), const char *point)
{
	volatile char array[100 * one];

	TRUTH_ENTER();
	array[one] = 1;
	function(point);
	TRUTH_LEAVE();
	return array[one];
}

void group_assembly(void)
{
	static const struct {
		void (*function)(const char *point);
		const char *point;
	} cases[] = {
		{ cfi_pushes, "cfi-pushes" },
		{ cfi_register, "cfi-register" },
		{ cfi_expression, "cfi-expression" },
		{ cfi_value_expression, "cfi-value-expression" },
		{ cfi_place_expression, "cfi-place-expression" },
		{ cfi_back_in_register, "cfi-back-in-register" },
	};

	TRUTH_ENTER();
	for (unsigned long i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		calls_assembly(cases[i].function, cases[i].point);
	TRUTH_LEAVE();
}
#else
void group_assembly(void)
{
}
#endif
