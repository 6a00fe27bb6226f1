/* SPDX-License-Identifier: MIT */
/* Where the functions of a recording are looked up. */
#include "symbols.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

int symbols_open(struct recording *rec)
{
	const struct symbol_opts *asked = &rec->opts->symbols;
	char path[PATH_MAX];
	struct xp_symbols_opts opts = {
		.size = sizeof(opts),
		.symfs = asked->symfs,
		.symfs_flat = asked->symfs_flat,
		.vmlinux = asked->vmlinux,
		.kallsyms = asked->kallsyms || asked->vmlinux ? asked->kallsyms
							      : kernel_copy(rec, path),
		.no_vmlinux = asked->no_vmlinux,
		.no_demangle = asked->no_demangle,
		.demangle_kernel = asked->demangle_kernel,
		.demangle_full = asked->demangle_full,
		.other_kernel = !xp_data_is_of_this_kernel(rec->data, rec->ctx),
	};

	servers_use(&opts, asked->debuginfod);
	int err = xp_symbols_new(rec->ctx, &opts, &rec->symbols);
	if (!err)
		err = xp_resolver_new(rec->timeline, rec->symbols, &rec->resolver);
	if (!err && rec->traces)
		xp_resolver_name_traces(rec->resolver, rec->traces);
	return err;
}
