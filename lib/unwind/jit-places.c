/* SPDX-License-Identifier: MIT */
/* Code at addresses and times: the places that are, in part, in a page of addresses, all of them
 * and those that have not ended. */
#include "jit-places.h"

#include <errno.h>

#include "vec.h"

enum {
	PAGE_SHIFT = 12,
	CODE_MAX = 64 << 20,   /* of one function */
	BYTES_MAX = 128 << 20, /* of all that is kept */
	TRIES = 4096,          /* places that are looked at in a page */
	SLACK_NS = 1000000,    /* code can run a little before it is written down */
};

static uint64_t page_hash(uint64_t number)
{
	return xp_hash_word(xp_hash_seed(), number);
}

static struct jit_page *find_page(const struct jit_code *code, uint64_t number)
{
	size_t at;

	for (struct index_walk walk = index_walk(&code->by_page, page_hash(number));
	     index_next(&walk, &at);)
		if (code->pages[at].number == number)
			return &code->pages[at];
	return NULL;
}

/* Finds or makes it. Returns NULL: no memory. */
static struct jit_page *know_page(struct jit_code *code, uint64_t number)
{
	struct jit_page *page = find_page(code, number);

	if (page)
		return page;
	if (vec_add(&code->pages, code->nr_pages, sizeof(*code->pages)) ||
	    index_add(&code->by_page, page_hash(number), code->nr_pages))
		return NULL;
	page = &code->pages[code->nr_pages++];
	*page = (struct jit_page){ .number = number };
	return page;
}

void xp_jit_place_end(struct jit_place *place, uint64_t time_ns)
{
	place->to_ns = time_ns > place->from_ns ? time_ns : place->from_ns;
}

static bool has_ended(const struct jit_place *place)
{
	return place->to_ns != UINT64_MAX;
}

/* Of the places that are in a page, ends those that another one covers. Those that have ended are
 * no longer among them. */
static void end_covered(struct jit_code *code, struct jit_page *page, const struct jit_place *by)
{
	for (uint32_t *link = &page->first_now; *link;) {
		struct jit_ref *ref = &code->refs[*link - 1];
		struct jit_place *place = &code->places[ref->place];

		if (!has_ended(place) && place->start < by->end && by->start < place->end)
			xp_jit_place_end(place, by->from_ns);
		if (has_ended(place))
			*link = ref->next_now;
		else
			link = &ref->next_now;
	}
}

void xp_jit_code_end(struct jit_code *code)
{
	code->is_ended = true;
	code->until_ns = code->last_ns;
}

static int add_to_page(struct jit_code *code, uint64_t number, const struct jit_place *place)
{
	struct jit_page *page = know_page(code, number);

	if (!page || vec_add(&code->refs, code->nr_refs, sizeof(*code->refs)))
		return -ENOMEM;
	end_covered(code, page, place);
	code->refs[code->nr_refs++] =
		(struct jit_ref){ (uint32_t)code->nr_places, page->first, page->first_now };
	page->first = page->first_now = (uint32_t)code->nr_refs;
	return 0;
}

int xp_jit_place_add(struct jit_code *code, struct jit_place place)
{
	uint64_t first = place.start >> PAGE_SHIFT, last = (place.end - 1) >> PAGE_SHIFT;
	uint64_t bytes = sizeof(place) +
			 (last - first + 1) * (sizeof(struct jit_ref) + sizeof(struct jit_page) +
					       2 * sizeof(struct index_slot));

	if (place.end - place.start > CODE_MAX || code->bytes + bytes > BYTES_MAX) {
		xp_jit_code_end(code);
		return 0;
	}
	code->bytes += bytes;
	if (vec_add(&code->places, code->nr_places, sizeof(*code->places)))
		return -ENOMEM;
	place.to_ns = UINT64_MAX;
	code->places[code->nr_places] = place;
	for (uint64_t page = first; page <= last; page++)
		if (add_to_page(code, page, &place))
			return -ENOMEM;
	code->nr_places++;
	return 0;
}

struct jit_place *xp_jit_place_now(const struct jit_code *code, uint64_t start)
{
	const struct jit_page *page = find_page(code, start >> PAGE_SHIFT);

	for (uint32_t at = page ? page->first_now : 0; at; at = code->refs[at - 1].next_now) {
		struct jit_place *place = &code->places[code->refs[at - 1].place];

		if (place->start == start && !has_ended(place))
			return place;
	}
	return NULL;
}

/* --- looking up --- */

static bool contains(const struct jit_place *place, uint64_t address)
{
	return place->start <= address && address < place->end;
}

/* What is known of an address before and after a time. */
struct around {
	uint64_t before_ns, after_ns;
	const struct jit_place *late; /* it comes next */
};

static void note_around(struct around *around, const struct jit_place *place, uint64_t time_ns)
{
	if (place->from_ns > time_ns && place->from_ns < around->after_ns &&
	    place->to_ns > place->from_ns) {
		around->after_ns = place->from_ns;
		around->late = place;
	}
	if (place->to_ns <= time_ns && place->to_ns > around->before_ns)
		around->before_ns = place->to_ns;
}

/* Places that come later in the file, but not in time, go before it. */
static void set_span(const struct jit_place *place, const struct around *around,
		     uint64_t ret_span[2])
{
	ret_span[0] = place->from_ns > around->before_ns ? place->from_ns : around->before_ns;
	ret_span[1] = place->to_ns - has_ended(place);
	if (around->late && ret_span[1] >= around->after_ns)
		ret_span[1] = around->after_ns - 1;
}

static const struct jit_place *find_place(const struct jit_code *code, uint64_t address,
					  uint64_t time_ns, uint64_t ret_span[2])
{
	const struct jit_page *page = find_page(code, address >> PAGE_SHIFT);
	struct around around = { 0, UINT64_MAX, NULL };
	uint32_t at = page ? page->first : 0;

	for (int tries = 0; at && tries < TRIES; at = code->refs[at - 1].next, tries++) {
		const struct jit_place *place = &code->places[code->refs[at - 1].place];

		if (!contains(place, address))
			continue;
		if (place->from_ns <= time_ns && (time_ns < place->to_ns || !has_ended(place))) {
			set_span(place, &around, ret_span);
			return place;
		}
		note_around(&around, place, time_ns);
	}
	bool is_late = around.late && around.after_ns - time_ns <= SLACK_NS;
	ret_span[0] = at || is_late ? time_ns : around.before_ns;
	ret_span[1] = at || is_late ? time_ns
		      : around.late ? around.after_ns - SLACK_NS - 1
				    : UINT64_MAX;
	return at || !is_late ? NULL : around.late;
}

const struct jit_place *xp_jit_place_at(const struct jit_code *code, uint64_t address,
					uint64_t time_ns, uint64_t ret_span[2])
{
	if (code->is_ended && time_ns >= code->until_ns) {
		ret_span[0] = code->until_ns;
		ret_span[1] = UINT64_MAX;
		return NULL;
	}
	const struct jit_place *place = find_place(code, address, time_ns, ret_span);

	if (code->is_ended && ret_span[1] >= code->until_ns)
		ret_span[1] = code->until_ns - 1;
	return place;
}

const struct jit_place *xp_jit_place_always(const struct jit_code *code, uint64_t address)
{
	const struct jit_page *page = find_page(code, address >> PAGE_SHIFT);
	const struct jit_place *found = NULL;
	uint32_t at = page && !code->is_ended ? page->first : 0;

	for (int tries = 0; at && tries < TRIES; at = code->refs[at - 1].next, tries++) {
		const struct jit_place *place = &code->places[code->refs[at - 1].place];

		if (!contains(place, address))
			continue;
		if (found || has_ended(place))
			return NULL;
		found = place;
	}
	return at ? NULL : found;
}
