/* SPDX-License-Identifier: MIT */
/*
 * A terminal that is drawn on: styled text at a place, and keys. The terminal is as it was before
 * whenever the program is stopped, interrupted or ended by a signal.
 */
#ifndef BROWSER_SCREEN_H
#define BROWSER_SCREEN_H

#include <stdbool.h>

enum style {
	STYLE_PLAIN,
	STYLE_SELECTED,
	STYLE_TITLE,
	STYLE_HOT,
	STYLE_WARM,
	STYLE_FAINT,
	STYLE_ADDRESS,
	STYLE_ARROW,
	NR_STYLES
};

/*
 * How a style looks where there are colours, instead of as it always does; @is_set: false: it does
 * not differ. Colours are SCREEN_DEFAULT_COLOR, that of the terminal, or 0 to 7, as of ECMA-48.
 */
enum { SCREEN_DEFAULT_COLOR = -1 };
struct style_colors {
	bool is_set, is_bold;
	short foreground, background;
};

/* Keys that are no character; what happened to the terminal comes as a key, too. */
enum {
	SCREEN_UP = 0x110000,
	SCREEN_DOWN,
	SCREEN_LEFT,
	SCREEN_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_BACKSPACE,
	SCREEN_BACK_TAB,
	SCREEN_F1,
	SCREEN_OTHER,       /* a key that means nothing here */
	SCREEN_RESIZED,     /* draw again */
	SCREEN_INTERRUPTED, /* ^C */
	SCREEN_NEWS,        /* what is watched has something new */
	SCREEN_GONE,        /* no more keys will come */
};
enum { SCREEN_ENTER = '\n', SCREEN_TAB = '\t', SCREEN_ESCAPE = 27 };

struct screen;
struct xp_diag;

/* Why nothing can be drawn here; NULL: it can. Source: environ(7), "TERM". */
const char *screen_obstacle(void);

/*
 * Takes the terminal of standard input and output. @colors: of each style. What is written to
 * standard error meanwhile appears when it is given back, if that is a terminal. Returns 0, or a
 * negative errno with a sentence in @diag. screen_close() follows on success.
 */
int screen_open(const struct style_colors colors[NR_STYLES], struct screen **ret_screen,
		struct xp_diag *diag);
void screen_close(struct screen *screen);

int screen_rows(const struct screen *screen);
int screen_columns(const struct screen *screen);

/* Drawing goes to memory, until screen_show(). */
void screen_clear(struct screen *screen);
/* @text, which is UTF-8, in exactly @columns: cut, or filled up with blanks. What the terminal
 * cannot show is '?'. Nothing happens outside of the screen. */
void screen_put(struct screen *screen, int row, int column, const char *text, int columns,
		enum style style);
void screen_show(struct screen *screen);
/* Whether the terminal can show the first character of a text. */
bool screen_can_show(const struct screen *screen, const char *text);

/* Waits for the next key, or what happened. */
int screen_key(struct screen *screen);
/* The same, for a while. Returns 0 if nothing has come, or another signal has. */
int screen_key_within(struct screen *screen, int milliseconds);

/* What is waited for beside keys, whoever waits for them. */
struct screen_watch {
	int fd; /* that can be read; -1: none */
	/* When to look at the latest, from now on; -1: no matter when. */
	int (*timeout_ms)(void *data);
	/* Does what is to be done. Returns true once for each news: SCREEN_NEWS. */
	bool (*look)(void *data);
	void *data;
};

/* @watch: borrowed, and may change; NULL: nothing but keys */
void screen_set_watch(struct screen *screen, const struct screen_watch *watch);

#endif
