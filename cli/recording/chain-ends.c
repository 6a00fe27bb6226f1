/* SPDX-License-Identifier: MIT */
/* How call chains end, for people: shares, files, and remedies. */
#include "chain-ends.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/profile.h>
#include <xperf/stacks.h>

#include "escape.h"
#include "number.h"
#include "plural.h"

enum { FILES_SHOWN = 3 };

int chain_ends_judge(const struct xp_data *data, struct xp_profile *profile,
		     struct xp_resolver *resolver, struct xp_chain_ends *ends)
{
	int nr = xp_data_nr_events(data);
	uint16_t *limits = calloc((size_t)nr + 1, sizeof(*limits));

	if (!limits)
		return -ENOMEM;
	for (int i = 0; i < nr; i++)
		limits[i] = chain_limit_of(&xp_data_event_at(data, i)->attr);
	int err = xp_profile_judge_chains(profile, resolver, limits, ends);
	free(limits);
	return err;
}

static uint64_t nr_complete(const struct xp_chain_ends *ends)
{
	/* Nothing is missing of a stack that is not there. */
	return xp_chain_ends_nr(ends, XP_CHAIN_COMPLETE) + xp_chain_ends_nr(ends, XP_CHAIN_JOINED) +
	       xp_chain_ends_nr(ends, XP_CHAIN_NO_STACK);
}

bool chain_ends_all_complete(const struct xp_chain_ends *ends)
{
	uint64_t nr = xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS);

	return nr && nr_complete(ends) == nr;
}

const char *chain_ends_but(const struct xp_chain_ends *ends, const struct chain_facts *facts)
{
	return facts->by_pointers && nr_complete(ends) ? " but for callers of leaf functions" : "";
}

static const char *count(const struct chain_words *words, uint64_t nr, char *text)
{
	if (words->grouped)
		return number_grouped(text, nr);
	snprintf(text, COUNT_LEN, "%" PRIu64, nr);
	return text;
}

/* Chains whose last address is in no file, as in code of JIT compilers. */
static uint64_t nr_in_no_file(struct xp_chain_ends *ends, enum xp_chain_end end)
{
	uint64_t left = xp_chain_ends_nr(ends, end), nr;

	for (size_t i = 0; xp_chain_ends_file(ends, end, i, &nr); i++)
		left -= nr;
	return left;
}

/* ": gzip 50, code in no file 20, libz.so.1 10, 2 more files 3": all together are those of the end.
 */
static void put_files(FILE *file, const struct chain_words *words, struct xp_chain_ends *ends,
		      enum xp_chain_end end)
{
	uint64_t nowhere = nr_in_no_file(ends, end), more = 0, nr;
	size_t nr_files = 0, shown = 0;
	const char *name, *sep = ": ";
	char text[COUNT_LEN];

	/* Others say themselves that there is no file. */
	if (!xp_chain_ends_file(ends, end, 0, &nr) && end != XP_CHAIN_NO_RULES &&
	    end != XP_CHAIN_MADE_CODE)
		return;
	while ((name = xp_chain_ends_file(ends, end, nr_files, &nr)) != NULL || nowhere) {
		bool is_nowhere = !name || (nowhere && nowhere > nr);

		if (shown < FILES_SHOWN || is_nowhere) {
			fprintf(file, "%s%s %s", sep,
				is_nowhere ? "code in no file" : escaped(name),
				count(words, is_nowhere ? nowhere : nr, text));
			shown++;
			sep = ", ";
		} else {
			more += nr;
		}
		if (is_nowhere)
			nowhere = 0;
		else
			nr_files++;
	}
	if (more)
		fprintf(file, ", others %s", count(words, more, text));
}

static void put_complete(FILE *file, const struct chain_words *words,
			 const struct chain_facts *facts, struct xp_chain_ends *ends)
{
	uint64_t all = xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS);
	uint64_t joined = xp_chain_ends_nr(ends, XP_CHAIN_JOINED), complete = nr_complete(ends);
	char part[COUNT_LEN], whole[COUNT_LEN];

	fprintf(file, "%s%s of %s%s user call %s %s complete%s", words->prefix,
		count(words, complete, part), words->which, count(words, all, whole),
		plural(all, "chain", "chains"), plural(all == 1 ? 1 : complete, "is", "are"),
		chain_ends_but(ends, facts));
	if (joined)
		fprintf(file, ", %s of them with frames of earlier samples",
			count(words, joined, part));
	fputc('\n', file);
}

void chain_ends_print(FILE *file, const struct chain_words *words, const struct chain_facts *facts,
		      struct xp_chain_ends *ends)
{
	uint64_t all = xp_chain_ends_nr(ends, XP_NR_CHAIN_ENDS);
	const struct chain_reason *reason;
	struct chain_facts known = *facts;
	const char *helped = "";
	char text[COUNT_LEN];

	put_complete(file, words, facts, ends);
	for (size_t i = 0; (reason = chain_reason_at(i)) != NULL; i++) {
		uint64_t nr = xp_chain_ends_nr(ends, reason->end);

		if (!reason->verb || nr * 100 < all || !nr)
			continue;
		fprintf(file, "%s%s %s %s", words->prefix, count(words, nr, text),
			plural(nr, reason->verb[0], reason->verb[1]), reason->what);
		put_files(file, words, ends, reason->end);
		known.file = xp_chain_ends_file(ends, reason->end, 0, &nr);
		const char *helps = chain_remedy(reason->end, &known);
		/* What helps against several reasons is said once. */
		fprintf(file, "%s\n", helps == helped ? "" : helps);
		helped = helps;
	}
}
