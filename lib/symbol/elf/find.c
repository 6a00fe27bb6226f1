/* SPDX-License-Identifier: MIT */
/*
 * One symbol by its name. Of several that bear it, the best rank is meant; where that is no single
 * one, or none, a sentence says what there is instead.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "cleanup.h"
#include "elf-file.h"
#include "suggest.h"

/* From worst to best. */
enum rank { NONE, OLD_VERSION, LOCAL, GLOBAL };

enum { SHOWN_MAX = 4 };

struct search {
	const char *path;
	struct xp_elf *elf;
	enum xp_elf_table table;
	enum xp_symbol_type type;
	const char *name;    /* as asked for */
	size_t name_len;     /* without its version */
	const char *version; /* NULL: the default */

	/* the best so far, and how many there are of it */
	enum rank rank;
	struct xp_elf_symbol found;
	uint64_t addresses[SHOWN_MAX];
	int nr;

	bool is_imported;
	struct xp_suggest near;
};

static const char *kind_of(const struct search *s)
{
	static const char *const kinds[] = {
		[XP_SYMBOL_OTHER] = "symbol",
		[XP_SYMBOL_FUNCTION] = "function",
		[XP_SYMBOL_DATA] = "variable",
	};

	return kinds[s->type];
}

/* The version behind "name@" or "name@@"; NULL: none. */
static const char *version_in(const char *name, size_t len)
{
	return name[len] == '@' ? name + len + 1 + (name[len + 1] == '@') : NULL;
}

static enum rank rank_of(const struct search *s, const struct xp_elf_symbol *symbol)
{
	const char *name = symbol->symbol.name;
	const char *version = version_in(name, s->name_len);
	bool is_default = !version || name[s->name_len + 1] == '@';

	if (s->table == XP_ELF_DYNSYM && !version)
		version = xp_elf_version(s->elf, symbol->index, &is_default);
	if (s->version && (!version || strcmp(version, s->version)))
		return NONE;
	if (!is_default && !s->version)
		return OLD_VERSION;
	return symbol->is_local ? LOCAL : GLOBAL;
}

static bool is_known(const struct search *s, uint64_t address)
{
	for (int i = 0; i < s->nr && i < SHOWN_MAX; i++)
		if (s->addresses[i] == address)
			return true;
	return false;
}

/* What is of the type asked for comes before what only bears the name. */
static bool fits(const struct search *s, const struct xp_elf_symbol *symbol)
{
	return s->type == XP_SYMBOL_OTHER || symbol->symbol.type == s->type ||
	       symbol->symbol.type == XP_SYMBOL_OTHER;
}

static void consider(struct search *s, const struct xp_elf_symbol *symbol)
{
	enum rank rank = rank_of(s, symbol);
	bool is_fitter = s->nr && fits(s, symbol) && !fits(s, &s->found);

	if (!rank || (s->nr && !fits(s, symbol) && fits(s, &s->found)))
		return;
	if (rank > s->rank || is_fitter) {
		s->rank = rank;
		s->found = *symbol;
		s->nr = 0;
	}
	if (rank < s->rank || is_known(s, symbol->symbol.address))
		return;
	if (s->nr < SHOWN_MAX)
		s->addresses[s->nr] = symbol->symbol.address;
	s->nr++;
}

static int look_at(const struct xp_elf_symbol *symbol, void *data)
{
	struct search *s = data;
	const char *name = symbol->symbol.name;
	bool matches = !strncmp(name, s->name, s->name_len) &&
		       (!name[s->name_len] || name[s->name_len] == '@');

	if (matches && symbol->is_undefined)
		s->is_imported = true;
	else if (matches)
		consider(s, symbol);
	else if (!symbol->is_undefined && fits(s, symbol))
		xp_suggest_offer(&s->near, name);
	return 0;
}

static int not_found(const struct search *s, struct xp_diag *diag)
{
	bool is_stripped = !xp_elf_has_symbols(s->elf, XP_ELF_SYMTAB);

	if (s->is_imported) {
		xp_diag_set(diag, -ENODATA, "'%s' is not in '%s', but in a library that it uses",
			    s->name, s->path);
		xp_diag_hint(diag, "Name the library; `ldd %s` lists them", s->path);
		return -ENODATA;
	}
	if (is_stripped && !xp_elf_has_symbols(s->elf, XP_ELF_DYNSYM))
		xp_diag_set(diag, -ENODATA, "'%s' has no symbols: it is stripped", s->path);
	else if (is_stripped)
		xp_diag_set(diag, -ENODATA,
			    "'%s' exports no %s '%s', and its other symbols are stripped", s->path,
			    kind_of(s), s->name);
	else
		xp_diag_set(diag, -ENODATA, "'%s' has no %s '%s'", s->path, kind_of(s), s->name);
	if (s->near.best)
		xp_diag_hint(diag, "Did you mean '%s'?", s->near.best);
	else if (is_stripped)
		xp_diag_hint(diag, "Use the file as it was before stripping, or give an offset "
				   "in it");
	return -ENODATA;
}

static int ambiguous(const struct search *s, struct xp_diag *diag)
{
	char offsets[SHOWN_MAX * sizeof(", 0x0123456789abcdef")] = "";
	int len = 0;

	for (int i = 0; i < s->nr && i < SHOWN_MAX; i++) {
		uint64_t offset;
		bool is_executable;

		if (!xp_elf_offset(s->elf, s->addresses[i], &offset, &is_executable))
			len += snprintf(offsets + len, sizeof(offsets) - (size_t)len, "%s0x%llx",
					len ? ", " : "", (unsigned long long)offset);
	}
	xp_diag_set(diag, -EEXIST, "'%s' has %d %ss '%s'", s->path, s->nr, kind_of(s), s->name);
	xp_diag_hint(diag, "Give one by its offset in the file: %s%s", offsets,
		     s->nr > SHOWN_MAX ? ", ..." : "");
	return -EEXIST;
}

static int wrong_type(const struct search *s, struct xp_diag *diag)
{
	return xp_diag_set(diag, -EINVAL, "'%s' in '%s' is not a %s", s->name, s->path, kind_of(s));
}

static int chosen_at_start(const struct search *s, struct xp_diag *diag)
{
	xp_diag_set(diag, -EINVAL,
		    "'%s' in '%s' is not a function: it chooses one when a program starts", s->name,
		    s->path);
	xp_diag_hint(diag, "Name one of the functions it chooses from, or give an offset in the "
			   "file");
	return -EINVAL;
}

static int each_has_its_own(const struct search *s, struct xp_diag *diag)
{
	return xp_diag_set(diag, -EINVAL, "'%s' in '%s' has a different address in each thread",
			   s->name, s->path);
}

static int finish(struct search *s, struct xp_symbol_place *ret_place, struct xp_diag *diag)
{
	const struct xp_symbol *symbol = &s->found.symbol;
	struct xp_symbol_place place = { symbol->address, 0, symbol->size, symbol->type,
					 xp_elf_facts(s->elf).is_fixed };
	bool is_executable = false;

	if (!s->nr)
		return not_found(s, diag);
	if (!fits(s, &s->found))
		return wrong_type(s, diag);
	if (s->found.is_tls)
		return each_has_its_own(s, diag);
	if (s->found.is_ifunc)
		return chosen_at_start(s, diag);
	if (s->nr > 1)
		return ambiguous(s, diag);
	/* What is not initialised has no bytes in the file, and is variables all the same. */
	int err = xp_elf_offset(s->elf, place.address, &place.offset, &is_executable);
	if (s->type == XP_SYMBOL_FUNCTION && !is_executable)
		return err && symbol->type == XP_SYMBOL_FUNCTION
			       ? xp_diag_set(diag, -EINVAL,
					     "'%s' does not contain the code of '%s'", s->path,
					     s->name)
			       : wrong_type(s, diag);
	*ret_place = place;
	return 0;
}

int xp_symbol_find(const char *path, const char *name, enum xp_symbol_type type,
		   struct xp_symbol_place *ret_place, struct xp_diag *diag)
{
	size_t len = strcspn(name, "@");
	struct search s = {
		.path = path,
		.type = type,
		.name = name,
		.name_len = len,
		.version = version_in(name, len),
		.near = { .word = name, .len = len },
	};
	if ((unsigned int)type > XP_SYMBOL_DATA)
		return xp_diag_set(diag, -EINVAL, "There is no such type of symbol: %d", type);
	int err = xp_elf_open(path, &s.elf, diag);
	if (err)
		return err;
	for (s.table = XP_ELF_SYMTAB; s.table <= XP_ELF_DYNSYM; s.table++)
		xp_elf_symbols(s.elf, s.table, look_at, &s);
	err = finish(&s, ret_place, diag);
	xp_elf_close(s.elf);
	return err;
}
