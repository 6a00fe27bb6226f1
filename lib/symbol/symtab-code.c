/* SPDX-License-Identifier: MIT */
/*
 * Code by address, in the terms of symbols: from the file itself, from the kernel's file or
 * /proc/kcore, from what a JIT compiler has written down.
 *
 * A kcore file is searched beside the text that the kernel's symbols are from, since its addresses
 * are right for that one only. Source: proc(5), /proc/kcore; perf-record(1), "--kcore".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build-id.h"
#include "cleanup.h"
#include "descriptor.h"
#include "jitdump-code.h"
#include "loads.h"
#include "shortage.h"
#include "symbol-text.h"
#include "symtab-impl.h"

/* @base: what is added to addresses */
struct placed {
	struct xp_load_source source; /* owns its descriptor; -1: none */
	struct xp_loads loads;
	uint64_t base;
	struct jitdump_code jit;
};

void xp_symtab_free_placed(struct placed *placed)
{
	if (!placed)
		return;
	if (placed->source.fd >= 0)
		close(placed->source.fd);
	xp_loads_fini(&placed->loads);
	xp_jitdump_code_fini(&placed->jit);
	free(placed);
}

/* --- the kernel --- */

/* /proc/kcore is no regular file to the eye of some kernels: only its name is trusted. */
static int open_kcore(const char *text_path)
{
	const char *slash = strrchr(text_path, '/');
	xp_auto_free char *path = NULL;

	if (asprintf(&path, "%.*s/kcore", slash ? (int)(slash - text_path) : 1,
		     slash ? text_path : ".") < 0) {
		path = NULL;
		return -ENOMEM;
	}
	int fd = xp_above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
	return fd < 0 ? -errno : fd;
}

/* The kernel's file, unless symbols are from a text. */
static int open_kernel(struct xp_symtab *symtab, struct placed *placed)
{
	bool is_text = symtab->text || (symtab->table && symtab->table->base);

	if (!symtab->path)
		return -ENOENT;
	if (is_text)
		placed->base = symtab->text ? 0 : symtab->table->base;
	return is_text ? open_kcore(symtab->path) : xp_build_id_open(symtab->path);
}

/* --- what a JIT compiler made --- */

/* The dump of the process that was recorded last. */
static int open_dump(struct xp_symtab *symtab, struct placed *placed)
{
	const struct xp_symbols *symbols = symtab->symbols;
	const struct jitdump *dump = symbols->jitdumps;

	while (dump && dump->pid != xp_symtab_jit_pid(symtab->name))
		dump = dump->next;
	if (!dump)
		return -ENOENT;
	int err = xp_symbols_read_jitdump(symbols, dump, &placed->jit.dump)
			  ?: xp_jitdump_code_read(&placed->jit);
	placed->loads.machine = (int)placed->jit.machine;
	return err;
}

/* --- all --- */

static int open_vdso(struct xp_symtab *symtab, struct placed *placed)
{
	if (symtab->path)
		return xp_build_id_open(symtab->path);
	placed->source.image = xp_symtab_vdso(symtab, &placed->source.image_len);
	return placed->source.image ? -1 : -ENOENT;
}

static int open_file(struct xp_symtab *symtab, struct placed *placed)
{
	(void)placed;
	return xp_symtab_open_code(symtab);
}

/* Each returns a descriptor, or -1 where there is another source, or another negative errno. */
static int (*const openers[])(struct xp_symtab *symtab, struct placed *placed) = {
	[XP_SYMTAB_KIND_FILE] = open_file,
	[XP_SYMTAB_KIND_VDSO] = open_vdso,
	[XP_SYMTAB_KIND_KERNEL] = open_kernel,
};

/* What is not there stays empty. Returns NULL without memory, or descriptors. */
static struct placed *place(struct xp_symtab *symtab)
{
	struct placed *placed = calloc(1, sizeof(*placed));
	enum xp_symtab_kind kind = xp_symtab_kind_of(symtab->name);
	int err = 0;

	if (!placed)
		return NULL;
	placed->source.fd = -1;
	if (kind == XP_SYMTAB_KIND_JIT) {
		err = open_dump(symtab, placed);
	} else if (kind < XP_ARRAY_LEN(openers) && openers[kind]) {
		placed->source.fd = openers[kind](symtab, placed);
		err = placed->source.fd;
		if (placed->source.fd >= 0 || placed->source.image)
			err = xp_loads_read(&placed->source, &placed->loads);
	}
	if (!xp_is_shortage(err))
		return placed;
	xp_symtab_free_placed(placed);
	return NULL;
}

static const struct placed *placed_of(struct xp_symtab *symtab)
{
	pthread_mutex_lock(symtab->lock);
	if (!symtab->placed)
		symtab->placed = place(symtab);
	const struct placed *placed = symtab->placed;
	pthread_mutex_unlock(symtab->lock);
	return placed;
}

int xp_symtab_code_at(struct xp_symtab *symtab, uint64_t address, void *buf, size_t len,
		      int *ret_machine)
{
	const struct placed *placed = placed_of(symtab);

	*ret_machine = placed ? placed->loads.machine : 0;
	if (!*ret_machine || len > INT32_MAX)
		return 0;
	if (placed->jit.nr)
		return (int)xp_jitdump_code_bytes(&placed->jit, address, buf, len);
	return (int)xp_loads_bytes(&placed->loads, &placed->source, address + placed->base, buf,
				   len);
}

bool xp_symtab_code_section(struct xp_symtab *symtab, uint64_t address, uint64_t *ret_end)
{
	const struct placed *placed = placed_of(symtab);

	*ret_end = UINT64_MAX;
	if (!placed)
		return true;
	bool is_code = xp_loads_section(&placed->loads, address + placed->base, ret_end);
	if (*ret_end != UINT64_MAX)
		*ret_end -= placed->base;
	return is_code;
}
