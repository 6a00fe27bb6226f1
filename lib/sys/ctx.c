/* SPDX-License-Identifier: MIT */
/* The context: the seams chosen once, the machine's facts read when first asked for. */
#include "ctx.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/arch.h>

#include "fork-mark.h"
#include "opts.h"
#include "place.h"
#include "pmus.h"

/*
 * Tables are not copied, for their functions find what they belong to by the table's address. So
 * what later versions add at their end is only called where the size says that it is there.
 */
static int check_tables(const struct xp_ctx_opts *opts)
{
	struct xp_sys sys;
	struct xp_arch arch;
	int err = 0;

	if (opts->sys)
		err = XP_OPTS_COPY(&sys, opts->sys, struct xp_sys, pidfd_getfd, NULL);
	if (!err && opts->arch)
		err = XP_OPTS_COPY(&arch, opts->arch, struct xp_arch, padding, NULL);
	return err;
}

int xp_ctx_new(const struct xp_ctx_opts *opts, struct xp_ctx **ret_ctx)
{
	struct xp_ctx_opts o = { 0 };

	int err = XP_OPTS_COPY(&o, opts, struct xp_ctx_opts, raise_limits, NULL);
	if (err)
		return err;
	err = check_tables(&o);
	if (err)
		return err;
	struct xp_ctx *ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return -ENOMEM;
	ctx->sys = o.sys ? o.sys : xp_sys_linux();
	ctx->arch = o.arch ? o.arch : xp_arch_native();
	ctx->log = o.log;
	ctx->raise_limits = o.raise_limits;
	ctx->log_data = o.log_data;
	ctx->root = strdup(o.root ? o.root : "");
	if (!ctx->root || xp_fork_mark_new(&ctx->here)) {
		xp_ctx_free(ctx);
		return -ENOMEM;
	}
	*ret_ctx = ctx;
	return 0;
}

void xp_ctx_free(struct xp_ctx *ctx)
{
	if (!ctx)
		return;
	xp_places_free(ctx->places);
	xp_pmus_free(ctx->pmus);
	free(ctx->tracefs);
	free(ctx->cgroups);
	free(ctx->root);
	xp_fork_mark_free(ctx->here);
	free(ctx);
}

void xp_log(const struct xp_ctx *ctx, enum xp_log_level level, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (!ctx->log)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ctx->log(level, text, ctx->log_data);
}

const struct xp_sys *xp_ctx_sys(const struct xp_ctx *ctx)
{
	return ctx->sys;
}

uint64_t xp_ctx_now(const struct xp_ctx *ctx)
{
	return ctx->sys->now(ctx->sys);
}
