/* SPDX-License-Identifier: MIT */
/* Text to scroll through, a menu, a line to be written. */
#include "views.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scroll.h"
#include "utf8.h"
#include "vec.h"

/* Lines above and below what is shown: title and keys. */
enum { FRAME_LINES = 2, WORD_BYTES = 128 };

enum style view_style(double percent)
{
	return percent >= 5 ? STYLE_HOT : percent >= 0.5 ? STYLE_WARM : STYLE_PLAIN;
}

static void put_frame(struct screen *screen, const char *title, const char *keys,
		      const struct scroll *scroll)
{
	char line[256];
	int columns = screen_columns(screen), last = screen_rows(screen) - 1;

	screen_clear(screen);
	screen_put(screen, 0, 0, title, columns, STYLE_TITLE);
	snprintf(line, sizeof(line), "%s  %zu/%zu", keys, scroll->nr ? scroll->at + 1 : 0,
		 scroll->nr);
	screen_put(screen, last, 0, line, columns, STYLE_FAINT);
}

static void fit(const struct screen *screen, struct scroll *scroll, size_t nr)
{
	int rows = screen_rows(screen) - FRAME_LINES;

	scroll_fit(scroll, nr, rows > 0 ? (size_t)rows : 1);
}

static bool ends_all(int key)
{
	return key == SCREEN_GONE || key == SCREEN_INTERRUPTED;
}

/* --- text --- */

struct text {
	char *copy;
	char **lines;
	size_t nr;
	char word[WORD_BYTES];
	const struct code_lines *code; /* NULL: none */
	struct code_lines_view view;
	struct scroll scroll;
};

static int split(struct text *text, const char *from)
{
	text->copy = strdup(from);
	for (char *at = text->copy; at && *at;) {
		char *end = strchr(at, '\n');

		if (vec_add(&text->lines, text->nr, sizeof(char *)))
			return -ENOMEM;
		text->lines[text->nr++] = at;
		if (end)
			*end = '\0';
		at = end ? end + 1 : NULL;
	}
	return text->copy ? 0 : -ENOMEM;
}

/* Tabs are stops of eight columns. */
static void expand(const char *from, char *to, size_t room)
{
	size_t len = 0;
	int column = 0;

	for (; *from && len + 8 < room; from++) {
		int stop = *from == '\t' ? 8 - column % 8 : 0;

		memset(to + len, ' ', (size_t)stop);
		len += (size_t)stop;
		column += stop;
		if (stop)
			continue;
		column += (*from & 0xc0) != 0x80;
		to[len++] = *from;
	}
	to[len] = '\0';
}

static const char *skip(const char *line, int columns)
{
	for (; *line && columns > 0; columns--) {
		size_t len = utf8_len((const unsigned char *)line);

		line += len ? len : 1;
	}
	return line;
}

static void draw_text(struct screen *screen, const char *title, const struct text *text)
{
	const struct scroll *scroll = &text->scroll;
	char line[4096];

	put_frame(screen, title,
		  text->code ? "q back  / search  n next  Enter follow  j arrow  J jumps here"
			     : "q back  / search  n next",
		  scroll);
	for (size_t i = 0; i < scroll->height && scroll->top + i < scroll->nr; i++) {
		const char *from = text->lines[scroll->top + i];
		double share = text->code ? strtod(from, NULL) : 0;

		expand(from, line, sizeof(line));
		screen_put(screen, (int)i + 1, 0, skip(line, text->view.left),
			   screen_columns(screen),
			   scroll->top + i == scroll->at ? STYLE_SELECTED : view_style(share));
	}
	if (text->code)
		code_lines_draw(screen, text->code, text->lines, scroll, &text->view);
	screen_show(screen);
}

/* The next line with the word, after the last comes the first. */
static void search(struct text *text)
{
	for (size_t i = 1; *text->word && i <= text->nr; i++) {
		size_t line = (text->scroll.at + i) % text->nr;

		if (strstr(text->lines[line], text->word)) {
			scroll_to(&text->scroll, line);
			return;
		}
	}
}

/* To where the instruction that the cursor is on jumps. */
static void follow(struct text *text)
{
	size_t target = text->code ? code_lines_target(text->code, text->scroll.at) : NO_LINE;

	if (target != NO_LINE)
		scroll_to(&text->scroll, target);
}

/* Returns 0, VIEW_BACK or VIEW_GONE. */
static int text_key(struct screen *screen, struct text *text, int key)
{
	enum { STEP = 8 };
	int got;

	if (ends_all(key))
		return VIEW_GONE;
	switch (key) {
	case 'q':
	case SCREEN_ESCAPE:
		return VIEW_BACK;
	case '/':
		got = view_prompt(screen, "Search: ", text->word, sizeof(text->word));
		if (!got)
			search(text);
		return got == VIEW_GONE ? got : 0;
	case 'n':
		search(text);
		break;
	case SCREEN_ENTER:
		follow(text);
		break;
	case 'j':
		text->view.has_arrow = !text->view.has_arrow;
		break;
	case 'J':
		text->view.has_counts = !text->view.has_counts;
		break;
	case SCREEN_RIGHT:
		text->view.left += STEP;
		break;
	case SCREEN_LEFT:
		text->view.left -= text->view.left ? STEP : 0;
		break;
	default:
		scroll_key(&text->scroll, key);
	}
	return 0;
}

int view_text(struct screen *screen, const char *title, const char *from, size_t at,
	      const struct code_lines *code)
{
	struct text text = { .code = code, .view.has_arrow = true };
	int got = split(&text, from);

	text.scroll.at = at;
	while (!got) {
		fit(screen, &text.scroll, text.nr);
		draw_text(screen, title, &text);
		got = text_key(screen, &text, screen_key(screen));
	}
	free(text.lines);
	free(text.copy);
	return got;
}

size_t view_hottest_line(const char *text)
{
	size_t hottest = 0;
	double most = 0;

	for (size_t line = 0; text; line++) {
		double share = strtod(text, NULL);

		if (share > most) {
			most = share;
			hottest = line;
		}
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return hottest;
}

/* --- menu --- */

int view_menu(struct screen *screen, const char *title, const char *const *items, size_t nr)
{
	struct scroll scroll = { 0 };

	for (;;) {
		fit(screen, &scroll, nr);
		put_frame(screen, title, "Enter choose  q back", &scroll);
		for (size_t i = 0; i < scroll.height && scroll.top + i < nr; i++)
			screen_put(screen, (int)i + 1, 2, items[scroll.top + i],
				   screen_columns(screen) - 2,
				   scroll.top + i == scroll.at ? STYLE_SELECTED : STYLE_PLAIN);
		screen_show(screen);
		int key = screen_key(screen);
		if (ends_all(key))
			return VIEW_GONE;
		if (key == 'q' || key == SCREEN_ESCAPE)
			return VIEW_BACK;
		if ((key == SCREEN_ENTER || key == SCREEN_RIGHT) && nr)
			return (int)scroll.at;
		scroll_key(&scroll, key);
	}
}

/* --- a line --- */

/* The bytes of a character; 0: it is none to be written. */
static size_t encode(int c, char bytes[4])
{
	if (c < ' ' || c == 0x7f || c >= SCREEN_UP)
		return 0;
	if (c < 0x80) {
		bytes[0] = (char)c;
		return 1;
	}
	size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (size_t i = len; i-- > 1; c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)(leads[len] | c);
	return utf8_is_control((unsigned char *)bytes, len) ? 0 : len;
}

static void remove_last(char *buf)
{
	size_t len = strlen(buf);

	while (len && (buf[--len] & 0xc0) == 0x80)
		;
	buf[len] = '\0';
}

int view_prompt(struct screen *screen, const char *label, char *buf, size_t room)
{
	for (;;) {
		char line[512], bytes[4];

		snprintf(line, sizeof(line), "%s%s_", label, buf);
		screen_put(screen, screen_rows(screen) - 1, 0, line, screen_columns(screen),
			   STYLE_TITLE);
		screen_show(screen);
		int key = screen_key(screen);
		size_t len = encode(key, bytes), old = strlen(buf);
		if (ends_all(key))
			return VIEW_GONE;
		if (key == SCREEN_ENTER)
			return 0;
		if (key == SCREEN_ESCAPE)
			return VIEW_BACK;
		if (key == SCREEN_BACKSPACE)
			remove_last(buf);
		if (len && old + len < room) {
			memcpy(buf + old, bytes, len);
			buf[old + len] = '\0';
		}
	}
}
