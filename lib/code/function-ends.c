/* SPDX-License-Identifier: MIT */
/* Where calls of a function end: each instruction is looked at once, one after the other. */
#include "function-ends.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "vec.h"

static const char *const reasons[] = {
	[FUNCTION_ENDS_FOUND] = "",
	[FUNCTION_ENDS_NO_SIZE] = "its size is not known",
	[FUNCTION_ENDS_NO_DECODER] = "capstone is missing, with which its ends are found",
	[FUNCTION_ENDS_OTHER_MACHINE] = "ends are found in code of x86-64 only",
	[FUNCTION_ENDS_NO_CODE] = "not all of it is code",
	[FUNCTION_ENDS_COMPUTED] = "it has computed jumps, as of a jump table",
	[FUNCTION_ENDS_LEFT] = "it ends with a jump to another function",
	[FUNCTION_ENDS_OPEN] = "it goes on in what follows it",
	[FUNCTION_ENDS_NONE] = "it does not return",
	[FUNCTION_ENDS_NO_PROBE] = "the kernel cannot probe where it returns",
	[FUNCTION_ENDS_FAR] = "it returns as interrupts do",
};

const char *xp_function_ends_reason(enum function_ends_state state)
{
	return reasons[state];
}

static bool is_in(const struct code_part *parts, size_t nr_parts, uint64_t address)
{
	for (size_t i = 0; i < nr_parts; i++)
		if (address >= parts[i].address && address - parts[i].address < parts[i].len)
			return true;
	return false;
}

/* Operands of other jumps begin with "*" or a register. */
static bool is_direct(const struct decoded *decoded)
{
	return isdigit((unsigned char)decoded->operands[0]);
}

/* Names of instructions after which nothing runs, or that fill up. */
static bool is_named(const struct decoded *decoded, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(decoded->name, *names))
			return true;
	return false;
}

/* What decoding has come to in one part. */
struct walk {
	const struct code_part *parts;
	size_t nr_parts;
	struct function_ends *ends;
	bool is_closed; /* what was decoded last is not followed by what comes next */
};

/* The first fault is what is reported. */
static void note(struct walk *walk, enum function_ends_state state)
{
	if (walk->ends->state == FUNCTION_ENDS_FOUND)
		walk->ends->state = state;
}

static void note_jump(struct walk *walk, const struct decoded *decoded)
{
	struct function_ends *ends = walk->ends;

	walk->is_closed = !strcmp(decoded->name, "jmp");
	if (!is_direct(decoded)) {
		note(walk, FUNCTION_ENDS_COMPUTED);
	} else if (!is_in(walk->parts, walk->nr_parts, decoded->target)) {
		if (ends->state == FUNCTION_ENDS_FOUND)
			ends->left_to = decoded->target;
		note(walk, FUNCTION_ENDS_LEFT);
	}
	ends->repeats |= decoded->target == walk->parts[0].address;
}

static int note_return(struct walk *walk, const struct decoded *decoded, uint64_t address)
{
	struct function_ends *ends = walk->ends;
	int err = vec_add(&ends->at, ends->nr, sizeof(*ends->at));

	walk->is_closed = true;
	if (strcmp(decoded->name, "ret") != 0)
		note(walk, FUNCTION_ENDS_FAR);
	if (!err)
		ends->at[ends->nr++] = address;
	return err;
}

static int note_instruction(struct walk *walk, const struct decoded *decoded, uint64_t address)
{
	static const char *const last[] = { "ud2", "ud2b", "hlt", "int3", NULL };
	static const char *const fill[] = { "nop", NULL };
	static const char *const far[] = { "iret", "iretd", "iretq", "sysret", "sysexit", NULL };

	if (decoded->kind == XP_INSTRUCTION_RETURN)
		return note_return(walk, decoded, address);
	if (decoded->kind == XP_INSTRUCTION_JUMP)
		note_jump(walk, decoded);
	else if (is_named(decoded, far))
		note(walk, FUNCTION_ENDS_FAR);
	else if (!is_named(decoded, fill))
		/* A call that is the last instruction never returns. */
		walk->is_closed = decoded->kind == XP_INSTRUCTION_CALL || is_named(decoded, last);
	return 0;
}

static int walk_part(struct walk *walk, struct decoder *decoder, const struct code_part *part)
{
	struct decoded decoded;
	int err = 0;

	walk->is_closed = false;
	for (size_t at = 0; at < part->len && !err; at += decoded.len) {
		if (!xp_decoder_next(decoder, part->bytes + at, part->len - at, part->address + at,
				     &decoded)) {
			note(walk, FUNCTION_ENDS_NO_CODE);
			return 0;
		}
		err = note_instruction(walk, &decoded, part->address + at);
	}
	if (!walk->is_closed)
		note(walk, FUNCTION_ENDS_OPEN);
	return err;
}

int xp_function_ends(struct decoder *decoder, const struct code_part *parts, size_t nr_parts,
		     struct function_ends *ret_ends)
{
	struct walk walk = { parts, nr_parts, ret_ends, false };
	int err = 0;

	*ret_ends = (struct function_ends){ .state = FUNCTION_ENDS_FOUND };
	for (size_t i = 0; i < nr_parts && !err; i++)
		err = walk_part(&walk, decoder, &parts[i]);
	if (!err && !ret_ends->nr)
		note(&walk, FUNCTION_ENDS_NONE);
	if (err || ret_ends->state != FUNCTION_ENDS_FOUND) {
		free(ret_ends->at);
		ret_ends->at = NULL;
		ret_ends->nr = 0;
	}
	return err;
}

void xp_function_ends_fini(struct function_ends *ends)
{
	free(ends->at);
	*ends = (struct function_ends){ 0 };
}
