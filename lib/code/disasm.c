/* SPDX-License-Identifier: MIT */
/* Machine code as text: what decodes it, and what puts it into words. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>

#include "cleanup.h"
#include "opts.h"
#include "words.h"

enum { TEXT_ROOM = 256 };

struct xp_disasm {
	struct decoder *decoder;
	void (*words)(struct words *words, const struct decoded *decoded);
	int machine;
	uint32_t shortest; /* instruction of the machine, bytes */
	char text[TEXT_ROOM];
};

/* A row per machine and syntax. */
static const struct form {
	int machine;
	bool intel, thumb;
	uint32_t shortest;
	void (*words)(struct words *words, const struct decoded *decoded);
} forms[] = {
	{ EM_X86_64, false, false, 1, xp_words_att },
	{ EM_X86_64, true, false, 1, xp_words_intel },
	{ EM_386, false, false, 1, xp_words_att },
	{ EM_386, true, false, 1, xp_words_intel },
	{ EM_AARCH64, false, false, 4, xp_words_arm },
	{ EM_ARM, false, false, 4, xp_words_arm },
	{ EM_ARM, false, true, 2, xp_words_arm },
};

static const struct form *form_of(const struct xp_disasm_opts *opts)
{
	bool is_x86 = opts->machine == EM_X86_64 || opts->machine == EM_386;

	for (size_t i = 0; i < XP_ARRAY_LEN(forms); i++)
		if (forms[i].machine == opts->machine && forms[i].thumb == opts->thumb &&
		    forms[i].intel == (is_x86 && opts->intel))
			return &forms[i];
	return NULL;
}

int xp_disasm_new(const struct xp_disasm_opts *opts, struct xp_disasm **ret_disasm,
		  struct xp_diag *diag)
{
	struct xp_disasm_opts known = { .size = sizeof(known) };
	int err = XP_OPTS_COPY(&known, opts, struct xp_disasm_opts, thumb, diag);
	const struct form *form = err ? NULL : form_of(&known);

	if (!err && !form) {
		err = -ENOTSUP;
		xp_diag_set(diag, err, "Code of machine %d of ELF cannot be shown", known.machine);
	}
	struct xp_disasm *disasm = err ? NULL : calloc(1, sizeof(*disasm));
	if (!disasm)
		return err ? err : -ENOMEM;
	disasm->words = form->words;
	disasm->machine = known.machine;
	disasm->shortest = form->shortest;
	err = xp_decoder_open(&known, &disasm->decoder, diag);
	if (err)
		xp_disasm_free(disasm);
	else
		*ret_disasm = disasm;
	return err;
}

void xp_disasm_free(struct xp_disasm *disasm)
{
	if (!disasm)
		return;
	xp_decoder_close(disasm->decoder);
	free(disasm);
}

/* As long as an instruction would be that is known by its opcode only, so that those behind it are
 * right. */
static uint32_t bad_len(const struct xp_disasm *disasm, const void *bytes, size_t len)
{
	int known = xp_instruction_len(disasm->machine, bytes, len);
	uint32_t its = known > 0 ? (uint32_t)known : disasm->shortest;

	return its <= len ? its : (uint32_t)len;
}

int xp_disasm_next(struct xp_disasm *disasm, const void *bytes, size_t len, uint64_t address,
		   struct xp_instruction *ret_instruction)
{
	struct words words = { disasm->text, disasm->text + TEXT_ROOM - 1 };
	struct xp_instruction instruction = { .size = sizeof(instruction),
					      .address = address,
					      .text = disasm->text };
	struct decoded decoded;

	if (!len)
		return 0;
	if (xp_decoder_next(disasm->decoder, bytes, len, address, &decoded)) {
		disasm->words(&words, &decoded);
		instruction.len = decoded.len;
		instruction.kind = decoded.kind;
		instruction.target = decoded.target;
	} else {
		words_text(&words, "(bad)");
		instruction.len = bad_len(disasm, bytes, len);
		instruction.kind = XP_INSTRUCTION_BAD;
	}
	*words.at = '\0';
	int err = XP_OUTPUT_COPY(ret_instruction, &instruction, struct xp_instruction, kind);
	return err ? err : 1;
}
