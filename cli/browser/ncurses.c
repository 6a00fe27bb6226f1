/* SPDX-License-Identifier: MIT */
/*
 * Drawing through ncursesw, which is loaded here and not linked. Its variables are not used: a
 * window of our own covers the screen. The library learns the encoding from the locale of the
 * thread, so the locale of the program stays as it is.
 * Source: curses(3x), "newterm"; terminfo(5); uselocale(3).
 */
#define NCURSES_WIDECHAR         1
#define NCURSES_NOMACROS         1
#define NCURSES_ENABLE_STDBOOL_H 1
#include "backend.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <xperf/diag.h>

#include "escape.h"
#include "loaded.h"
#include "utf8.h"

/* Of term.h, whose macros have the names of everything. */
typedef struct term TERMINAL;
int setupterm(const char *term, int fd, int *ret_err);
TERMINAL *set_curterm(TERMINAL *terminal);
int del_curterm(TERMINAL *terminal);

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(macro)    #macro
#define LIBRARY        "libncursesw.so." TEXT_OF(NCURSES_VERSION_MAJOR)

/* Columns are drawn in pieces of this many characters. */
enum { PIECE = 256, ESCAPE_DELAY_MS = 25, SEQUENCE_BYTES = 160 };

struct library {
	__typeof__(newterm) *newterm;
	__typeof__(endwin) *endwin;
	__typeof__(delscreen) *delscreen;
	__typeof__(newwin) *newwin;
	__typeof__(delwin) *delwin;
	__typeof__(cbreak) *cbreak;
	__typeof__(noecho) *noecho;
	__typeof__(keypad) *keypad;
	__typeof__(nodelay) *nodelay;
	__typeof__(curs_set) *curs_set;
	__typeof__(set_escdelay) *set_escdelay;
	__typeof__(has_colors) *has_colors;
	__typeof__(start_color) *start_color;
	__typeof__(use_default_colors) *use_default_colors;
	__typeof__(init_pair) *init_pair;
	__typeof__(getmaxx) *getmaxx;
	__typeof__(getmaxy) *getmaxy;
	__typeof__(resizeterm) *resizeterm;
	__typeof__(wresize) *wresize;
	__typeof__(werase) *werase;
	__typeof__(wmove) *wmove;
	__typeof__(wattr_set) *wattr_set;
	__typeof__(waddnwstr) *waddnwstr;
	__typeof__(wrefresh) *wrefresh;
	__typeof__(redrawwin) *redrawwin;
	__typeof__(clearok) *clearok;
	__typeof__(wget_wch) *wget_wch;
	__typeof__(tigetstr) *tigetstr;
	__typeof__(setupterm) *setupterm;
	__typeof__(set_curterm) *set_curterm;
	__typeof__(del_curterm) *del_curterm;
};

#define FUNCTION(name)                                                                             \
	{                                                                                          \
#name, offsetof(struct library, name)                                              \
	}
static const struct loaded_function functions[] = {
	FUNCTION(newterm),      FUNCTION(endwin),
	FUNCTION(delscreen),    FUNCTION(newwin),
	FUNCTION(delwin),       FUNCTION(cbreak),
	FUNCTION(noecho),       FUNCTION(keypad),
	FUNCTION(nodelay),      FUNCTION(curs_set),
	FUNCTION(set_escdelay), FUNCTION(has_colors),
	FUNCTION(start_color),  FUNCTION(use_default_colors),
	FUNCTION(init_pair),    FUNCTION(getmaxx),
	FUNCTION(getmaxy),      FUNCTION(resizeterm),
	FUNCTION(wresize),      FUNCTION(werase),
	FUNCTION(wmove),        FUNCTION(wattr_set),
	FUNCTION(waddnwstr),    FUNCTION(wrefresh),
	FUNCTION(redrawwin),    FUNCTION(clearok),
	FUNCTION(wget_wch),     FUNCTION(tigetstr),
	FUNCTION(setupterm),    FUNCTION(set_curterm),
	FUNCTION(del_curterm),
};

struct backend {
	struct library lib;
	FILE *out; /* standard output is no plain file in here */
	SCREEN *screen;
	WINDOW *window;
	locale_t own, before;
	struct look {
		attr_t attributes;
		short pair;
	} looks[NR_STYLES];                /* as they are drawn */
	char sequences[2][SEQUENCE_BYTES]; /* that begin, that end */
	bool stays; /* what is drawn, when it ends: there is no other screen to go back to */
};

/* How each style looks: attributes, and the colour where there are some; -1: it has none. */
static const struct {
	attr_t attributes, in_color;
	short color;
} defaults[NR_STYLES] = {
	[STYLE_PLAIN] = { A_NORMAL, A_NORMAL, -1 },
	[STYLE_SELECTED] = { A_REVERSE, A_REVERSE, -1 },
	[STYLE_TITLE] = { A_BOLD, A_BOLD, -1 },
	[STYLE_HOT] = { A_BOLD, A_NORMAL, COLOR_RED },
	[STYLE_WARM] = { A_NORMAL, A_NORMAL, COLOR_GREEN },
	[STYLE_FAINT] = { A_NORMAL, A_NORMAL, COLOR_CYAN },
	[STYLE_ADDRESS] = { A_NORMAL, A_NORMAL, COLOR_MAGENTA },
	[STYLE_ARROW] = { A_NORMAL, A_NORMAL, COLOR_BLUE },
};

static const struct {
	int theirs, ours;
} special_keys[] = {
	{ KEY_UP, SCREEN_UP },         { KEY_DOWN, SCREEN_DOWN },
	{ KEY_LEFT, SCREEN_LEFT },     { KEY_RIGHT, SCREEN_RIGHT },
	{ KEY_PPAGE, SCREEN_PAGE_UP }, { KEY_NPAGE, SCREEN_PAGE_DOWN },
	{ KEY_HOME, SCREEN_HOME },     { KEY_END, SCREEN_END },
	{ KEY_ENTER, SCREEN_ENTER },   { KEY_BACKSPACE, SCREEN_BACKSPACE },
	{ KEY_BTAB, SCREEN_BACK_TAB }, { KEY_F(1), SCREEN_F1 },
};

/* Without the pauses of slow terminals, which only the library can make. */
static void add_sequence(struct backend *backend, bool is_begin, const char *name)
{
	char *to = backend->sequences[!is_begin];
	size_t len = strlen(to);
	const char *from = backend->lib.tigetstr((char *)(uintptr_t)name);

	for (; from && from != (const char *)-1 && *from && len < SEQUENCE_BYTES - 1; from++)
		if (from[0] == '$' && from[1] == '<' && strchr(from, '>'))
			from = strchr(from, '>');
		else
			to[len++] = *from;
	to[len] = '\0';
}

static void find_sequences(struct backend *backend)
{
	static const struct {
		bool is_begin;
		const char *name;
	} names[] = { { true, "smcup" }, { true, "smkx" },   { true, "civis" }, { false, "sgr0" },
		      { false, "rmkx" }, { false, "rmcup" }, { false, "cnorm" } };

	const char *leave = backend->lib.tigetstr((char *)(uintptr_t) "rmcup");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_sequence(backend, names[i].is_begin, names[i].name);
	backend->stays = !leave || leave == (const char *)-1;
}

/* @colors: NULL: none are wanted. */
static void find_looks(struct backend *backend, const struct style_colors *colors)
{
	const struct library *lib = &backend->lib;
	bool has_colors = colors && lib->has_colors(), has_default = false;

	if (has_colors) {
		lib->start_color();
		has_default = lib->use_default_colors() == OK;
	}
	for (int i = 0; i < NR_STYLES; i++) {
		struct look *look = &backend->looks[i];
		bool is_set = has_colors && colors[i].is_set;
		short front = is_set ? colors[i].foreground : defaults[i].color;
		short back = is_set ? colors[i].background : -1;

		look->attributes = is_set       ? (colors[i].is_bold ? A_BOLD : A_NORMAL)
				   : has_colors ? defaults[i].in_color
						: defaults[i].attributes;
		if (!has_colors || (front < 0 && back < 0))
			continue;
		look->pair = (short)(i + 1);
		lib->init_pair(look->pair, front < 0 && !has_default ? COLOR_WHITE : front,
			       back < 0 && !has_default ? COLOR_BLACK : back);
	}
}

/* Asked first: a terminal that is not known costs newterm() memory. */
static bool can_be_drawn_on(const struct library *lib)
{
	int err;
	bool is_known = lib->setupterm(NULL, STDOUT_FILENO, &err) == OK;
	const char *move = is_known ? lib->tigetstr((char *)(uintptr_t) "cup") : NULL;
	bool can_move = move && move != (const char *)-1;
	TERMINAL *asked = is_known ? lib->set_curterm(NULL) : NULL;

	if (asked)
		lib->del_curterm(asked);
	return can_move;
}

static int cannot_draw(struct xp_diag *diag)
{
	const char *term = getenv("TERM");

	return xp_diag_set(diag, -ENOTTY, "a terminal of type '%s' cannot be drawn on",
			   term ? escaped(term) : "");
}

static FILE *open_output(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out && fd >= 0)
		close(fd);
	return out;
}

static int begin(struct backend *backend, const struct style_colors *colors, struct xp_diag *diag)
{
	const struct library *lib = &backend->lib;

	if (!can_be_drawn_on(lib))
		return cannot_draw(diag);
	backend->own = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	if (backend->own)
		backend->before = uselocale(backend->own);
	backend->out = open_output();
	if (!backend->out)
		return -ENOMEM;
	backend->screen = lib->newterm(NULL, backend->out, stdin);
	if (!backend->screen)
		return cannot_draw(diag);
	find_sequences(backend);
	lib->cbreak();
	lib->noecho();
	lib->set_escdelay(ESCAPE_DELAY_MS);
	lib->curs_set(0);
	find_looks(backend, colors);
	backend->window = lib->newwin(0, 0, 0, 0);
	if (!backend->window)
		return -ENOMEM;
	lib->keypad(backend->window, TRUE);
	lib->nodelay(backend->window, TRUE);
	return 0;
}

int backend_open(const struct style_colors *colors, struct backend **ret_backend,
		 struct xp_diag *diag)
{
	struct backend *backend = calloc(1, sizeof(*backend));

	if (!backend)
		return -ENOMEM;
	/* It stays loaded: what it has allocated for a terminal belongs to its variables. */
	if (!library_load(LIBRARY, 0, functions, sizeof(functions) / sizeof(functions[0]),
			  &backend->lib)) {
		free(backend);
		xp_diag_set(diag, -ENOSYS, LIBRARY " cannot be loaded");
		xp_diag_hint(diag, "Install ncurses, which draws on terminals");
		return -ENOSYS;
	}
	int err = begin(backend, colors, diag);
	if (err) {
		backend_close(backend);
		return err;
	}
	*ret_backend = backend;
	return 0;
}

void backend_close(struct backend *backend)
{
	const struct library *lib = &backend->lib;

	if (backend->window)
		lib->delwin(backend->window);
	if (backend->screen) {
		lib->endwin();
		lib->delscreen(backend->screen);
		/* The cursor is in the last line, which a prompt would overwrite. */
		if (backend->stays)
			fputc('\n', backend->out);
	}
	if (backend->out)
		fclose(backend->out);
	if (backend->own) {
		uselocale(backend->before);
		freelocale(backend->own);
	}
	free(backend);
}

int backend_rows(const struct backend *backend)
{
	return backend->lib.getmaxy(backend->window);
}

int backend_columns(const struct backend *backend)
{
	return backend->lib.getmaxx(backend->window);
}

void backend_resize(struct backend *backend, int rows, int columns)
{
	backend->lib.resizeterm(rows, columns);
	backend->lib.wresize(backend->window, rows, columns);
	backend_redraw(backend);
}

void backend_redraw(struct backend *backend)
{
	backend->lib.clearok(backend->window, TRUE);
	backend->lib.redrawwin(backend->window);
}

void backend_clear(struct backend *backend)
{
	backend->lib.wattr_set(backend->window, A_NORMAL, 0, NULL);
	backend->lib.werase(backend->window);
}

/* The next character; one that has no place of its own on this terminal is '?'. */
static wchar_t next_character(const char **text, int *ret_width)
{
	const unsigned char *at = (const unsigned char *)*text;
	size_t len = utf8_len(at);
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	wchar_t c = at[0] & masks[len];
	char bytes[MB_LEN_MAX];
	mbstate_t state = { 0 };

	for (size_t i = 1; i < len; i++)
		c = (wchar_t)(c << 6 | (at[i] & 0x3f));
	bool is_control = !len || utf8_is_control(at, len);
	*text += len ? len : 1;
	*ret_width = is_control ? -1 : wcwidth(c);
	if (*ret_width > 0 && wcrtomb(bytes, c, &state) != (size_t)-1)
		return c;
	*ret_width = 1;
	return L'?';
}

void backend_put(struct backend *backend, int row, int column, const char *text, int columns,
		 enum style style)
{
	const struct library *lib = &backend->lib;
	wchar_t piece[PIECE];
	int nr = 0, used = 0;

	lib->wattr_set(backend->window, backend->looks[style].attributes,
		       backend->looks[style].pair, NULL);
	lib->wmove(backend->window, row, column);
	while (used < columns) {
		int width = 1;
		wchar_t c = *text ? next_character(&text, &width) : L' ';

		if (used + width > columns) {
			c = L' ';
			width = 1;
		}
		piece[nr++] = c;
		used += width;
		if (nr < PIECE && used < columns)
			continue;
		lib->waddnwstr(backend->window, piece, nr);
		nr = 0;
	}
}

/* Whatever it draws with: the locale is that of the thread. */
bool backend_can_show(const struct backend *backend, const char *text)
{
	int width;

	(void)backend;
	return next_character(&text, &width) != L'?';
}

void backend_show(struct backend *backend)
{
	backend->lib.wrefresh(backend->window);
}

int backend_key(struct backend *backend)
{
	wint_t key;
	int got;

	/* What resizeterm() leaves in the queue is no key: it would end what a message is shown
	 * for. */
	do
		got = backend->lib.wget_wch(backend->window, &key);
	while (got == KEY_CODE_YES && key == KEY_RESIZE);
	if (got == OK)
		return key == '\r'                 ? SCREEN_ENTER
		       : key == 127 || key == '\b' ? SCREEN_BACKSPACE
						   : (int)key;
	if (got != KEY_CODE_YES)
		return 0;
	for (size_t i = 0; i < sizeof(special_keys) / sizeof(special_keys[0]); i++)
		if (special_keys[i].theirs == (int)key)
			return special_keys[i].ours;
	return SCREEN_OTHER;
}

const char *backend_sequence(const struct backend *backend, bool is_begin)
{
	return backend->sequences[!is_begin];
}
