/* SPDX-License-Identifier: MIT */
/* -D: the bytes of each record, in the order of the file. Source of the layout: perf script, 6.1,
 * measured. */
#include <ctype.h>

#include "script.h"

enum { PER_LINE = 16 };

static void dump_line(struct sink *out, const unsigned char *bytes, uint32_t at, uint32_t len)
{
	sink_text(out, ".  ");
	sink_hex(out, at, 4, '0');
	sink_text(out, ": ");
	for (uint32_t i = at; i < at + PER_LINE; i++) {
		sink_char(out, ' ');
		if (i < len)
			sink_hex(out, bytes[i], 2, '0');
		else
			sink_blanks(out, 2);
	}
	sink_blanks(out, 2);
	for (uint32_t i = at; i < at + PER_LINE; i++)
		sink_char(out, i >= len ? ' ' : isprint(bytes[i]) ? (char)bytes[i] : '.');
	sink_char(out, '\n');
}

/* " 0x1f8 [0x28]": where it is, and its size. */
static void show_place(struct sink *out, uint64_t offset, uint32_t size)
{
	sink_text(out, "0x");
	sink_hex(out, offset, 0, ' ');
	sink_text(out, " [0x");
	sink_hex(out, size, 0, ' ');
	sink_text(out, "]: ");
}

void dump_record(struct script *script, const struct xp_record *record)
{
	struct sink *out = &script->out;
	uint64_t offset = xp_data_offset(script->data);
	const char *name = xp_record_name(record->type);

	sink_char(out, '\n');
	show_place(out, offset, record->size);
	sink_text(out, "event: ");
	sink_dec(out, record->type, 0, ' ');
	sink_text(out, "\n.\n. ... raw event: size ");
	sink_dec(out, record->size, 0, ' ');
	sink_text(out, " bytes\n");
	for (uint32_t at = 0; at < record->size; at += PER_LINE)
		dump_line(out, (const void *)record, at, record->size);
	sink_char(out, '\n');
	show_place(out, offset, record->size);
	sink_text(out, "PERF_RECORD_");
	sink_text(out, name ? name : "?");
	sink_text(out, ", misc 0x");
	sink_hex(out, record->misc, 0, ' ');
	sink_char(out, '\n');
}
