/* SPDX-License-Identifier: MIT */
/*
 * Parts of a file that are read at the same time: where it can be cut, the first reading has noted
 * every now and then; each part has a reader of its own, which shares all but its window.
 */
#include <errno.h>
#include <stdlib.h>

#include "reader-impl.h"
#include "reader.h"
#include "vec.h"

/* From mark to mark, at least. */
enum { MARK_BYTES = 32 << 10 };

int xp_reader_mark(struct xp_data *data)
{
	if (data->offset < data->next_mark)
		return 0;
	data->next_mark = data->offset + MARK_BYTES;
	if (!xp_reader_is_first_time(data))
		return 0;
	if (vec_add(&data->marks, data->nr_marks, sizeof(*data->marks)))
		return -ENOMEM;
	data->marks[data->nr_marks++] = data->offset;
	return 0;
}

uint64_t xp_reader_bytes(const struct xp_data *data)
{
	return data->end - data->first;
}

int xp_data_split(const struct xp_data *data, int nr, uint64_t *ret_offsets)
{
	uint64_t total = xp_source_total(&data->main), end = data->end < total ? data->end : total;
	uint64_t bytes = end > data->first ? end - data->first : 0;
	int parts = 0;

	/* What is compressed is one stream. */
	bool is_one = data->directory || !xp_source_is_random(&data->main) || data->unpacked.bytes;
	ret_offsets[parts++] = data->first;
	for (size_t i = 0; !is_one && i < data->nr_marks && parts < nr; i++) {
		uint64_t at = data->marks[i];

		if (at - data->first >= bytes / (uint64_t)nr * (uint64_t)parts &&
		    at > ret_offsets[parts - 1])
			ret_offsets[parts++] = at;
	}
	ret_offsets[parts] = data->first + bytes;
	return parts;
}

int xp_data_range(const struct xp_data *data, uint64_t from, uint64_t to,
		  struct xp_data **ret_range)
{
	if (data->directory || !xp_source_is_random(&data->main) || data->unpacked.bytes ||
	    from > to || from < data->first || to > data->end)
		return -EINVAL;
	struct xp_data *range = malloc(sizeof(*range));
	if (!range)
		return -ENOMEM;
	*range = *data;
	range->is_range = true;
	range->main = xp_source_share(&data->main);
	range->part = (struct xp_source){ .fd = -1 };
	range->source = &range->main;
	range->at = range->offset = range->first = from;
	range->limit = range->end = to;
	/* All of it has been seen: nothing is reported or learnt again. */
	range->step = 0;
	range->steps = UINT64_MAX;
	range->next_mark = UINT64_MAX;
	range->bounce = NULL;
	range->order = NULL;
	range->order_ended = false;
	range->marks = NULL;
	range->nr_damages = range->nr_foreign = 0;
	memset(range->damages, 0, sizeof(range->damages));
	*ret_range = range;
	return 0;
}
