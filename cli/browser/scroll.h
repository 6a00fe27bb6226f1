/* SPDX-License-Identifier: MIT */
/* Which line of many the cursor is on, and which are on the screen. */
#ifndef BROWSER_SCROLL_H
#define BROWSER_SCROLL_H

#include <stdbool.h>
#include <stddef.h>

/* @at: the cursor's line; @top: the first that is shown; @height: how many fit */
struct scroll {
	size_t nr, at, top, height;
};

/* Lines or height have changed: the cursor stays on a line, and on the screen. */
void scroll_fit(struct scroll *scroll, size_t nr, size_t height);
/* Moves the cursor; it stops at both ends. */
void scroll_move(struct scroll *scroll, long lines);
void scroll_to(struct scroll *scroll, size_t line);
/* Moves by a key of screen.h, such as SCREEN_PAGE_DOWN. Returns false: it does not move. */
bool scroll_key(struct scroll *scroll, int key);

#endif
