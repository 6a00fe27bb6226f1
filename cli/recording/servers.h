/* SPDX-License-Identifier: MIT */
/* "--debuginfod[=URLS]": debug files that are not here come from servers. */
#ifndef RECORDING_SERVERS_H
#define RECORDING_SERVERS_H

#include <xperf/api.h>

#include "options.h"

struct xp_symbols_opts;

/* Parses one occurrence of the option (see option_fn); @offset is that of a bool. */
int servers_parse(const struct option *option, const char *arg, bool negated, void *values);

/* Lets a symbolizer ask, where @asked; how far it is, is shown on a terminal. */
void servers_use(struct xp_symbols_opts *opts, bool asked);

/* The row of a command's table. */
#define SERVERS_OPTION(at)                                                                         \
	{                                                                                          \
		0, "debuginfod", OPTION_CALL,                                                      \
			.offset = (at), .call = servers_parse, .value = "urls", .optional = true,  \
			.help = "get missing debug files from these servers (DEBUGINFOD_URLS)"     \
	}

#endif
