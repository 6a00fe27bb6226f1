/* SPDX-License-Identifier: MIT */
/*
 * Files of processes in other mount namespaces, as containers have them, or below another root:
 * while a process of the recording is alive, /proc/PID/root leads to them. The number can belong to
 * another process by now, so only a build id that fits, or an inode, makes a file the right one.
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

/* Finds what a process has as its root; its device and inode are 0 where they cannot be known.
 * @pid: 0: ours. Returns false: it cannot be known. */
static bool root_of(const struct xp_ctx *ctx, int32_t pid, struct symbol_root *ret_root)
{
	char path[PATH_MAX], who[16] = "self";
	struct stat namespace, root;

	if (pid)
		snprintf(who, sizeof(who), "%d", pid);
	if (snprintf(path, sizeof(path), "%s/proc/%s/ns/mnt", ctx->root, who) >=
		    (int)sizeof(path) ||
	    ctx->sys->stat(ctx->sys, path, &namespace))
		return false;
	*ret_root = (struct symbol_root){ .namespace = namespace.st_ino, .pid = pid };
	snprintf(path, sizeof(path), "%s/proc/%s/root", ctx->root, who);
	if (!ctx->sys->stat(ctx->sys, path, &root)) {
		ret_root->device = root.st_dev;
		ret_root->inode = root.st_ino;
	}
	return true;
}

static bool is_same_root(const struct symbol_root *a, const struct symbol_root *b)
{
	return a->namespace == b->namespace && a->device == b->device && a->inode == b->inode;
}

static bool is_known(const struct symbol_roots *roots, const struct symbol_root *root)
{
	for (size_t i = 0; i < roots->nr; i++)
		if (is_same_root(&roots->at[i], root))
			return true;
	return false;
}

/* One process for each root that is not ours. */
static void find_roots(struct xp_symbols *symbols)
{
	struct symbol_roots *roots = &symbols->roots;
	struct symbol_root own, root;

	if (!root_of(symbols->ctx, 0, &own))
		return;
	for (size_t i = 0; i < roots->nr_pids; i++) {
		if (!root_of(symbols->ctx, roots->pids[i], &root) || is_same_root(&root, &own) ||
		    is_known(roots, &root))
			continue;
		if (vec_add(&roots->at, roots->nr, sizeof(*roots->at)))
			return;
		roots->at[roots->nr++] = root;
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

	if (*symbols->symfs || (!symtab->id.len && (!symtab->inode || !symbols->this_machine)))
		return state;
	pthread_mutex_lock(&symbols->lock);
	if (!symbols->roots.are_known)
		find_roots(symbols);
	symbols->roots.are_known = true;
	pthread_mutex_unlock(&symbols->lock);
	for (size_t i = 0; i < roots->nr && state >= 0 && state != XP_SYMTAB_NO_DESCRIPTOR; i++) {
		xp_auto_free char *path = NULL;

		if (asprintf(&path, "%s/proc/%d/root%s", symbols->ctx->root, roots->at[i].pid,
			     symtab->name) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		if (xp_symtab_is_replaced(symtab, path))
			continue;
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
