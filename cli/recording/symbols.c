/* SPDX-License-Identifier: MIT */
/* Where the functions of a recording are looked up. */
#include "symbols.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>

#include "servers.h"

/* The copy beside the recording has the symbols that its addresses belong to. Source of the names:
 * perf record --kcore, 6.1. */
static const char *kernel_copy(const struct recording *rec, char path[PATH_MAX])
{
	int len = snprintf(path, PATH_MAX, "%s/kcore_dir/kallsyms", rec->path);

	return len < PATH_MAX && !access(path, R_OK) ? path : NULL;
}

int symbols_check(struct recording *rec)
{
	const struct symbol_opts *asked = &rec->opts->symbols;
	const char *const files[][2] = { { "vmlinux", asked->vmlinux },
					 { "kallsyms", asked->kallsyms } };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i][1] && access(files[i][1], R_OK))
			return xp_diag_set(&rec->diag, -errno, "--%s: '%s' cannot be read: %s",
					   files[i][0], files[i][1], strerror(errno));
	return 0;
}

/* Where what can be made again is kept. A program with rights that its user lacks
 * (secure_getenv(3)) leaves nothing there. Source: XDG Base Directory Specification 0.8: a relative
 * path is invalid. */
static const char *cache_dir(char path[PATH_MAX])
{
	static const struct {
		const char *variable, *below;
	} places[] = {
		{ "XPERF_CACHE_DIR", "" },
		{ "XDG_CACHE_HOME", "/xperf" },
		{ "HOME", "/.cache/xperf" },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *dir = secure_getenv(places[i].variable);

		if (i == 0 && dir && !*dir)
			return NULL;
		if (!dir || *dir != '/')
			continue;
		int len = snprintf(path, PATH_MAX, "%s%s", dir, places[i].below);
		return len < PATH_MAX ? path : NULL;
	}
	return NULL;
}

static int make(struct recording *rec, struct xp_ctx *ctx, struct xp_symbols **ret_symbols)
{
	const struct symbol_opts *asked = &rec->opts->symbols;
	char path[PATH_MAX], cache[PATH_MAX], *debug_dir = cli_build_id_dir();
	struct xp_symbols_opts opts = {
		.size = sizeof(opts),
		.symfs = asked->symfs,
		.symfs_flat = asked->symfs_flat,
		.vmlinux = asked->vmlinux,
		.kallsyms = asked->kallsyms || asked->vmlinux ? asked->kallsyms
							      : kernel_copy(rec, path),
		.debug_dir = debug_dir,
		.no_vmlinux = asked->no_vmlinux,
		.no_demangle = asked->no_demangle,
		.demangle_kernel = asked->demangle_kernel,
		.demangle_full = asked->demangle_full,
		.other_kernel = !xp_data_is_of_this_kernel(rec->data, rec->ctx),
		.this_machine = xp_data_is_of_this_machine(rec->data, rec->ctx),
		.cache_dir = cache_dir(cache),
	};

	if (!debug_dir)
		return -ENOMEM;
	servers_use(&opts, asked->debuginfod);
	int err = xp_symbols_new(ctx, &opts, ret_symbols);
	free(debug_dir);
	return err;
}

static int use_kept(struct recording *rec, struct kept_symbols *kept)
{
	int err = kept->symbols ? 0 : make(rec, kept->ctx, &kept->symbols);

	if (err)
		return err;
	xp_symbols_renew(kept->symbols);
	rec->symbols = kept->symbols;
	return 0;
}

int symbols_open(struct recording *rec)
{
	struct kept_symbols *kept = rec->opts->kept;
	int err = kept ? use_kept(rec, kept) : make(rec, rec->ctx, &rec->symbols);

	err = err ?: xp_resolver_new(rec->timeline, rec->symbols, &rec->resolver);
	if (!err && rec->traces)
		xp_resolver_name_traces(rec->resolver, rec->traces);
	return err;
}
