/* SPDX-License-Identifier: MIT */
/*
 * A flame graph: one box for each frame, as wide as its share, on top of what called it. The
 * picture is complete without its script (svg-script.c), which zooms, searches and moves with the
 * keyboard.
 *
 * Compared with another tree, widths are of this one; frames that only the other has are as wide as
 * they were there, with a dashed edge.
 *
 * Source of the picture's form: B. Gregg, "The Flame Graph", CACM 59(6), 2016.
 */
#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "svg.h"
#include "view.h"

enum {
	WIDTH = 1200, /* where no other is asked for */
	MARGIN = 10,
	ROW = 17, /* pixels from one frame to the next */
	HEAD = 58,
	FOOT = 26,
	LEGEND = 18,   /* and as much more with a legend */
	BUTTONS = 200, /* what they need beside the heading */
	HEADING_CHAR = 10,
	/* thousandths of a pixel: */
	CHAR = 7300, /* a letter of 12 pixels in monospaced fonts, and a little more */
	LABEL_MARGIN = 3000,
	THINNEST = 100,
};

struct picture {
	const struct export *export;
	struct out *out;
	struct view view;
	uint64_t *widths; /* per node: what its width stands for */
	uint64_t *starts; /* what is to its left */
	const char *event, *unit;
	uint64_t nr_left_out;
	uint32_t rows, height, width;
	uint32_t kinds; /* bits of the kinds of frames in it */
};

/* --- what weighs how much --- */

/* Of the other tree, as if both weighed the same. */
static uint64_t of_base(const struct picture *picture, uint64_t weight)
{
	const uint64_t *totals = picture->view.nodes[VIEW_ROOT].total;
	unsigned __int128 scaled = (unsigned __int128)weight * totals[0];

	return totals[1] && totals[0] ? (uint64_t)(scaled / totals[1]) : weight;
}

static bool is_gone(const struct view_node *node)
{
	return !node->total[0];
}

static int measure(struct picture *picture)
{
	const struct view *view = &picture->view;

	picture->widths = calloc(view->nr, sizeof(*picture->widths));
	picture->starts = calloc(view->nr, sizeof(*picture->starts));
	if (!picture->widths || !picture->starts)
		return -ENOMEM;
	for (uint32_t i = view->nr; i-- > 0;) {
		const struct view_node *node = &view->nodes[i];

		picture->widths[i] +=
			is_gone(node) ? of_base(picture, node->self[1]) : node->self[0];
		if (i)
			picture->widths[node->parent] += picture->widths[i];
	}
	return 0;
}

/* Boxes of one caller are side by side. Parents come before what they call. */
static void place_children(struct picture *picture, uint32_t nr)
{
	uint64_t start = picture->starts[nr];

	for (uint32_t at = picture->view.nodes[nr].child; at; at = picture->view.nodes[at].next) {
		picture->starts[at] = start;
		start += picture->widths[at];
	}
}

/* Thousandths of a pixel. */
static uint64_t scale(const struct picture *picture, uint64_t weight)
{
	uint64_t all = picture->widths[VIEW_ROOT];

	uint64_t inner = (picture->width - 2 * MARGIN) * 1000;

	return all ? (uint64_t)((unsigned __int128)weight * inner / all) : inner;
}

/* --- texts --- */

static void put_percent(struct out *out, uint64_t part, uint64_t all)
{
	uint64_t hundredths =
		all ? (uint64_t)(((unsigned __int128)part * 10000 + all / 2) / all) : 0;
	const char rest[] = { '.', (char)('0' + hundredths / 10 % 10),
			      (char)('0' + hundredths % 10), '%' };

	xp_out_dec(out, hundredths / 100);
	xp_out_bytes(out, rest, sizeof(rest));
}

static void put_weight(struct out *out, const struct picture *picture, uint64_t weight)
{
	const char *name = picture->export->opts.count_name;

	if (!name && !picture->export->opts.samples && !strcmp(picture->unit, "nanoseconds")) {
		xp_out_milli(out, (weight + 500000) / 1000000);
		xp_out_text(out, " s");
		return;
	}
	xp_out_grouped(out, weight);
	xp_out_char(out, ' ');
	xp_out_xml(out, name ? name : picture->export->opts.samples ? "samples" : picture->event);
}

static const char *kind_of(uint32_t marks)
{
	static const struct {
		uint32_t mark;
		const char *kind;
	} kinds[] = {
		{ XP_MARK_OFF_CPU, "off-CPU" },       { XP_MARK_INLINED, "inlined" },
		{ XP_MARK_KERNEL, "kernel" },         { XP_MARK_JIT, "JIT" },
		{ XP_MARK_JOINED, "earlier sample" },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(kinds); i++)
		if (marks & kinds[i].mark)
			return kinds[i].kind;
	return NULL;
}

/* "read", "libc.so.6, inlined", "1 sample, 5.00%", a line each: for a pointer that rests on it, for
 * those who cannot see, and for the script. */
static void put_title(struct picture *picture, const struct view_node *node)
{
	const char *kind = kind_of(node->marks);
	bool has_file = node->file != NO_FILE && !(node->marks & XP_MARK_UNKNOWN);
	const uint64_t *totals = picture->view.nodes[VIEW_ROOT].total;
	struct out *out = picture->out;

	xp_out_text(out, "<title>");
	xp_out_xml(out, node->name);
	if (has_file || kind) {
		xp_out_char(out, '\n');
		xp_out_xml(out, has_file ? node->tree->files[node->file].name : kind);
		if (has_file && kind) {
			xp_out_text(out, ", ");
			xp_out_text(out, kind);
		}
	}
	xp_out_char(out, '\n');
	put_weight(out, picture, node->total[0]);
	xp_out_text(out, ", ");
	put_percent(out, node->total[0], totals[0]);
	if (picture->export->opts.base) {
		xp_out_text(out, ", before ");
		put_percent(out, node->total[1], totals[1]);
	}
	xp_out_text(out, "</title>");
}

/* As much of a name as fits into its box; nothing, where that is next to nothing. */
static void put_label(struct picture *picture, const struct view_node *node, uint64_t width,
		      uint64_t x, uint32_t y)
{
	uint64_t inner = width > 2 * LABEL_MARGIN ? width - 2 * LABEL_MARGIN : 0;
	struct out *out = picture->out;

	if (inner / CHAR < 3)
		return;
	xp_out_text(out, "<text x=\"");
	xp_out_milli(out, x + LABEL_MARGIN);
	xp_out_text(out, "\" y=\"");
	xp_out_dec(out, y + 12);
	xp_out_text(out, "\">");
	xp_out_xml_cut(out, node->name, inner / CHAR);
	xp_out_text(out, "</text>");
}

/* --- the picture --- */

static void put_number(struct out *out, const char *name, uint64_t thousandths)
{
	xp_out_text(out, name);
	xp_out_milli(out, thousandths);
	xp_out_char(out, '"');
}

static void put_box(struct picture *picture, uint32_t nr)
{
	const struct view_node *node = &picture->view.nodes[nr];
	const struct xp_export_opts *opts = &picture->export->opts;
	uint64_t x = scale(picture, picture->starts[nr]) + MARGIN * 1000;
	uint64_t width = scale(picture, picture->widths[nr]);
	uint32_t y = HEAD + ROW * (opts->inverted ? node->depth : picture->rows - 1 - node->depth);
	uint64_t now = node->total[0], before = of_base(picture, node->total[1]);
	struct out *out = picture->out;

	xp_out_text(out, "<g>");
	put_title(picture, node);
	put_number(out, "<rect x=\"", x);
	put_number(out, " width=\"", width);
	xp_out_text(out, " y=\"");
	xp_out_dec(out, y);
	xp_out_text(out, "\" height=\"16\" class=\"");
	if (opts->base && !(node->marks & XP_MARK_ROOT))
		xp_svg_change(out, opts->negated ? before : now, opts->negated ? now : before,
			      picture->view.nodes[VIEW_ROOT].total[0]);
	else
		picture->kinds |= 1U << xp_svg_kind(out, node->name, node->marks);
	xp_out_text(out, opts->base && is_gone(node) ? " gone\"/>" : "\"/>");
	put_label(picture, node, width, x, y);
	xp_out_text(out, "</g>\n");
}

/* The node after @at outside of what it calls; 0: there is none. */
static uint32_t skip(const struct view *view, uint32_t at)
{
	while (at && !view->nodes[at].next)
		at = view->nodes[at].parent;
	return at ? view->nodes[at].next : 0;
}

static uint64_t count_below(const struct view *view, uint32_t at)
{
	uint32_t end = skip(view, at);
	uint64_t nr = 0;

	for (; at && at != end; at = view_next(view, at))
		nr++;
	return nr;
}

/* Each frame before those it called. What is too thin to see is left out, with all that it called.
 */
static void put_boxes(struct picture *picture)
{
	const struct view *view = &picture->view;
	uint64_t thinnest = picture->export->opts.min_width ?: THINNEST;
	uint32_t at = VIEW_ROOT;

	do {
		if (scale(picture, picture->widths[at]) < thinnest) {
			picture->nr_left_out += count_below(view, at);
			at = skip(view, at);
			continue;
		}
		place_children(picture, at);
		put_box(picture, at);
		at = view_next(view, at);
	} while (at && !picture->out->sink.err);
}

/* Writes all that comes before the frames. */
static void put_begin(struct picture *picture)
{
	const struct export *export = picture->export;
	const char *title = export->opts.title ? export->opts.title : export->tree->info.title;
	struct out *out = picture->out;

	xp_out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
	xp_out_dec(out, picture->width);
	xp_out_text(out, "\" height=\"");
	xp_out_dec(out, picture->height);
	xp_out_text(out, "\" viewBox=\"0 0 ");
	xp_out_dec(out, picture->width);
	xp_out_char(out, ' ');
	xp_out_dec(out, picture->height);
	/* The script leaves a width that was asked for. */
	xp_out_text(out, export->opts.width ? "\" data-fixed=\"" : "");
	xp_out_text(out, "\" tabindex=\"0\">\n<title>");
	xp_out_xml(out, title);
	xp_out_text(out, "</title>\n<style>\n");
	xp_out_text(out, xp_svg_style);
	xp_svg_colors(out, export->opts.base);
	xp_out_text(out, "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n"
			 "<g id=\"frames\">\n");
}

/* A text of the head. @id: with more attributes */
static void put_text_at(struct out *out, const char *id, uint32_t x, uint32_t y)
{
	xp_out_text(out, "<text id=\"");
	xp_out_text(out, id);
	xp_out_text(out, "\" x=\"");
	xp_out_dec(out, x);
	xp_out_text(out, "\" y=\"");
	xp_out_dec(out, y);
	xp_out_text(out, "\">");
}

/* Writes the lines that stay in sight where the frames are scrolled, and are in front of them. */
static void put_head(struct picture *picture)
{
	const struct xp_export_opts *opts = &picture->export->opts;
	const char *title = opts->title ? opts->title : picture->export->tree->info.title;
	uint32_t middle = picture->width / 2, right = picture->width - MARGIN;
	struct out *out = picture->out;

	xp_out_text(out, "</g>\n<g id=\"head\">\n"
			 "<rect class=\"paper\" width=\"100%\" height=\"50\"/>\n");
	put_text_at(out, "heading", middle, 22);
	xp_out_xml_cut(out, title,
		       picture->width > BUTTONS ? (picture->width - BUTTONS) / HEADING_CHAR : 0);
	xp_out_text(out, "</text>\n");
	put_text_at(out, "what", middle, 42);
	if (opts->subtitle) {
		xp_out_xml(out, opts->subtitle);
		xp_out_text(out, "; ");
	}
	put_weight(out, picture, picture->view.nodes[VIEW_ROOT].total[0]);
	if (opts->base)
		xp_out_text(out, opts->negated
					 ? "; blue: more than before, red: less, dashed: gone"
					 : "; red: more than before, blue: less, dashed: gone");
	xp_out_text(out, "</text>\n");
	put_text_at(out, "reset\" class=\"button", MARGIN, 22);
	xp_out_text(out, "</text>\n");
	put_text_at(out, "search\" class=\"button", right, 22);
	xp_out_text(out, "</text>\n");
	put_text_at(out, "matched", right, 42);
	xp_out_text(out, "</text>\n</g>\n");
}

static void put_foot(struct picture *picture)
{
	bool has_legend = !picture->export->opts.base;
	uint32_t height = has_legend ? FOOT + LEGEND : FOOT, y = picture->height - height;
	struct out *out = picture->out;

	xp_out_text(out, "<g id=\"foot\">\n<rect class=\"paper\" y=\"");
	xp_out_dec(out, y);
	xp_out_text(out, "\" width=\"100%\" height=\"");
	xp_out_dec(out, height);
	xp_out_text(out, "\"/>\n<text id=\"info\" x=\"10\" y=\"");
	xp_out_dec(out, y + 17);
	xp_out_text(out, "\">");
	if (picture->nr_left_out) {
		xp_out_grouped(out, picture->nr_left_out);
		xp_out_text(out, picture->nr_left_out == 1
					 ? " frame too thin to see is left out"
					 : " frames too thin to see are left out");
	}
	xp_out_text(out, "</text>\n");
	if (has_legend)
		xp_svg_legend(out, picture->kinds, y + FOOT);
	xp_out_text(out, "</g>\n<script><![CDATA[\n");
	xp_out_text(out, xp_svg_script);
	xp_out_text(out, "]]></script>\n</svg>\n");
}

/* What weights are called: one event's name, or of several their common unit. */
static void name_event(struct picture *picture)
{
	const struct export *export = picture->export;

	picture->event = picture->unit = "";
	for (uint32_t i = 0; i < export->tree->nr_events; i++)
		if (export_has_event(export, i)) {
			picture->event = export->tree->events[i].name;
			picture->unit = export->tree->events[i].unit;
		}
}

int xp_format_svg(const struct export *export)
{
	struct picture picture = { .export = export, .out = export->out };
	int err = xp_view_init(&picture.view, export, false) ?: measure(&picture);

	if (!err) {
		picture.rows = picture.view.max_depth + 1;
		picture.width = export->opts.width ?: WIDTH;
		picture.height = HEAD + ROW * picture.rows + FOOT;
		picture.height += export->opts.base ? 0 : LEGEND;
		name_event(&picture);
		put_begin(&picture);
		put_boxes(&picture);
		put_head(&picture);
		put_foot(&picture);
	}
	free(picture.widths);
	free(picture.starts);
	xp_view_fini(&picture.view);
	return err;
}
