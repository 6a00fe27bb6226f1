/* SPDX-License-Identifier: MIT */
/* The instruction a sample was at: bytes, length, text. Source of the layout: perf script, 6.1 and
 * 6.12, perf-script(1). */
#include <errno.h>
#include <xperf/disasm.h>

#include "script.h"

enum { LONGEST = 16, MACHINE_ARM = 40 /* elf.h */ };

/* Of a sample; @len: 0: not known */
struct bytes {
	uint8_t at[LONGEST];
	int there, len, machine;
};

/* Code of files is read by offset, which needs no symbols and any byte order; other code by its
 * address. */
static void read_bytes(const struct xp_frame *frame, struct bytes *bytes)
{
	uint64_t offset = frame->ip - frame->map.start + frame->map.offset;

	bytes->there = xp_symtab_code(frame->symtab, offset, bytes->at, sizeof(bytes->at),
				      &bytes->machine);
	if (!bytes->there)
		bytes->there = xp_symtab_code_at(frame->symtab, frame->address, bytes->at,
						 sizeof(bytes->at), &bytes->machine);
	bytes->len = xp_instruction_len(bytes->machine, bytes->at, (size_t)bytes->there);
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

/* Targets are as they ran. Of Arm it is not known which instructions a function has. */
static int show_text(struct script *script, const struct bytes *bytes, uint64_t ip)
{
	struct xp_instruction instruction = { .size = sizeof(instruction) };
	int err = bytes->machine == MACHINE_ARM ? 0 : open_disasm(script, bytes->machine);

	if (err || !script->disasm || bytes->machine == MACHINE_ARM ||
	    xp_disasm_next(script->disasm, bytes->at, (size_t)bytes->there, ip, &instruction) <= 0)
		return err;
	sink_text(&script->out, "\t\t");
	sink_text(&script->out, instruction.text);
	return 0;
}

int instruction_show(struct script *script, uint64_t fields, const struct xp_sample *sample)
{
	struct xp_frame frame = { .size = sizeof(frame) };
	uint16_t mode = sample->record->misc & XP_MISC_CPUMODE_MASK;
	struct bytes bytes = { .len = 0 };

	if (xp_resolver_frame(script->rec->resolver, sample->id.pid, mode, sample->ip, false,
			      sample->id.time_ns, &frame))
		return -ENOMEM;
	if (frame.symtab)
		read_bytes(&frame, &bytes);
	if (fields & F_INSN_LEN) {
		sink_text(&script->out, " ilen: ");
		sink_dec(&script->out, (uint64_t)bytes.len, 0, ' ');
	}
	if (fields & F_INSN && bytes.len)
		sink_text(&script->out, " insn:");
	for (int i = 0; fields & F_INSN && i < bytes.len; i++) {
		sink_char(&script->out, ' ');
		sink_hex(&script->out, bytes.at[i], 2, '0');
	}
	return fields & F_DISASM ? show_text(script, &bytes, sample->ip) : 0;
}
