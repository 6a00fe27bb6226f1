/* SPDX-License-Identifier: MIT */
/* Rules of code that linkers add and do not describe. */
#ifndef UNWIND_STUB_H
#define UNWIND_STUB_H

#include "rule.h"

/* What is looked at: so many bytes before an instruction, and from it on. */
enum { STUB_BEFORE = 20, STUB_BYTES = 44 };

/* Makes a rule of the code around an instruction. Returns false: it is no code of a linker. */
bool xp_stub_rule(const struct machine *machine, const uint8_t code[STUB_BYTES], struct rule *rule);

#endif
