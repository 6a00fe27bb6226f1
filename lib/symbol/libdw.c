/* SPDX-License-Identifier: MIT */
/*
 * Debug information through libdw, which is loaded when the first file is read and not linked; it
 * stays loaded for the next one. libdw-file.c opens the files.
 *
 * libdw would look for an address by walking through everything, each time. So there is an index:
 * of the addresses of all units, made when the file is opened, and of the functions of a unit, made
 * when the first address in it is asked for. Inlined functions are looked for in their function
 * only. Files are untrusted: an index is bounded by the file's size.
 *
 * Source: DWARF 5, 2.17 "Code Addresses", 3.3 "Subroutine and Entry Point Entries"; libdw.h.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "dwarf-file.h"
#include "libdw-file.h"

/* Addresses, of a unit or a function. @reach: the highest @end up to here, once they are sorted */
struct range {
	uint64_t start, end, reach;
	uint32_t nr; /* of the unit, of the function */
};

struct ranges {
	struct range *at;
	size_t nr, cap;
};

/* @lines: where its lines are; @dies: where its functions are, which may be another file */
struct unit {
	Dwarf_Die lines, dies;
	bool is_indexed;
	struct ranges ranges; /* of its functions */
	Dwarf_Die *functions;
	uint32_t nr_functions, cap_functions;
};

struct xp_dwarf {
	struct libdw lib;
	struct debug_file main;
	struct debug_file shared; /* what dwz took out of several files, to which main refers */
	struct unit *units;
	uint32_t nr_units, cap_units;
	struct ranges ranges; /* of units */
	uint64_t left;        /* as much may be added to indexes, yet */
};

/* --- indexes --- */

/* Makes room for one more of what grows by doubling. Returns 0 or -ENOMEM. */
static int reserve(void *array_ptr, uint32_t nr, uint32_t *cap, size_t bytes)
{
	void **array = array_ptr;
	uint32_t more = *cap ? *cap * 2 : 16;

	if (nr < *cap)
		return 0;
	void *larger = more > nr ? reallocarray(*array, more, bytes) : NULL;
	if (!larger)
		return -ENOMEM;
	*array = larger;
	*cap = more;
	return 0;
}

static int add_range(struct xp_dwarf *dwarf, struct ranges *ranges, uint64_t start, uint64_t end,
		     uint32_t nr)
{
	/* What the linker has thrown away is left at 0, or the highest address. */
	if (!start || start >= end || end > UINT64_MAX - 2)
		return 0;
	if (!dwarf->left)
		return -ENOSPC;
	if (ranges->nr == ranges->cap) {
		size_t cap = ranges->cap ? ranges->cap * 2 : 16;
		struct range *larger = reallocarray(ranges->at, cap, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		ranges->at = larger;
		ranges->cap = cap;
	}
	ranges->at[ranges->nr++] = (struct range){ .start = start, .end = end, .nr = nr };
	dwarf->left--;
	return 0;
}

/* Adds the addresses of @die. Returns 0 or -ENOMEM. */
static int add_ranges(struct xp_dwarf *dwarf, Dwarf_Die *die, struct ranges *ranges, uint32_t nr)
{
	Dwarf_Addr base = 0, start, end;
	ptrdiff_t at = 0;
	int err = 0;

	while (!err && (at = dwarf->lib.ranges(die, at, &base, &start, &end)) > 0)
		err = add_range(dwarf, ranges, start, end, nr);
	return err;
}

/* The wider one first, so that what is in another comes behind it. */
static int compare_ranges(const void *a, const void *b)
{
	const struct range *l = a, *r = b;

	if (l->start != r->start)
		return l->start < r->start ? -1 : 1;
	if (l->end != r->end)
		return l->end > r->end ? -1 : 1;
	return (l->nr > r->nr) - (l->nr < r->nr);
}

static void sort_ranges(struct ranges *ranges)
{
	uint64_t reach = 0;

	if (ranges->nr)
		qsort(ranges->at, ranges->nr, sizeof(*ranges->at), compare_ranges);
	for (size_t i = 0; i < ranges->nr; i++) {
		reach = ranges->at[i].end > reach ? ranges->at[i].end : reach;
		ranges->at[i].reach = reach;
	}
}

/* The narrowest range around an address; NULL: there is none. */
static const struct range *find_range(const struct ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ranges->at[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	while (low-- > 0 && ranges->at[low].reach > address)
		if (ranges->at[low].end > address)
			return &ranges->at[low];
	return NULL;
}

static int add_function(struct xp_dwarf *dwarf, struct unit *unit, const Dwarf_Die *die)
{
	uint32_t nr = unit->nr_functions;
	size_t nr_ranges = unit->ranges.nr;

	if (reserve(&unit->functions, nr, &unit->cap_functions, sizeof(*unit->functions)))
		return -ENOMEM;
	unit->functions[nr] = *die;
	int err = add_ranges(dwarf, &unit->functions[nr], &unit->ranges, nr);
	unit->nr_functions += unit->ranges.nr > nr_ranges;
	return err;
}

/* What may hold functions. */
static bool is_scope(int tag)
{
	static const int tags[] = { DW_TAG_namespace,  DW_TAG_module,     DW_TAG_class_type,
				    DW_TAG_union_type, DW_TAG_subprogram, DW_TAG_structure_type };

	for (size_t i = 0; i < XP_ARRAY_LEN(tags); i++)
		if (tags[i] == tag)
			return true;
	return false;
}

/* What follows a DIE on its level, or what it holds; what is not behind it is damage. */
static bool step(const struct xp_dwarf *dwarf, Dwarf_Die *die, bool down)
{
	Dwarf_Die from = *die;
	int end = down ? dwarf->lib.child(&from, die) : dwarf->lib.siblingof(&from, die);

	return !end && dwarf->lib.dieoffset(die) > dwarf->lib.dieoffset(&from);
}

/* Adds the functions below @parent. Recursion as deep as scopes are. Returns 0 or -ENOMEM. */
static int add_functions(struct xp_dwarf *dwarf, struct unit *unit, const Dwarf_Die *parent,
			 int depth)
{
	enum { MAX_DEPTH = 32 };
	Dwarf_Die die = *parent;
	int err = 0;

	for (bool more = step(dwarf, &die, true); more && !err; more = step(dwarf, &die, false)) {
		int tag = dwarf->lib.tag(&die);

		if (tag == DW_TAG_subprogram)
			err = add_function(dwarf, unit, &die);
		if (!err && is_scope(tag) && depth < MAX_DEPTH)
			err = add_functions(dwarf, unit, &die, depth + 1);
	}
	return err;
}

static int add_unit(struct xp_dwarf *dwarf, const Dwarf_Die *lines, const Dwarf_Die *dies)
{
	uint32_t nr = dwarf->nr_units;

	if (reserve(&dwarf->units, nr, &dwarf->cap_units, sizeof(*dwarf->units)))
		return -ENOMEM;
	dwarf->units[nr] = (struct unit){ .lines = *lines, .dies = *dies };
	dwarf->nr_units++;
	return add_ranges(dwarf, &dwarf->units[nr].lines, &dwarf->ranges, nr);
}

static int add_units(struct xp_dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die lines, dies;
	int err = 0;

	while (!err &&
	       !dwarf->lib.get_units(dwarf->main.dwarf, unit, &unit, NULL, NULL, &lines, &dies))
		err = add_unit(dwarf, &lines, dies.addr ? &dies : &lines);
	if (err == -ENOSPC)
		err = 0;
	sort_ranges(&dwarf->ranges);
	return err;
}

/* --- files --- */

static int begin(struct xp_dwarf *dwarf, const char *path)
{
	struct stat st;

	int err = xp_libdw_load(&dwarf->lib);
	if (!err)
		err = xp_debug_file_open(&dwarf->lib, path, &dwarf->main, &st);
	if (err)
		return err;
	dwarf->left = (uint64_t)st.st_size;
	xp_debug_file_open_shared(&dwarf->lib, &dwarf->main, path, &dwarf->shared);
	return add_units(dwarf);
}

int xp_dwarf_open(const char *path, struct xp_dwarf **ret_dwarf)
{
	struct xp_dwarf *dwarf = calloc(1, sizeof(*dwarf));

	if (!dwarf)
		return -ENOMEM;
	dwarf->main.fd = dwarf->shared.fd = -1;
	int err = begin(dwarf, path);
	if (!err && !dwarf->ranges.nr)
		err = -ENODATA;
	if (err)
		xp_dwarf_close(dwarf);
	else
		*ret_dwarf = dwarf;
	return err;
}

void xp_dwarf_close(struct xp_dwarf *dwarf)
{
	if (!dwarf)
		return;
	for (uint32_t i = 0; i < dwarf->nr_units; i++) {
		free(dwarf->units[i].ranges.at);
		free(dwarf->units[i].functions);
	}
	free(dwarf->units);
	free(dwarf->ranges.at);
	xp_debug_file_close(&dwarf->lib, &dwarf->main);
	xp_debug_file_close(&dwarf->lib, &dwarf->shared);
	xp_libdw_unload(&dwarf->lib);
	free(dwarf);
}

/* --- addresses --- */

static const char *text_of(const struct xp_dwarf *dwarf, Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;

	return dwarf->lib.formstring(dwarf->lib.attr_integrate(die, name, &attr));
}

static const char *name_of(const struct xp_dwarf *dwarf, Dwarf_Die *die)
{
	const char *name = text_of(dwarf, die, DW_AT_linkage_name);

	if (!name)
		name = text_of(dwarf, die, DW_AT_MIPS_linkage_name);
	return name ? name : dwarf->lib.diename(die);
}

static bool number_of(const struct xp_dwarf *dwarf, Dwarf_Die *die, unsigned int name,
		      Dwarf_Word *ret)
{
	Dwarf_Attribute attr;

	return !dwarf->lib.formudata(dwarf->lib.attr(die, name, &attr), ret);
}

/* Where an inlined function was called. */
static void set_call(const struct xp_dwarf *dwarf, struct unit *unit, Dwarf_Die *die,
		     struct xp_dwarf_frame *frame)
{
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t nr;

	if (number_of(dwarf, die, DW_AT_call_line, &number))
		frame->line = (uint32_t)number;
	if (number_of(dwarf, die, DW_AT_call_file, &number) &&
	    !dwarf->lib.getsrcfiles(&unit->dies, &files, &nr) && number < nr)
		frame->file = dwarf->lib.filesrc(files, number, NULL, NULL);
}

static void set_line(const struct xp_dwarf *dwarf, struct unit *unit, uint64_t address,
		     struct xp_dwarf_frame *frame)
{
	Dwarf_Line *line = dwarf->lib.getsrc_die(&unit->lines, address);
	int number;

	if (!line)
		return;
	frame->file = dwarf->lib.linesrc(line, NULL, NULL);
	if (!dwarf->lib.lineno(line, &number) && number > 0)
		frame->line = (uint32_t)number;
}

/* Blocks, in which inlined functions may be. */
static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* The block in @die that the address is in. */
static bool enter(const struct xp_dwarf *dwarf, Dwarf_Die *die, uint64_t address)
{
	for (bool more = step(dwarf, die, true); more; more = step(dwarf, die, false))
		if (is_block(dwarf->lib.tag(die)) && dwarf->lib.haspc(die, address) > 0)
			return true;
	return false;
}

/* The function and what is inlined in it, the outermost first. Returns how many. */
static int find_dies(struct xp_dwarf *dwarf, struct unit *unit, uint64_t address,
		     Dwarf_Die dies[XP_DWARF_FRAMES])
{
	if (!unit->is_indexed) {
		unit->is_indexed = true;
		add_functions(dwarf, unit, &unit->dies, 0);
		sort_ranges(&unit->ranges);
	}
	const struct range *range = find_range(&unit->ranges, address);
	if (!range)
		return 0;
	Dwarf_Die die = dies[0] = unit->functions[range->nr];
	int nr = 1;
	while (nr < XP_DWARF_FRAMES && enter(dwarf, &die, address))
		if (dwarf->lib.tag(&die) == DW_TAG_inlined_subroutine)
			dies[nr++] = die;
	return nr;
}

int xp_dwarf_find(struct xp_dwarf *dwarf, uint64_t address,
		  struct xp_dwarf_frame frames[XP_DWARF_FRAMES])
{
	const struct range *range = find_range(&dwarf->ranges, address);
	Dwarf_Die dies[XP_DWARF_FRAMES];

	if (!range)
		return 0;
	struct unit *unit = &dwarf->units[range->nr];
	int nr = find_dies(dwarf, unit, address, dies);
	const char *dir = text_of(dwarf, &unit->lines, DW_AT_comp_dir);
	frames[0] = (struct xp_dwarf_frame){ .dir = dir };
	set_line(dwarf, unit, address, &frames[0]);
	if (!nr)
		return frames[0].file != NULL;
	for (int i = 0; i < nr; i++) {
		Dwarf_Die *die = &dies[nr - 1 - i];

		frames[i].name = name_of(dwarf, die);
		if (i + 1 == nr)
			break;
		frames[i + 1] = (struct xp_dwarf_frame){ .dir = dir };
		set_call(dwarf, unit, die, &frames[i + 1]);
	}
	return nr;
}
