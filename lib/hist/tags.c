/* SPDX-License-Identifier: MIT */
/* Tags of samples that were counted are made fewer, so that less has to be kept apart. */
#include <errno.h>
#include <stdlib.h>

#include "profile-impl.h"

/* @whos: the numbers they get in the new table */
static int merge_whos(struct xp_profile *profile, uint32_t (*merged)(uint32_t tag, void *data),
		      void *data, uint32_t *whos)
{
	struct table old = profile->whos;
	int err = 0;

	profile->whos = xp_table(old.key_bytes, old.entry_bytes);
	for (uint32_t i = 0; !err && i < old.nr; i++) {
		struct who who = *(const struct who *)xp_table_at(&old, i);

		who.tag = merged(who.tag, data);
		if (xp_table_intern(&profile->whos, &who, &whos[i]) < 0)
			err = -ENOMEM;
	}
	xp_table_fini(&old);
	memset(profile->whos_seen, 0, sizeof(profile->whos_seen));
	return err;
}

static int merge_raws(struct xp_profile *profile, const uint32_t *whos)
{
	struct table old = profile->raws;
	int err = 0;

	profile->raws = xp_table(old.key_bytes, old.entry_bytes);
	for (uint32_t i = 0; !err && i < old.nr; i++) {
		struct raw raw = *(const struct raw *)xp_table_at(&old, i);
		uint32_t nr;

		raw.who = whos[raw.who];
		if (xp_table_intern_sized(&profile->raws, &raw, offsetof(struct raw, sum), &nr) <
		    0) {
			err = -ENOMEM;
			continue;
		}
		struct raw *known = xp_table_at(&profile->raws, nr);
		xp_sum_add(&known->sum, &raw.sum);
	}
	xp_table_fini(&old);
	return err;
}

int xp_profile_merge_tags(struct xp_profile *profile, uint32_t (*merged)(uint32_t tag, void *data),
			  void *data)
{
	if (profile->is_resolved)
		return -EBUSY;
	if (xp_profile_flush(profile))
		return -ENOMEM;
	uint32_t *whos = calloc((size_t)profile->whos.nr + 1, sizeof(*whos));
	int err = whos ? merge_whos(profile, merged, data, whos) : -ENOMEM;

	if (!err)
		err = merge_raws(profile, whos);
	free(whos);
	return err;
}

uint32_t xp_profile_nr_distinct(const struct xp_profile *profile)
{
	return profile->raws.nr;
}
