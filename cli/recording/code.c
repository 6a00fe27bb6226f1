/* SPDX-License-Identifier: MIT */
/* A function's instructions: its bytes, their text, and the lines of source they are of. */
#include "code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>
#include <xperf/timeline.h>

#include "vec.h"

enum {
	LARGEST = 4 << 20,   /* bytes of a function that are shown */
	UNKNOWN_SIZE = 4096, /* of one whose size is not known */
	MACHINE_ARM = 40,    /* elf.h */
	SHORTEST = 2,        /* bytes of Thumb's */
};

/* Why there is no code, by what kind of file it is. */
static const char *reason_of(const struct xp_dso *dso)
{
	if (dso->is_kernel)
		return "neither the kernel's file (-k FILE) nor /proc/kcore can be read, or they "
		       "are of another kernel";
	if (dso->is_jit)
		return "only jit-PID.dump has code that was made while the program ran";
	return "the file is not there, or is another one than was recorded";
}

static int no_code(const struct xp_frame *frame, struct xp_diag *diag)
{
	xp_diag_set(diag, -ENODATA, "The code of '%s' in '%s' is not known: %s",
		    frame->function.name, frame->map.dso->name, reason_of(frame->map.dso));
	return -ENODATA;
}

static int read_bytes(const struct hot_function *function, struct code *code, struct xp_diag *diag)
{
	const struct xp_function *its = &function->frame->function;
	uint64_t size = its->size ? its->size : UNKNOWN_SIZE;

	code->len = size < LARGEST ? (size_t)size : LARGEST;
	code->bytes = malloc(code->len);
	if (!code->bytes)
		return -ENOMEM;
	int got = xp_symtab_code_at(function->frame->symtab, its->start, code->bytes, code->len,
				    &code->machine);
	if (got <= 0)
		return no_code(function->frame, diag);
	code->len = (size_t)got;
	return 0;
}

static void clear(struct code *code)
{
	code->nr = 0;
	code->text.len = 0;
}

static int add(struct code *code, const struct xp_instruction *instruction)
{
	int err = vec_reserve_more(&code->at, code->nr, 1, &code->room, sizeof(*code->at));

	if (err)
		return err;
	code->at[code->nr++] = (struct code_line){ .address = instruction->address,
						   .target = instruction->target,
						   .text = code->text.len,
						   .len = instruction->len,
						   .kind = instruction->kind };
	sink_text(&code->text, instruction->text);
	sink_char(&code->text, '\0');
	return code->text.err;
}

/* Adds the instructions of one section. Returns the number of what is no instruction, or a negative
 * errno. */
static int disassemble_part(struct code *code, struct xp_disasm *disasm, uint64_t start, size_t at,
			    size_t end)
{
	struct xp_instruction instruction = { .size = sizeof(instruction) };
	int err = 0, nr_bad = 0;

	for (; !err && at < end; at += instruction.len) {
		xp_disasm_next(disasm, code->bytes + at, end - at, start + at, &instruction);
		nr_bad += instruction.kind == XP_INSTRUCTION_BAD;
		err = add(code, &instruction);
	}
	return err ? err : nr_bad;
}

/* Without what is between sections, as behind a function whose size is not known. Returns as above.
 */
static int disassemble(struct code *code, const struct hot_function *function,
		       const struct xp_disasm_opts *opts, struct xp_diag *diag)
{
	uint64_t start = function->frame->function.start, part_end;
	struct xp_disasm *disasm = NULL;
	int err = xp_disasm_new(opts, &disasm, diag), nr_bad = 0;

	clear(code);
	for (size_t at = 0, end; err >= 0 && at < code->len; at = end) {
		bool is_code =
			xp_symtab_code_section(function->frame->symtab, start + at, &part_end);

		end = part_end - start < code->len ? (size_t)(part_end - start) : code->len;
		if (!is_code && at)
			continue;
		err = disassemble_part(code, disasm, start, at, end);
		nr_bad += err > 0 ? err : 0;
	}
	xp_disasm_free(disasm);
	return err < 0 ? err : nr_bad;
}

/* Instructions of Thumb can be at any even address. */
static bool is_between(const struct hot_function *function)
{
	for (size_t i = 0; i < function->nr_places; i++)
		if (function->places[i].address & SHORTEST)
			return true;
	return function->frame->function.start & SHORTEST;
}

/* Which of Arm's two kinds of instructions it has: symbols do not say, but one kind makes sense. */
static int disassemble_any(const struct hot_function *function, bool intel, struct code *code,
			   struct xp_diag *diag)
{
	struct xp_disasm_opts opts = { .size = sizeof(opts),
				       .machine = code->machine,
				       .intel = intel };

	if (code->machine == MACHINE_ARM && is_between(function))
		opts.thumb = true;
	int nr_bad = disassemble(code, function, &opts, diag);
	if (code->machine != MACHINE_ARM || opts.thumb || nr_bad <= 0)
		return nr_bad < 0 ? nr_bad : 0;
	opts.thumb = true;
	int nr_bad_thumb = disassemble(code, function, &opts, diag);
	opts.thumb = nr_bad_thumb < nr_bad;
	if (nr_bad_thumb >= 0 && !opts.thumb)
		nr_bad_thumb = disassemble(code, function, &opts, diag);
	return nr_bad_thumb < 0 ? nr_bad_thumb : 0;
}

static int add_lines(struct xp_symtab *symtab, struct code *code)
{
	const struct xp_line *lines;

	for (size_t i = 0; i < code->nr; i++) {
		struct code_line *line = &code->at[i];
		int nr = xp_symtab_lines(symtab, line->address, &lines);

		if (nr < 0)
			return nr;
		if (!nr || !lines[0].file)
			continue;
		line->file = lines[0].file;
		line->line = lines[0].line;
		line->function = nr > 1 ? lines[0].name : NULL;
	}
	return 0;
}

int code_read(const struct hot_function *function, bool intel, bool with_lines, struct code *code,
	      struct xp_diag *diag)
{
	*code = (struct code){ .text = SINK_KEPT };
	int err = read_bytes(function, code, diag);

	if (!err)
		err = disassemble_any(function, intel, code, diag);
	return err || !with_lines ? err : add_lines(function->frame->symtab, code);
}

void code_fini(struct code *code)
{
	free(code->at);
	free(code->bytes);
	sink_fini(&code->text);
}

/* "<mix+0x58>", if the function is known. */
static void put_symbol(struct sink *out, struct xp_symtab *symtab, uint64_t address)
{
	struct xp_function function;

	if (xp_symtab_find(symtab, address, &function) <= 0)
		return;
	sink_text(out, " <");
	sink_escaped(out, function.name);
	if (address > function.start) {
		sink_text(out, "+0x");
		sink_hex(out, address - function.start, 0, ' ');
	}
	sink_char(out, '>');
}

/* The text of a branch ends with its target, unless that is read from memory. */
void code_put_target(const struct code *code, const struct code_line *line,
		     struct xp_symtab *symtab, struct sink *out)
{
	const char *text = code->text.buf + line->text;
	bool is_branch = line->kind == XP_INSTRUCTION_JUMP || line->kind == XP_INSTRUCTION_CALL;

	if (!line->target)
		return;
	if (!is_branch || strpbrk(text, "([")) {
		sink_text(out, "        # ");
		sink_hex(out, line->target, 0, ' ');
	}
	put_symbol(out, symtab, line->target);
}
