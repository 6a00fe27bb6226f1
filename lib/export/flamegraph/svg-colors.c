/* SPDX-License-Identifier: MIT */
/* Colours of frames in a flame graph, by kind or by what has changed: those of HTML reports
 * (web/src/colors.ts). They are classes of the style, so that a dark screen has others. */
#include <xperf/export.h>

#include "cleanup.h"
#include "svg.h"

enum {
	SHADES = 4, /* boxes of one kind, so that neighbours can be distinguished */
	STEPS = 8,  /* of a change's strength */
	MORE_HUE = 8,
	LESS_HUE = 216,
};

/* The first row whose mark a frame has. */
static const struct {
	uint32_t mark;
	const char *name;
	uint32_t hue, saturation;
} kinds[] = {
	{ XP_MARK_CUT, "cut off", 0, 30 },       { XP_MARK_ROOT, NULL, 220, 14 },
	{ XP_MARK_OFF_CPU, "off-CPU", 265, 40 }, { XP_MARK_UNKNOWN, "unknown", 0, 0 },
	{ XP_MARK_KERNEL, "kernel", 210, 62 },   { XP_MARK_JIT, "JIT", 140, 42 },
	{ XP_MARK_INLINED, "inlined", 48, 88 },  { 0, "user", 32, 88 },
};

/* The same name has the same shade in each picture. Source: FNV-1a, with 32 bits. */
static uint32_t shade_of(const char *name)
{
	uint32_t hash = 2166136261U;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 16777619U;
	return (hash >> 8) % SHADES;
}

static void put_kind(struct out *out, uint32_t kind, uint32_t shade)
{
	xp_out_char(out, 'k');
	xp_out_dec(out, kind);
	xp_out_dec(out, shade);
}

uint32_t xp_svg_kind(struct out *out, const char *name, uint32_t marks)
{
	uint32_t kind = 0;

	while (kinds[kind].mark && !(marks & kinds[kind].mark))
		kind++;
	put_kind(out, kind, shade_of(name));
	return kind;
}

void xp_svg_change(struct out *out, uint64_t now, uint64_t before, uint64_t all)
{
	uint64_t most = now > before ? now : before;
	uint64_t change = now > before ? now - before : before - now;
	/* A tenth of a percentage point is noise, whatever part of the box it is. */
	bool is_noise = (unsigned __int128)change * 1000 < all;
	uint64_t step = most && !is_noise
				? (uint64_t)((unsigned __int128)change * STEPS * 3 / 2 / most)
				: 0;

	xp_out_char(out, now > before ? 'm' : 'l');
	xp_out_dec(out, step < STEPS ? step : STEPS);
}

/* Saturation and lightness in thousandths of a percent. */
static void put_rule(struct out *out, uint32_t hue, uint32_t saturation, uint32_t lightness)
{
	xp_out_text(out, " { fill: hsl(");
	xp_out_dec(out, hue);
	xp_out_text(out, ", ");
	xp_out_milli(out, saturation);
	xp_out_text(out, "%, ");
	xp_out_milli(out, lightness);
	xp_out_text(out, "%) }\n");
}

static void put_kinds(struct out *out, bool is_dark)
{
	for (uint32_t kind = 0; kind < XP_ARRAY_LEN(kinds); kind++)
		for (uint32_t shade = 0; shade < SHADES; shade++) {
			xp_out_char(out, '.');
			put_kind(out, kind, shade);
			put_rule(out, kinds[kind].hue,
				 kinds[kind].saturation * (is_dark ? 620 : 1000),
				 is_dark ? 30000 + 2500 * shade : 72000 + 3000 * shade);
		}
}

static void put_changes(struct out *out, bool is_dark)
{
	for (uint32_t step = 0; step <= STEPS; step++)
		for (int is_more = 0; is_more < 2; is_more++) {
			xp_out_text(out, is_more ? ".m" : ".l");
			xp_out_dec(out, step);
			put_rule(out, is_more ? MORE_HUE : LESS_HUE, 80000 * step / STEPS,
				 is_dark ? 30000 + 12000 * step / STEPS
					 : 88000 - 26000 * step / STEPS);
		}
}

void xp_svg_colors(struct out *out, bool has_changes)
{
	for (int is_dark = 0; is_dark < 2; is_dark++) {
		xp_out_text(out, is_dark ? "@media (prefers-color-scheme: dark) {\n" : "");
		put_kinds(out, is_dark);
		if (has_changes)
			put_changes(out, is_dark);
		xp_out_text(out, is_dark ? "}\n" : "");
	}
}

void xp_svg_legend(struct out *out, uint32_t shown, uint32_t y)
{
	uint32_t x = 10;

	xp_out_text(out, "<g id=\"legend\">\n");

	for (uint32_t kind = XP_ARRAY_LEN(kinds); kind-- > 0;) {
		const char *name = kinds[kind].name;

		if (!name || !(shown >> kind & 1))
			continue;
		xp_out_text(out, "<rect x=\"");
		xp_out_dec(out, x);
		xp_out_text(out, "\" y=\"");
		xp_out_dec(out, y);
		xp_out_text(out, "\" width=\"11\" height=\"11\" class=\"");
		put_kind(out, kind, 1);
		xp_out_text(out, "\"/><text x=\"");
		xp_out_dec(out, x + 15);
		xp_out_text(out, "\" y=\"");
		xp_out_dec(out, y + 10);
		xp_out_text(out, "\">");
		xp_out_text(out, name);
		xp_out_text(out, "</text>\n");
		x += 33 + 8 * (uint32_t)strlen(name);
	}
	xp_out_text(out, "</g>\n");
}
