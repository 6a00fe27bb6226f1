/* SPDX-License-Identifier: MIT */
/* Which line of many the cursor is on, and which are on the screen. */
#include "scroll.h"

#include <limits.h>

#include "screen.h"

void scroll_fit(struct scroll *scroll, size_t nr, size_t height)
{
	scroll->nr = nr;
	scroll->height = height ? height : 1;
	if (scroll->at >= nr)
		scroll->at = nr ? nr - 1 : 0;
	if (scroll->top > scroll->at)
		scroll->top = scroll->at;
	if (scroll->at - scroll->top >= scroll->height)
		scroll->top = scroll->at - scroll->height + 1;
	/* No empty lines below the last while there are some above. */
	if (nr > scroll->height && scroll->top > nr - scroll->height)
		scroll->top = nr - scroll->height;
	if (nr <= scroll->height)
		scroll->top = 0;
}

void scroll_to(struct scroll *scroll, size_t line)
{
	scroll->at = line;
	scroll_fit(scroll, scroll->nr, scroll->height);
}

void scroll_move(struct scroll *scroll, long lines)
{
	size_t last = scroll->nr ? scroll->nr - 1 : 0;

	if (lines < 0)
		scroll_to(scroll, scroll->at > (size_t)-lines ? scroll->at - (size_t)-lines : 0);
	else
		scroll_to(scroll,
			  last - scroll->at > (size_t)lines ? scroll->at + (size_t)lines : last);
}

bool scroll_key(struct scroll *scroll, int key)
{
	long page = (long)scroll->height;

	switch (key) {
	case SCREEN_UP:
		scroll_move(scroll, -1);
		break;
	case SCREEN_DOWN:
		scroll_move(scroll, 1);
		break;
	case SCREEN_PAGE_UP:
		scroll_move(scroll, -page);
		break;
	case SCREEN_PAGE_DOWN:
	case ' ':
		scroll_move(scroll, page);
		break;
	case SCREEN_HOME:
		scroll_to(scroll, 0);
		break;
	case SCREEN_END:
		scroll_move(scroll, LONG_MAX);
		break;
	default:
		return false;
	}
	return true;
}
