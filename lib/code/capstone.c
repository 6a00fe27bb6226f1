/* SPDX-License-Identifier: MIT */
/*
 * Instructions through capstone, which is loaded here and not linked. Its structures change with
 * its major version, so the library loaded is that of the headers.
 *
 * Source: capstone.h, cs_disasm_iter(); x86.h, "cs_x86_encoding".
 */
#include <capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>

#include "cleanup.h"
#include "decoder.h"
#include "loaded.h"

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(macro)    #macro
#define LIBRARY        "libcapstone.so." TEXT_OF(CS_API_MAJOR)

struct library {
	void *handle;
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *new_insn;
	__typeof__(cs_free) *free_insn;
	__typeof__(cs_disasm_iter) *next;
	__typeof__(cs_insn_name) *name;
};

static const struct loaded_function functions[] = {
	{ "cs_open", offsetof(struct library, open) },
	{ "cs_close", offsetof(struct library, close) },
	{ "cs_option", offsetof(struct library, option) },
	{ "cs_malloc", offsetof(struct library, new_insn) },
	{ "cs_free", offsetof(struct library, free_insn) },
	{ "cs_disasm_iter", offsetof(struct library, next) },
	{ "cs_insn_name", offsetof(struct library, name) },
};

struct decoder {
	struct library lib;
	csh capstone; /* 0: not open */
	cs_insn *insn;
	const struct machine *machine;
};

/* What depends on the machine beside the text. @note: adds to what is known of an instruction */
struct machine {
	int number;
	bool thumb;
	cs_arch arch;
	cs_mode mode;
	void (*note)(const cs_insn *insn, struct decoded *decoded);
};

static void note_x86(const cs_insn *insn, struct decoded *decoded)
{
	const cs_x86 *x86 = &insn->detail->x86;

	decoded->has_zero = x86->encoding.disp_offset && !x86->disp;
	decoded->has_immediate = x86->encoding.imm_offset;
	decoded->operand_bytes = x86->op_count ? x86->operands[0].size : 0;
	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *operand = &x86->operands[i];

		if (operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP)
			decoded->target = insn->address + insn->size + (uint64_t)operand->mem.disp;
		if (operand->type == X86_OP_IMM && decoded->kind != XP_INSTRUCTION_OTHER)
			decoded->target = (uint64_t)operand->imm;
	}
}

/* The target of a branch comes last: cbz, tbz. Calls are jumps to capstone here. */
static void note_arm64(const cs_insn *insn, struct decoded *decoded)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	const cs_arm64_op *last = arm->op_count ? &arm->operands[arm->op_count - 1] : NULL;

	if (insn->id == ARM64_INS_BL || insn->id == ARM64_INS_BLR)
		decoded->kind = XP_INSTRUCTION_CALL;
	if (last && last->type == ARM64_OP_IMM && decoded->kind != XP_INSTRUCTION_OTHER)
		decoded->target = (uint64_t)last->imm;
}

static void note_arm(const cs_insn *insn, struct decoded *decoded)
{
	const cs_arm *arm = &insn->detail->arm;
	const cs_arm_op *last = arm->op_count ? &arm->operands[arm->op_count - 1] : NULL;

	if (insn->id == ARM_INS_BL || insn->id == ARM_INS_BLX)
		decoded->kind = XP_INSTRUCTION_CALL;
	if (last && last->type == ARM_OP_IMM && decoded->kind != XP_INSTRUCTION_OTHER)
		decoded->target = (uint32_t)last->imm;
}

static const struct machine machines[] = {
	{ EM_X86_64, false, CS_ARCH_X86, CS_MODE_64, note_x86 },
	{ EM_386, false, CS_ARCH_X86, CS_MODE_32, note_x86 },
	{ EM_AARCH64, false, CS_ARCH_ARM64, CS_MODE_ARM, note_arm64 },
	{ EM_ARM, false, CS_ARCH_ARM, CS_MODE_ARM, note_arm },
	{ EM_ARM, true, CS_ARCH_ARM, CS_MODE_THUMB, note_arm },
};

static const struct machine *machine_of(const struct xp_disasm_opts *opts)
{
	for (size_t i = 0; i < XP_ARRAY_LEN(machines); i++)
		if (machines[i].number == opts->machine && machines[i].thumb == opts->thumb)
			return &machines[i];
	return NULL;
}

static int load(struct decoder *decoder, struct xp_diag *diag)
{
	decoder->lib.handle =
		library_load(LIBRARY, 0, functions, XP_ARRAY_LEN(functions), &decoder->lib);
	if (decoder->lib.handle)
		return 0;
	xp_diag_set(diag, -ENOSYS, LIBRARY " cannot be loaded");
	xp_diag_hint(diag, "Install capstone, which decodes instructions");
	return -ENOSYS;
}

static int set_up(struct decoder *decoder, bool intel)
{
	const struct library *lib = &decoder->lib;
	const struct machine *machine = decoder->machine;
	bool att = machine->arch == CS_ARCH_X86 && !intel;
	cs_err err = lib->open(machine->arch, machine->mode, &decoder->capstone);

	if (!err)
		err = lib->option(decoder->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	if (!err && att)
		err = lib->option(decoder->capstone, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	if (err)
		return err == CS_ERR_MEM ? -ENOMEM : -ENOTSUP;
	decoder->insn = lib->new_insn(decoder->capstone);
	return decoder->insn ? 0 : -ENOMEM;
}

int xp_decoder_open(const struct xp_disasm_opts *opts, struct decoder **ret_decoder,
		    struct xp_diag *diag)
{
	const struct machine *machine = machine_of(opts);
	struct decoder *decoder = machine ? calloc(1, sizeof(*decoder)) : NULL;

	if (!decoder)
		return machine ? -ENOMEM : -ENOTSUP;
	decoder->machine = machine;
	int err = load(decoder, diag);
	if (!err)
		err = set_up(decoder, opts->intel);
	if (err)
		xp_decoder_close(decoder);
	else
		*ret_decoder = decoder;
	return err;
}

void xp_decoder_close(struct decoder *decoder)
{
	if (!decoder)
		return;
	if (decoder->insn)
		decoder->lib.free_insn(decoder->insn, 1);
	if (decoder->capstone)
		decoder->lib.close(&decoder->capstone);
	if (decoder->lib.handle)
		dlclose(decoder->lib.handle);
	free(decoder);
}

static bool is_in(const cs_insn *insn, uint8_t group)
{
	const cs_detail *detail = insn->detail;

	for (uint8_t i = 0; i < detail->groups_count; i++)
		if (detail->groups[i] == group)
			return true;
	return false;
}

static enum xp_instruction_kind kind_of(const cs_insn *insn)
{
	static const struct {
		uint8_t group;
		enum xp_instruction_kind kind;
	} kinds[] = {
		{ CS_GRP_CALL, XP_INSTRUCTION_CALL },
		{ CS_GRP_RET, XP_INSTRUCTION_RETURN },
		{ CS_GRP_JUMP, XP_INSTRUCTION_JUMP },
		{ CS_GRP_BRANCH_RELATIVE, XP_INSTRUCTION_JUMP },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(kinds); i++)
		if (is_in(insn, kinds[i].group))
			return kinds[i].kind;
	return XP_INSTRUCTION_OTHER;
}

bool xp_decoder_next(struct decoder *decoder, const void *bytes, size_t len, uint64_t address,
		     struct decoded *ret_decoded)
{
	const uint8_t *code = bytes;
	const struct library *lib = &decoder->lib;
	cs_insn *insn = decoder->insn;

	if (!lib->next(decoder->capstone, &code, &len, &address, insn))
		return false;
	const char *name = lib->name(decoder->capstone, insn->id);
	*ret_decoded = (struct decoded){ .mnemonic = insn->mnemonic,
					 .operands = insn->op_str,
					 .name = name ? name : "",
					 .bytes = bytes,
					 .len = insn->size,
					 .kind = kind_of(insn) };
	decoder->machine->note(insn, ret_decoded);
	return true;
}
