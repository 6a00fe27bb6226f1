/* SPDX-License-Identifier: MIT */
/* The browser of whoever sits at this machine. */
#ifndef VIEW_BROWSER_H
#define VIEW_BROWSER_H

#include <stdbool.h>

/* Whether a browser that is started here is seen by the user: there is a display, which belongs to
 * the user that the program runs as, and it is not the one of another machine. */
bool browser_is_seen(void);

/* Starts those of $BROWSER, or else xdg-open, until one shows @path. Returns whether one does. */
bool browser_open(const char *path);

#endif
