/* SPDX-License-Identifier: MIT */
/*
 * Files of processes in other mount namespaces, as containers have them: while a process of the
 * recording is alive, /proc/PID/root leads to them. The number can belong to another process by
 * now, so only a build id that fits makes a file the right one.
 *
 * Source: proc_pid_root(5); mount_namespaces(7).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "ctx.h"
#include "symtab-impl.h"
#include "vec.h"

/* The number of a process' mount namespace; 0: not known. @pid: 0: ours */
static uint64_t namespace_of(const struct xp_ctx *ctx, int32_t pid)
{
	char path[PATH_MAX], who[16] = "self";
	struct stat st;

	if (pid)
		snprintf(who, sizeof(who), "%d", pid);
	if (snprintf(path, sizeof(path), "%s/proc/%s/ns/mnt", ctx->root, who) >= (int)sizeof(path))
		return 0;
	return ctx->sys->stat(ctx->sys, path, &st) ? 0 : st.st_ino;
}

static bool is_known(const struct symbol_roots *roots, uint64_t namespace)
{
	for (size_t i = 0; i < roots->nr; i++)
		if (roots->at[i].namespace == namespace)
			return true;
	return false;
}

/* One process for each namespace that is not ours. */
static void find_roots(struct xp_symbols *symbols)
{
	struct symbol_roots *roots = &symbols->roots;
	uint64_t own = namespace_of(symbols->ctx, 0);

	for (size_t i = 0; i < roots->nr_pids && own; i++) {
		int32_t pid = roots->pids[i];
		uint64_t namespace = namespace_of(symbols->ctx, pid);

		if (!namespace || namespace == own || is_known(roots, namespace))
			continue;
		if (vec_add(&roots->at, roots->nr, sizeof(*roots->at)))
			return;
		roots->at[roots->nr++] = (struct symbol_root){ namespace, pid };
	}
}

int xp_symbols_add_process(struct xp_symbols *symbols, int32_t pid)
{
	struct symbol_roots *roots = &symbols->roots;

	if (pid <= 0)
		return 0;
	if (vec_add(&roots->pids, roots->nr_pids, sizeof(*roots->pids)))
		return -ENOMEM;
	roots->pids[roots->nr_pids++] = pid;
	return 0;
}

void xp_symtab_free_roots(struct symbol_roots *roots)
{
	free(roots->pids);
	free(roots->at);
}

int xp_symtab_try_roots(struct xp_symtab *symtab,
			int (*fn)(struct xp_symtab *symtab, const char *path))
{
	struct xp_symbols *symbols = symtab->symbols;
	const struct symbol_roots *roots = &symbols->roots;
	int state = XP_SYMTAB_NO_FILE;

	if (*symbols->symfs || !symtab->id.len)
		return state;
	pthread_mutex_lock(&symbols->lock);
	if (!symbols->roots.are_known)
		find_roots(symbols);
	symbols->roots.are_known = true;
	pthread_mutex_unlock(&symbols->lock);
	for (size_t i = 0; i < roots->nr && state != -ENOMEM; i++) {
		xp_auto_free char *path = NULL;

		if (asprintf(&path, "%s/proc/%d/root%s", symbols->ctx->root, roots->at[i].pid,
			     symtab->name) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		state = fn(symtab, path);
		if (symtab->path || (symtab->code && symtab->code->fd >= 0))
			break;
	}
	return state;
}

int xp_symtab_load_rooted(struct xp_symtab *symtab)
{
	return xp_symtab_try_roots(symtab, xp_symtab_load_path);
}
