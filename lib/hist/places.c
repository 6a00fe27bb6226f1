/* SPDX-License-Identifier: MIT */
/* What a profile's addresses are: which function of which file they are in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

/* Keys of the table of places. */
struct function {
	const struct xp_dso *dso;
	uint64_t address; /* start of the function, or the address itself */
	uint64_t kind;    /* level, and whether it is a function */
	const char *name; /* of an inlined one */
	const char *line; /* where lines are distinguished, or files are */
};

static char level_of(uint32_t mode)
{
	static const char levels[XP_MISC_CPUMODE_MASK + 1] = {
		'H', 'k', '.', 'H', 'g', 'u', 'H', 'H',
	};

	return levels[mode & XP_MISC_CPUMODE_MASK];
}

static const char *name_of(const struct xp_dso *dso, const struct xp_profile *profile)
{
	return profile->opts.long_files ? dso->name : dso->short_name;
}

static int compare_files(const void *a, const void *b, void *profile)
{
	const struct xp_dso *l = *(const struct xp_dso *const *)a;
	const struct xp_dso *r = *(const struct xp_dso *const *)b;
	int order = strcmp(name_of(l, profile), name_of(r, profile));

	return order ? order : (l->index > r->index) - (l->index < r->index);
}

/* Files of the same name count as one. */
static int number_files(struct xp_profile *profile)
{
	size_t nr = (size_t)xp_timeline_nr_dsos(profile->timeline);
	const struct xp_dso **files = calloc(nr + 1, sizeof(struct xp_dso *));

	profile->file_names = calloc(nr + 1, sizeof(*profile->file_names));
	if (!profile->file_names || !files) {
		free(files);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		files[i] = xp_timeline_dso(profile->timeline, (int)i);
	qsort_r(files, nr, sizeof(*files), compare_files, profile);
	for (size_t i = 0, first = 0; i < nr; i++) {
		if (strcmp(name_of(files[first], profile), name_of(files[i], profile)) != 0)
			first = i;
		profile->file_names[files[i]->index] = (uint32_t)files[first]->index;
	}
	free(files);
	return 0;
}

static int new_place(struct xp_profile *profile, uint32_t nr, const struct xp_location *place)
{
	if (xp_array_grow(&profile->places, &profile->cap_places, nr, sizeof(*profile->places)) ||
	    xp_array_grow(&profile->place_samples, &profile->cap_place_samples, nr,
			  sizeof(*profile->place_samples)))
		return -ENOMEM;
	profile->places[nr] = malloc(sizeof(*place));
	if (!profile->places[nr])
		return -ENOMEM;
	*profile->places[nr] = *place;
	profile->nr_places = nr + 1;
	return 0;
}

/* What has no file has no offsets. Source: perf 6.1. */
static bool is_memory(const struct xp_dso *dso)
{
	static const char *const names[] = { "//anon", "[heap]",         "[stack",
					     "/SYSV",  "/anon_hugepage", "/dev/zero" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(dso->name, names[i], strlen(names[i])))
			return true;
	return dso->is_jit && !strncmp(dso->name, "/tmp/", 5);
}

uint64_t xp_place_ip(const struct xp_frame *frame)
{
	const struct xp_map *map = &frame->map;

	return map->dso && !is_memory(map->dso) ? frame->ip - map->start + map->offset : frame->ip;
}

/* Of a branch, whoever has something there. Source of the order, and of the level: perf 6.1. */
static int find_frame(struct xp_resolver *resolver, const struct address *address,
		      const struct space *space, struct looked_up *found)
{
	static const uint16_t modes[] = { XP_MISC_USER, XP_MISC_KERNEL };
	uint16_t mode = (uint16_t)(address->mode & XP_MISC_CPUMODE_MASK);
	int err = 0;

	if (!(address->mode & MODE_ANY))
		return xp_resolver_frame(resolver, space->pid, mode, address->ip, false,
					 space->time_ns, &found->frame);
	for (size_t i = 0; !err && i < 2 && !found->frame.map.dso; i++) {
		found->level = level_of(modes[i]);
		err = xp_resolver_frame(resolver, space->pid, modes[i], address->ip, false,
					space->time_ns, &found->frame);
	}
	if (!found->frame.map.dso)
		found->level = level_of(0);
	return err;
}

struct looked_up xp_address_unknown(const struct xp_profile *profile, uint32_t nr)
{
	return (struct looked_up){ .frame.size = sizeof(struct xp_frame),
				   .level = level_of(xp_address_at(profile, nr)->mode) };
}

int xp_address_look_up(const struct xp_profile *profile, struct xp_resolver *resolver, uint32_t nr,
		       struct looked_up *ret_found)
{
	const struct address *address = xp_address_at(profile, nr);

	*ret_found = xp_address_unknown(profile, nr);
	int err = find_frame(resolver, address, xp_table_at(&profile->spaces, address->space),
			     ret_found);
	if (err || !xp_profile_asks_lines(profile, address->mode))
		return err;
	ret_found->nr_lines =
		xp_frame_lines(&ret_found->frame, address->mode & MODE_RETURN, &ret_found->lines);
	return ret_found->nr_lines < 0 ? ret_found->nr_lines : 0;
}

/* What distinguishes places, except inlined functions and lines. */
static struct function function_of(const struct xp_profile *profile, const struct address *address,
				   const struct xp_location *place)
{
	bool is_leaf = address->mode & MODE_LEAF, is_function = place->frame.function.name;
	bool is_branch = address->mode & MODE_ANY; /* addresses as they ran are distinguished */

	return (struct function){
		.dso = place->frame.map.dso,
		.address = is_function && (is_leaf || !profile->opts.by_address)
				   ? place->frame.function.start
			   : is_branch ? address->ip
				       : place->ip,
		.kind = (uint64_t)place->level << 2 | is_branch << 1 | is_function,
	};
}

static int intern_place(struct xp_profile *profile, const struct function *function,
			const struct xp_location *place, uint32_t *ret_place)
{
	int err = xp_table_intern(&profile->functions, function, ret_place);

	return err > 0 ? new_place(profile, *ret_place, place) : err;
}

/* The place as it stands in trees of chains, which know of no lines unless they are asked to. */
static int set_drawn(struct xp_profile *profile, const struct function *plain,
		     const struct xp_location *place, uint32_t nr)
{
	uint32_t drawn;

	if (intern_place(profile, plain, place, &drawn) ||
	    xp_array_grow(&profile->drawn, &profile->cap_drawn, nr, sizeof(uint32_t)))
		return -ENOMEM;
	profile->drawn[nr] = drawn + 1;
	return 0;
}

/* A place as it is distinguished in rows, and in chains. */
static int shown_place(struct xp_profile *profile, const struct address *address,
		       const struct function *plain, const struct xp_location *place,
		       uint32_t *ret_place)
{
	const bool *has = profile->has_key;
	bool is_leaf = address->mode & MODE_LEAF;
	struct function function = *plain;

	if (is_leaf || has[XP_KEY_SRCLINE])
		function.line = place->line;
	else if (has[XP_KEY_SRCFILE] && !plain->line)
		function.line = place->file;
	if (has[XP_KEY_SYMOFF] && (is_leaf || xp_profile_charges_callers(&profile->opts)))
		function.address = place->frame.address;
	if (has[XP_KEY_ADDRESS] && (is_leaf || xp_profile_charges_callers(&profile->opts))) {
		function.address = address->ip;
		function.kind |= (uint64_t)is_leaf
				 << 63; /* shown in other terms: see xp_location.ip */
	}
	bool is_plain = function.line == plain->line && function.address == plain->address &&
			function.kind == plain->kind;
	int err = intern_place(profile, &function, place, ret_place);
	return err || is_plain || is_leaf ? err : set_drawn(profile, plain, place, *ret_place);
}

/* The same with its line. */
static int lined_place(struct xp_profile *profile, const struct address *address,
		       struct xp_location *place, const struct xp_line *line, uint32_t *ret_place)
{
	bool is_shown = xp_profile_shows_lines(profile, address->mode);
	int err = is_shown ? xp_profile_show_line(profile, place, line) : 0;

	if (err)
		return err;
	struct function plain = function_of(profile, address, place);
	if (line->name) {
		place->frame.function.name = plain.name = line->name;
		place->is_inlined = true;
	}
	if (!(address->mode & MODE_LEAF) && profile->opts.by_line && *place->file)
		plain.line = place->line;
	return shown_place(profile, address, &plain, place, ret_place);
}

/* The functions that are inlined in a place of a chain; @lines is what they are. */
static int inlined_places(struct xp_profile *profile, struct address *address,
			  const struct xp_location *place, const struct xp_line *lines, int nr)
{
	uint32_t at = profile->nr_inlined + !profile->nr_inlined;

	if (xp_array_grow(&profile->inlined, &profile->cap_inlined, at + (uint32_t)nr,
			  sizeof(uint32_t)))
		return -ENOMEM;
	address->inlined = at;
	profile->inlined[at++] = (uint32_t)nr;
	for (int i = nr; i-- > 0; at++) {
		struct xp_location inlined = *place;
		int err = lined_place(profile, address, &inlined, &lines[i], &profile->inlined[at]);

		if (err)
			return err;
	}
	profile->nr_inlined = at;
	return 0;
}

int xp_address_number(struct xp_profile *profile, uint32_t nr, const struct looked_up *found)
{
	struct address *address = xp_address_at(profile, nr);
	struct xp_location place = { .ip = address->ip,
				     .level = found->level,
				     .frame = found->frame };
	bool is_leaf = address->mode & MODE_LEAF;

	if (is_leaf)
		place.ip = xp_place_ip(&place.frame);
	if (!xp_profile_asks_lines(profile, address->mode)) {
		const struct function plain = function_of(profile, address, &place);

		return shown_place(profile, address, &plain, &place, &address->place);
	}
	int nr_lines = found->nr_lines;
	int nr_inlined = profile->opts.inlines && !is_leaf && nr_lines ? nr_lines - 1 : 0;
	const struct xp_line line = nr_lines ? found->lines[nr_inlined] : (struct xp_line){ 0 };
	const struct xp_line own = { .file = line.file,
				     .line = line.line,
				     .start_line = line.start_line };
	const struct xp_location outer = place;
	int err = lined_place(profile, address, &place, &own, &address->place);
	return err || !nr_inlined
		       ? err
		       : inlined_places(profile, address, &outer, found->lines, nr_inlined);
}

int xp_profile_address(struct xp_profile *profile, uint32_t space, uint32_t mode, uint64_t ip,
		       uint32_t *ret_nr)
{
	const struct address address = { .space = space, .mode = mode, .ip = ip };

	return xp_table_intern_sized(&profile->addresses, &address, offsetof(struct address, place),
				     ret_nr) < 0
		       ? -ENOMEM
		       : 0;
}

int xp_places_init(struct xp_profile *profile)
{
	profile->addresses = xp_table(offsetof(struct address, place), sizeof(struct address));
	profile->functions = xp_table(sizeof(struct function), sizeof(struct function));
	return number_files(profile);
}
