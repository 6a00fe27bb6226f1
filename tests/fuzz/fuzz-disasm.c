/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as code, of the machine that the first one chooses. */
#include <assert.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <xperf/disasm.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct xp_disasm_opts forms[] = {
	{ .size = sizeof(forms[0]), .machine = EM_X86_64 },
	{ .size = sizeof(forms[0]), .machine = EM_X86_64, .intel = true },
	{ .size = sizeof(forms[0]), .machine = EM_386 },
	{ .size = sizeof(forms[0]), .machine = EM_386, .intel = true },
	{ .size = sizeof(forms[0]), .machine = EM_AARCH64 },
	{ .size = sizeof(forms[0]), .machine = EM_ARM },
	{ .size = sizeof(forms[0]), .machine = EM_ARM, .thumb = true },
};
enum { NR_FORMS = sizeof(forms) / sizeof(forms[0]) };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* They stay open, so that not each input loads the library. */
	static struct xp_disasm *disasms[NR_FORMS];
	struct xp_instruction instruction = { .size = sizeof(instruction) };

	if (!size)
		return 0;
	size_t form = data[0] % NR_FORMS, at = 1;
	if (!disasms[form] && xp_disasm_new(&forms[form], &disasms[form], NULL))
		return 0;
	for (; at < size; at += instruction.len) {
		assert(xp_disasm_next(disasms[form], data + at, size - at, at, &instruction) == 1);
		assert(instruction.len && instruction.len <= size - at);
		assert(instruction.address == at && strlen(instruction.text) < 256);
		for (const char *text = instruction.text; *text; text++)
			assert(*text >= ' ' && *text < 127);
	}
	return 0;
}
