/* SPDX-License-Identifier: MIT */
/* The instruction a sample was at: bytes, length, text. Source of the layout: perf script, 6.1 and
 * 6.12, perf-script(1). */
#include "instruction.h"

#include <errno.h>
#include <string.h>
#include <xperf/disasm.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>
#include <xperf/symtab.h>

#include "script.h"

enum { MACHINE_ARM = 40 /* elf.h */ };

/* Code of files is read by offset, which needs no symbols and any byte order; other code by its
 * address. */
void code_bytes_read(const struct xp_frame *frame, uint64_t len, struct code_bytes *code)
{
	uint64_t offset = frame->ip - frame->map.start + frame->map.offset;
	int nr = 0;

	if (frame->symtab)
		nr = xp_symtab_code(frame->symtab, offset, code->at, len, &code->machine);
	if (frame->symtab && !nr)
		nr = xp_symtab_code_at(frame->symtab, frame->address, code->at, len,
				       &code->machine);
	code->nr = (size_t)nr;
}

/* The disassembler of a machine; NULL: there is none. Returns 0, -ENOSYS (no library), -ENOMEM. */
static int open_disasm(struct script *script, int machine)
{
	const struct xp_disasm_opts opts = { .size = sizeof(opts), .machine = machine };

	if (script->disasm_machine == machine)
		return 0;
	xp_disasm_free(script->disasm);
	script->disasm = NULL;
	script->disasm_machine = machine;
	int err = xp_disasm_new(&opts, &script->disasm, &script->rec->diag);
	return err == -ENOTSUP ? 0 : err;
}

/* Targets are as they ran. Of Arm it is not known which instructions a function has. Returns 1 with
 * the text in @ret, 0: there is none, -ENOSYS, -ENOMEM. */
static int disassemble(struct script *script, const struct code_bytes *code, uint64_t ip,
		       struct xp_instruction *ret)
{
	int err = code->machine == MACHINE_ARM ? 0 : open_disasm(script, code->machine);

	*ret = (struct xp_instruction){ .size = sizeof(*ret) };
	if (err || !script->disasm || code->machine == MACHINE_ARM)
		return err;
	return xp_disasm_next(script->disasm, code->at, code->nr, ip, ret) > 0;
}

static void show_bytes(struct sink *out, const char *before, const uint8_t *bytes, int len,
		       const char *behind)
{
	sink_text(out, before);
	for (int i = 0; i < len; i++) {
		sink_hex(out, bytes[i], 2, '0');
		sink_text(out, i + 1 < len ? " " : behind);
	}
}

int instruction_text(struct script *script, bool as_text, const struct code_bytes *code, int len,
		     uint64_t ip)
{
	struct xp_instruction instruction;
	int got = as_text ? disassemble(script, code, ip, &instruction) : 0;

	if (got < 0)
		return got;
	if (!got && len) {
		show_bytes(&script->out, "insn: ", code->at, len, " ");
		return (int)strlen("insn: ") + len * (int)strlen("00 ");
	}
	const char *text = got ? instruction.text : "<bad>";
	sink_text(&script->out, text);
	return (int)strlen(text);
}

int instruction_show(struct script *script, uint64_t fields, const struct xp_sample *sample)
{
	struct xp_frame frame = { .size = sizeof(frame) };
	uint16_t mode = sample->record->misc & XP_MISC_CPUMODE_MASK;
	struct xp_instruction instruction;
	uint8_t bytes[INSTRUCTION_MAX];
	struct code_bytes code = { .at = bytes };

	if (xp_resolver_frame(script->rec->resolver, sample->id.pid, mode, sample->ip, false,
			      sample->id.time_ns, &frame))
		return -ENOMEM;
	code_bytes_read(&frame, sizeof(bytes), &code);
	int len = xp_instruction_len(code.machine, code.at, code.nr);
	if (fields & F_INSN_LEN) {
		sink_text(&script->out, " ilen: ");
		sink_dec(&script->out, (uint64_t)len, 0, ' ');
	}
	if (fields & F_INSN && len)
		show_bytes(&script->out, " insn: ", bytes, len, "");
	int got = fields & F_DISASM ? disassemble(script, &code, sample->ip, &instruction) : 0;
	if (got > 0) {
		sink_text(&script->out, "\t\t");
		sink_text(&script->out, instruction.text);
	}
	return got < 0 ? got : 0;
}
