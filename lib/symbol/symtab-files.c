/* SPDX-License-Identifier: MIT */
/*
 * Files with the symbols of a file: itself, separate debug files, perf's cache of files. Each that
 * bears another build id is passed over.
 *
 * Source: GDB's manual, "Debugging Information in Separate Files"; perf-buildid-cache(1).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build-id.h"
#include "cleanup.h"
#include "code-file.h"
#include "debuginfod.h"
#include "debuglink.h"
#include "dwarf-file.h"
#include "mapped-file.h"
#include "shortage.h"
#include "symtab-impl.h"
#include "xz.h"

static const char debug_root[] = "/usr/lib/debug";

enum xp_symtab_state xp_symtab_state_of(int err)
{
	static const struct {
		int err;
		enum xp_symtab_state state;
	} states[] = {
		{ 0, XP_SYMTAB_FOUND },
		{ -ENOENT, XP_SYMTAB_NO_FILE },
		{ -ENOTDIR, XP_SYMTAB_NO_FILE },
		{ -ENAMETOOLONG, XP_SYMTAB_NO_FILE },
		{ -EACCES, XP_SYMTAB_FORBIDDEN },
		{ -EPERM, XP_SYMTAB_FORBIDDEN },
		{ -ESTALE, XP_SYMTAB_OTHER_FILE },
		{ -ENODATA, XP_SYMTAB_STRIPPED },
		{ -ENOSYS, XP_SYMTAB_NO_LIBRARY },
		{ -EMFILE, XP_SYMTAB_NO_DESCRIPTOR },
		{ -ENFILE, XP_SYMTAB_NO_DESCRIPTOR },
	};

	for (size_t i = 0; i < XP_ARRAY_LEN(states); i++)
		if (states[i].err == err)
			return states[i].state;
	return XP_SYMTAB_DAMAGED;
}

/* "DIR/.build-id/ab/cdef...SUFFIX". Returns NULL: no memory. */
static char *id_path(const char *symfs, const char *dir, const struct xp_build_id *id,
		     const char *suffix)
{
	struct xp_str path = { 0 };

	xp_str_addf(&path, "%s%s/.build-id/", symfs, dir);
	for (int i = 0; i < id->len; i++)
		xp_str_addf(&path, i == 1 ? "/%02x" : "%02x", id->bytes[i]);
	xp_str_addf(&path, "%s", suffix);
	return xp_str_detach(&path);
}

char *xp_symtab_file_path(const struct xp_symtab *symtab)
{
	const struct xp_symbols *symbols = symtab->symbols;
	const char *name = symtab->name, *slash = strrchr(name, '/');
	char *path;

	if (symbols->symfs_flat && slash)
		name = slash;
	return asprintf(&path, "%s%s", symbols->symfs, name) < 0 ? NULL : path;
}

char *xp_symtab_cache_path(const struct xp_symtab *symtab, const char *name)
{
	char suffix[32];

	if (!symtab->id.len || !symtab->symbols->debug_dir)
		return NULL;
	snprintf(suffix, sizeof(suffix), "/%s", name);
	return id_path("", symtab->symbols->debug_dir, &symtab->id, suffix);
}

/* Opens an ELF file if it is the right one. @id: of 0 bytes: any is. */
static int open_checked(const struct xp_symbols *symbols, const char *path,
			const struct xp_build_id *id, struct xp_elf **ret_elf)
{
	struct xp_build_id its;
	int err = xp_symbol_build_id(path, &its, NULL);

	if (err && err != -ENODATA)
		return err;
	if (err)
		its.len = 0;
	if (!xp_symtab_is_right(symbols, path, id, &its))
		return -ESTALE;
	return xp_elf_open(path, ret_elf, NULL);
}

/* Makes @path the one that the symbols are of, and owns it. */
static void set_path(struct xp_symtab *symtab, char *path)
{
	free(symtab->path);
	symtab->path = path;
}

/* What is looked for of a file, and loaded from one that has it. @id: of 0 bytes: any file is
 * right.
 * @load: loads it, and owns @path if it returns 0; else a shortage, others: not from this one */
struct search {
	struct xp_symtab *symtab;
	const struct xp_build_id *id;
	int (*load)(const struct search *search, struct xp_elf *elf, char *path);
	void *data;
};

/* Loads it from a file that may have been stripped of it. Owns @path. Returns as @load does. */
static int load_from(const struct search *search, char *path)
{
	struct xp_elf *elf;
	int err = path ? open_checked(search->symtab->symbols, path, search->id, &elf) : -ENOMEM;

	if (!err) {
		err = search->load(search, elf, path);
		xp_elf_close(elf);
	}
	if (err)
		free(path);
	return err;
}

static int load_symbols(const struct search *search, struct xp_elf *elf, char *path)
{
	struct xp_symtab *symtab = search->symtab;
	int err = xp_symtab_add_symbols(symtab, elf, XP_ELF_SYMTAB);

	if (!err && !symtab->segments)
		err = xp_symtab_add_segments(symtab, elf);
	if (!err)
		set_path(symtab, path);
	return err;
}

static bool is_over(int err)
{
	return !err || xp_is_shortage(err);
}

static int load_by_id(const struct search *search)
{
	const struct xp_symbols *symbols = search->symtab->symbols;
	const struct xp_build_id *id = search->id;

	if (!id->len)
		return -ENOENT;
	int err = load_from(search, id_path(symbols->symfs, debug_root, id, ".debug"));
	if (is_over(err) || !symbols->debug_dir)
		return err;
	return load_from(search, id_path("", symbols->debug_dir, id, "/debug"));
}

/* Owns @path. Without a build id, the checksum says whether it is the right one. */
static int load_linked(const struct search *search, const struct debuglink *link, char *path)
{
	if (search->id->len || xp_debuglink_fits(link, path))
		return load_from(search, path);
	free(path);
	return -ESTALE;
}

/* The file that .gnu_debuglink names, near this one. */
static int load_by_link(const struct search *search, struct xp_elf *elf)
{
	static const char *const formats[] = { "%s%.*s/%s", "%s%.*s/.debug/%s" };
	const struct xp_symtab *symtab = search->symtab;
	const char *symfs = symtab->symbols->symfs, *slash = strrchr(symtab->name, '/');
	int dir_len = slash && !symtab->symbols->symfs_flat ? (int)(slash - symtab->name) : 0;
	struct debuglink link;
	char *path;
	int err = -ENOENT;

	if (!slash || !xp_debuglink_of(elf, &link))
		return -ENOENT;
	for (size_t i = 0; i < XP_ARRAY_LEN(formats) && !is_over(err); i++) {
		if (asprintf(&path, formats[i], symfs, dir_len, symtab->name, link.name) < 0)
			return -ENOMEM;
		err = load_linked(search, &link, path);
	}
	if (is_over(err))
		return err;
	if (asprintf(&path, "%s%s%.*s/%s", symfs, debug_root, dir_len, symtab->name, link.name) < 0)
		return -ENOMEM;
	return load_linked(search, &link, path);
}

/* From a separate file. @elf: the file itself; NULL: it is not there. @with_servers: they are asked
 * last. Returns as @load does. */
static int load_separate(const struct search *search, struct xp_elf *elf, bool with_servers)
{
	const struct xp_symtab *symtab = search->symtab;
	int err = elf ? load_by_link(search, elf) : -ENOENT;

	if (!is_over(err))
		err = load_by_id(search);
	char *path = !is_over(err) && with_servers ? xp_debuginfod_get(symtab->symbols->debuginfod,
								       search->id, symtab->name)
						   : NULL;
	return path ? load_from(search, path) : err;
}

/* Unpacks the ELF file in .gnu_debugdata. Returns 0 with *ret_image the caller's to free after
 * *ret_inner; -ENODATA: there is none; -ENOMEM. */
static int open_packed(struct xp_elf *elf, void **ret_image, struct xp_elf **ret_inner)
{
	/* It packs symbols, which do not get smaller than this. */
	enum { RATIO = 100, LIMIT = 256 << 20 };
	struct xp_elf_section section;
	size_t len;

	if (xp_elf_section(elf, ".gnu_debugdata", &section) || !section.bytes)
		return -ENODATA;
	size_t limit = section.len < LIMIT / RATIO ? section.len * RATIO : LIMIT;
	int err = xp_xz_unpack(section.bytes, section.len, limit, ret_image, &len)
			  ?: xp_elf_open_image(*ret_image, len, ret_inner);

	return err && !xp_is_shortage(err) ? -ENODATA : err;
}

/*
 * The symbols a distribution has packed into the file itself: those of .symtab that .dynsym does
 * not have. Source: GDB's manual, "Debugging information in a special section".
 */
static int load_packed(struct xp_symtab *symtab, struct xp_elf *elf)
{
	xp_auto_free void *image = NULL;
	struct xp_elf *inner;
	int err = open_packed(elf, &image, &inner);

	if (err)
		return err;
	err = xp_symtab_add_symbols(symtab, inner, XP_ELF_SYMTAB);
	xp_elf_close(inner);
	return err;
}

/* Loads everything from the file itself; what it was stripped of, from others. */
static int load_all(struct xp_symtab *symtab, const struct xp_build_id *id, struct xp_elf *elf)
{
	const struct search search = { symtab, id, load_symbols, NULL };
	int err = xp_symtab_add_segments(symtab, elf);

	if (err)
		return err;
	err = xp_symtab_add_symbols(symtab, elf, XP_ELF_SYMTAB);
	if (!is_over(err))
		err = load_separate(&search, elf, true);
	if (!is_over(err))
		err = load_packed(symtab, elf);
	if (!is_over(err))
		err = xp_symtab_add_go(symtab, elf);
	if (xp_is_shortage(err))
		return err;
	err = xp_symtab_add_symbols(symtab, elf, XP_ELF_DYNSYM);
	if (xp_is_shortage(err))
		return err;
	return xp_symtab_add_plt(symtab, elf);
}

static int load_dwarf(const struct search *search, struct xp_elf *elf, char *path)
{
	if (!xp_elf_has_debug(elf))
		return -ENODATA;
	int err = xp_dwarf_open(path, search->data);
	if (!err)
		free(path);
	return err;
}

/* The same of a file that stays open if it has nothing; NULL: it cannot be used at all. */
static int load_opened(const struct search *search, const char *path, struct xp_elf **ret_elf)
{
	char *copy = strdup(path);
	int err = copy ? open_checked(search->symtab->symbols, path, search->id, ret_elf) : -ENOMEM;

	if (err)
		*ret_elf = NULL;
	else
		err = search->load(search, *ret_elf, copy);
	if (err)
		free(copy);
	return err;
}

int xp_symtab_open_dwarf(struct xp_symtab *symtab, struct xp_dwarf **ret_dwarf)
{
	struct xp_build_id id = symtab->id;
	const struct search search = { symtab, &id, load_dwarf, ret_dwarf };
	struct xp_elf *elf = NULL;
	xp_auto_free char *path = xp_symtab_file_path(symtab);
	int err = -ENOENT;

	/* Of the kernel, addresses are those it ran at. */
	if (!symtab->path || symtab->text)
		return -ENODATA;
	if (!path)
		return -ENOMEM;
	if (!id.len && xp_symbol_build_id(symtab->path, &id, NULL))
		id.len = 0;
	if (strcmp(path, symtab->path) != 0)
		err = load_from(&search, strdup(symtab->path));
	if (!is_over(err))
		err = load_opened(&search, path, &elf);
	if (!is_over(err))
		err = load_separate(&search, elf, true);
	xp_elf_close(elf);
	return err;
}

/* What xp_symbols_search_debug() is called with. */
struct use {
	int (*use)(struct xp_elf *elf, void *data);
	void *data;
};

static int use_file(const struct search *search, struct xp_elf *elf, char *path)
{
	const struct use *use = search->data;
	int err = use->use(elf, use->data);

	if (!err)
		free(path);
	return err;
}

int xp_symbols_search_debug(struct xp_symbols *symbols, const char *name,
			    const struct xp_build_id *id, struct xp_elf *elf, bool with_servers,
			    int (*fn)(struct xp_elf *elf, void *data), void *data)
{
	struct xp_symtab like = { .symbols = symbols, .name = (char *)name, .id = *id };
	struct use use = { fn, data };
	const struct search search = { &like, id, use_file, &use };
	xp_auto_free void *image = NULL;
	struct xp_elf *inner;
	int err = load_separate(&search, elf, with_servers);

	if (is_over(err) || !elf || open_packed(elf, &image, &inner))
		return err;
	err = fn(inner, data);
	xp_elf_close(inner);
	return err;
}

static int load_open(struct xp_symtab *symtab, struct xp_elf *elf, const char *path)
{
	struct xp_build_id id = symtab->id;

	if (path && !id.len && xp_symbol_build_id(path, &id, NULL))
		id.len = 0;
	if (path && !(symtab->path = strdup(path)))
		return -ENOMEM;
	int err = load_all(symtab, &id, elf);
	if (err)
		return err == -ENOMEM ? err : (int)xp_symtab_state_of(err);
	return symtab->table->nr ? XP_SYMTAB_FOUND : XP_SYMTAB_STRIPPED;
}

int xp_symtab_load_path(struct xp_symtab *symtab, const char *path)
{
	struct xp_elf *elf;
	int err = open_checked(symtab->symbols, path, &symtab->id, &elf);

	if (err)
		return err == -ENOMEM ? err : (int)xp_symtab_state_of(err);
	err = load_open(symtab, elf, path);
	xp_elf_close(elf);
	return err;
}

int xp_symtab_load_by_id(struct xp_symtab *symtab, const char *const *names)
{
	int state = XP_SYMTAB_NO_FILE;

	bool is_kept = symtab->id.len && symtab->symbols->debug_dir;

	for (; is_kept && *names && state == XP_SYMTAB_NO_FILE; names++) {
		xp_auto_free char *path = xp_symtab_cache_path(symtab, *names);

		state = path ? xp_symtab_load_path(symtab, path) : -ENOMEM;
	}
	if (state != XP_SYMTAB_NO_FILE)
		return state;
	const struct search search = { symtab, &symtab->id, load_symbols, NULL };
	int err = load_separate(&search, NULL, true);
	return err == -ENOMEM ? err : (int)xp_symtab_state_of(err);
}

static const char *const elf_names[] = { "elf", NULL };

static bool has_file(int state)
{
	return state == XP_SYMTAB_FOUND || state == XP_SYMTAB_STRIPPED;
}

/* Nothing else is tried. */
static bool is_last(int state)
{
	return state < 0 || has_file(state) || state == XP_SYMTAB_NO_DESCRIPTOR;
}

int xp_symtab_load_memory(struct xp_symtab *symtab)
{
	int state = symtab->id.len ? xp_symtab_load_by_id(symtab, elf_names) : XP_SYMTAB_NOT_A_FILE;

	return state == XP_SYMTAB_NO_FILE ? XP_SYMTAB_NOT_A_FILE : state;
}

int xp_symtab_load_file(struct xp_symtab *symtab)
{
	xp_auto_free char *path = xp_symtab_file_path(symtab);

	if (!path)
		return -ENOMEM;
	int state = xp_symtab_is_replaced(symtab, path) ? XP_SYMTAB_REPLACED
							: xp_symtab_load_path(symtab, path);
	if (state < 0 || state == XP_SYMTAB_NO_DESCRIPTOR || symtab->path)
		return state;
	/* It is not there any more, or another one is. */
	int kept = symtab->id.len ? xp_symtab_load_by_id(symtab, elf_names) : XP_SYMTAB_NO_FILE;
	if (!is_last(kept))
		kept = xp_symtab_load_rooted(symtab);
	return is_last(kept) ? kept : state;
}

const void *xp_symtab_vdso(const struct xp_symtab *symtab, size_t *ret_len)
{
	struct xp_build_id id = { 0 };
	const void *image = xp_vdso_image(ret_len);

	bool fits = image && xp_symtab_running_kernel(symtab) == XP_SYMTAB_FOUND &&
		    (!symtab->id.len || (!xp_build_id_of_image(image, *ret_len, &id) &&
					 xp_symtab_same_id(&id, &symtab->id)));
	return fits ? image : NULL;
}

int xp_symtab_load_vdso(struct xp_symtab *symtab)
{
	static const char *const names[] = { "vdso", NULL };
	struct xp_elf *elf;
	size_t len, any_len;
	const void *image = xp_symtab_vdso(symtab, &len);

	if (!image) {
		int state = xp_symtab_load_by_id(symtab, names);
		int running = xp_symtab_running_kernel(symtab);
		if (state == XP_SYMTAB_NO_FILE && running != XP_SYMTAB_FOUND)
			return running;
		return state == XP_SYMTAB_NO_FILE && xp_vdso_image(&any_len) ? XP_SYMTAB_OTHER_FILE
									     : state;
	}
	int err = xp_elf_open_image(image, len, &elf);
	if (err)
		return err == -ENOMEM ? err : (int)xp_symtab_state_of(err);
	err = load_open(symtab, elf, NULL);
	xp_elf_close(elf);
	return err;
}
