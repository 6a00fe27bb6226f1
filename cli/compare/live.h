/* SPDX-License-Identifier: MIT */
/* A line on the terminal that shows how far a comparison is. */
#ifndef CLI_COMPARE_LIVE_H
#define CLI_COMPARE_LIVE_H

#include "measure.h"

/* Zero-initialised: nothing is shown. */
struct live {
	bool is_shown;
	int columns;
	uint64_t shown_ns;
};

/* Shows something from here on if standard error is a terminal. */
void live_begin(struct live *live, const struct compare_config *config);
void live_show(struct live *live, const struct measurement *m);
/* Removes the line. */
void live_end(struct live *live);

#endif
