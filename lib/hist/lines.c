/* SPDX-License-Identifier: MIT */
/* Lines of source of a profile's locations, and what they are called. Source of the texts:
 * perf 6.1.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cleanup.h"
#include "profile-impl.h"

static bool asks_keys(const struct xp_profile *profile)
{
	const bool *has = profile->has_key;

	return has[XP_KEY_SRCLINE] || has[XP_KEY_SRCFILE] || has[XP_KEY_SRCLINE_FROM] ||
	       has[XP_KEY_SRCLINE_TO];
}

/* Whether locations of call chains are shown with their lines. */
static bool shows_chains(const struct xp_profile *profile)
{
	const struct xp_profile_opts *opts = &profile->opts;

	return opts->by_line || (xp_profile_charges_callers(opts) && asks_keys(profile));
}

bool xp_profile_asks_chains(const struct xp_profile *profile)
{
	return profile->opts.inlines || shows_chains(profile);
}

bool xp_profile_shows_lines(const struct xp_profile *profile, uint32_t mode)
{
	return mode & MODE_LEAF ? asks_keys(profile) : shows_chains(profile);
}

bool xp_profile_asks_lines(const struct xp_profile *profile, uint32_t mode)
{
	return mode & MODE_LEAF ? asks_keys(profile) : xp_profile_asks_chains(profile);
}

/* What is shown of a path. */
static const char *path_of(const struct xp_profile *profile, const char *path)
{
	const char *slash = profile->opts.full_paths ? NULL : strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where a location is, if its line is not known. */
static int unknown_line(const struct xp_frame *frame, char **ret)
{
	if (frame->function.name)
		return asprintf(ret, "%s+%" PRIu64, frame->function.name,
				frame->address - frame->function.start);
	if (frame->map.dso)
		return asprintf(ret, "%s[%" PRIx64 "]", frame->map.dso->short_name, frame->address);
	return asprintf(ret, "??:0");
}

int xp_profile_show_line(struct xp_profile *profile, struct xp_location *location,
			 const struct xp_line *line)
{
	const char *file = line->file ? path_of(profile, line->file) : "";
	xp_auto_free char *text = NULL;
	int len = *file ? asprintf(&text, "%s:%u", file, line->line)
			: unknown_line(&location->frame, &text);

	if (len < 0) {
		text = NULL;
		return -ENOMEM;
	}
	location->line = xp_intern_add(&profile->texts, text, (size_t)len);
	location->start_line = *file ? line->start_line : 0;
	location->file = xp_intern_add(&profile->texts, file, strlen(file));
	return location->line && location->file ? 0 : -ENOMEM;
}
