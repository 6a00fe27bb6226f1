/* SPDX-License-Identifier: MIT */
/* Facts and quality of a recording, as notes of a tree. */
#include "notes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xperf/data.h>
#include <xperf/export.h>
#include <xperf/profile.h>
#include <xperf/sample.h>

#include "chain-ends.h"
#include "header.h"
#include "number.h"
#include "plural.h"
#include "stacks.h"
#include "title.h"

enum { NS_PER_S = 1000000000, TEXT_MAX = 4096 };

void losses_note(struct losses *losses, const struct xp_record *record)
{
	switch (record->type) {
	case XP_RECORD_LOST_SAMPLES:
		losses->samples += ((const struct xp_record_lost_samples *)record)->lost;
		break;
	case XP_RECORD_LOST:
		losses->records += ((const struct xp_record_lost *)record)->lost;
		break;
	case XP_RECORD_THROTTLE:
		losses->throttled++;
		break;
	default:
		break;
	}
}

/* --- facts --- */

static const char *text_of(const struct recording *rec, enum xp_feature which)
{
	struct feature feature = feature_of(rec->data, which);

	return feature_text(&feature);
}

static int add_texts(const struct recording *rec, struct xp_tree *tree)
{
	static const struct {
		const char *what;
		enum xp_feature feature;
	} texts[] = {
		{ "Host", XP_FEATURE_HOSTNAME },       { "Kernel", XP_FEATURE_OSRELEASE },
		{ "Machine", XP_FEATURE_ARCH },        { "Processor", XP_FEATURE_CPUDESC },
		{ "Recorded by", XP_FEATURE_VERSION },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = text_of(rec, texts[i].feature);

		if (*text)
			err = xp_tree_add_note(tree, XP_NOTE_FACT, texts[i].what, text);
	}
	return err;
}

static int add_times(const struct xp_tree_info *info, struct xp_tree *tree)
{
	time_t seconds = (time_t)(info->time_ns / NS_PER_S);
	char text[64];
	struct tm date;
	int err = 0;

	if (info->time_ns && gmtime_r(&seconds, &date) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &date))
		err = xp_tree_add_note(tree, XP_NOTE_FACT, "Written", text);
	if (err || !info->duration_ns)
		return err;
	snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64 " s", info->duration_ns / NS_PER_S,
		 info->duration_ns / 1000000 % 1000);
	return xp_tree_add_note(tree, XP_NOTE_FACT, "Duration", text);
}

static int add_events(struct xp_tree *tree)
{
	struct xp_tree_event event = { .size = sizeof(event) };
	char text[64], count[COUNT_LEN];
	int err = 0;

	for (int i = 0; !err && !xp_tree_event_at(tree, i, &event); i++) {
		if (!event.samples)
			continue;
		snprintf(text, sizeof(text), "%s %s", number_grouped(count, event.samples),
			 plural(event.samples, "sample", "samples"));
		err = xp_tree_add_note(tree, XP_NOTE_FACT, event.name, text);
	}
	return err;
}

/* --- quality --- */

struct quality {
	struct xp_chain_ends *ends;
	struct chain_facts facts;
	const struct losses *losses;
	const char *missing; /* as header_missing() */
	struct cut_off cut_off;
	uint64_t samples, unresolved, truncated;
	int nr_events; /* that have samples */
};

static void put_count(FILE *file, uint64_t nr, const char *one, const char *many, const char *what)
{
	char count[COUNT_LEN];

	if (nr)
		fprintf(file, ", %s %s %s", number_grouped(count, nr), plural(nr, one, many), what);
}

/* All samples of the recording, whatever their event. */
static void put_line(FILE *file, const struct quality *quality)
{
	const struct losses *losses = quality->losses;
	char count[COUNT_LEN];

	fprintf(file, "%s %s", number_grouped(count, quality->samples),
		plural(quality->samples, "sample", "samples"));
	if (quality->nr_events > 1)
		fprintf(file, " of %d events", quality->nr_events);
	if (!losses->samples && !losses->records && !*quality->missing && !quality->cut_off.is_cut)
		fputs(", nothing lost", file);
	put_count(file, losses->samples, "sample", "samples", "lost");
	put_count(file, losses->records, "record", "records", "lost");
	put_count(file, losses->throttled, "time", "times", "throttled");
	put_count(file, quality->truncated, "call chain", "call chains", "cut short");
	put_count(file, quality->unresolved, "sample", "samples", "in no known function");
	if (quality->samples && !quality->unresolved)
		fputs(", all functions known", file);
	if (chain_ends_all_complete(quality->ends))
		fprintf(file, ", all call chains complete%s",
			chain_ends_but(quality->ends, &quality->facts));
}

/* A line of reasons, "12 ...; what helps": its parts are a note. */
static int add_reason(char *line, struct xp_tree *tree)
{
	char *remedy = strstr(line, "; ");

	line[strcspn(line, "\n")] = '\0';
	if (remedy) {
		*remedy = '\0';
		remedy += 2;
	}
	return xp_tree_add_note(tree, XP_NOTE_NOTICE, line, remedy ? remedy : "");
}

static int add_chain_ends(const struct quality *quality, struct xp_tree *tree)
{
	const struct chain_words words = { .prefix = "", .which = "", .grouped = true };
	char line[TEXT_MAX];
	FILE *file;
	int err = 0;

	if (!xp_chain_ends_nr(quality->ends, XP_NR_CHAIN_ENDS) ||
	    chain_ends_all_complete(quality->ends))
		return 0;
	file = tmpfile();
	if (!file)
		return -errno;
	chain_ends_print(file, &words, &quality->facts, quality->ends);
	rewind(file);
	while (!err && fgets(line, sizeof(line), file))
		err = add_reason(line, tree);
	fclose(file);
	return err;
}

/* What there is to do about what was lost, and about what has no name. */
static int add_remedies(const struct quality *quality, struct xp_tree *tree)
{
	const struct losses *losses = quality->losses;
	char text[128], count[COUNT_LEN];
	int err = 0;

	if (losses->samples || losses->records) {
		uint64_t nr = losses->samples + losses->records;

		snprintf(text, sizeof(text), "%s %s lost", number_grouped(count, nr),
			 plural(nr, "sample or record was", "samples or records were"));
		err = xp_tree_add_note(tree, XP_NOTE_BAD, text,
				       "Record with larger buffers (-m 16M), or less often (-F)");
	}
	if (!err && losses->throttled)
		err = xp_tree_add_note(tree, XP_NOTE_NOTICE, "The kernel throttled sampling",
				       "Record less often (-F)");
	if (err || !quality->unresolved)
		return err;
	snprintf(text, sizeof(text), "%s %s in no known function",
		 number_grouped(count, quality->unresolved),
		 plural(quality->unresolved, "sample is", "samples are"));
	return xp_tree_add_note(tree, XP_NOTE_NOTICE, text,
				"Install the debug symbols of the files they are in: xperf report "
				"--sort dso,symbol names these");
}

/* Notes of what is not there, where nobody knows how much it is. */
static int add_missing(const struct quality *quality, struct xp_tree *tree)
{
	const char *at = quality->missing;
	char line[512];
	int err = 0;

	while (!err && header_next_missing(&at, line, sizeof(line)))
		err = xp_tree_add_note(tree, XP_NOTE_BAD, line, "");
	return err || !quality->cut_off.is_cut
		       ? err
		       : xp_tree_add_note(tree, XP_NOTE_BAD,
					  "The recorder was killed, or the file is cut off",
					  "Later samples are missing");
}

static int add_quality(const struct quality *quality, struct xp_tree *tree)
{
	char *line = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&line, &len);

	if (!file)
		return -ENOMEM;
	put_line(file, quality);
	if (fclose(file))
		return -ENOMEM;
	int err = xp_tree_add_note(tree, XP_NOTE_QUALITY, NULL, line)
			  ?: add_missing(quality, tree)
			  ?: add_remedies(quality, tree) ?: add_chain_ends(quality, tree);
	free(line);
	return err;
}

static int judge(struct recording *rec, struct xp_profile *profile, struct quality *quality)
{
	for (int i = 0; i < rec->nr_events; i++) {
		struct xp_profile_total total = { .size = sizeof(total) };

		xp_profile_total_at(profile, i, &total);
		quality->nr_events += total.samples != 0;
		quality->samples += total.samples;
		quality->unresolved += total.unresolved_samples;
		quality->truncated += total.truncated_samples;
	}
	quality->missing = header_missing(rec->data);
	quality->cut_off = rec->cut_off;
	quality->facts = chain_facts_of(rec->data, header_is_by_rules(rec->data));
	return xp_chain_ends_new(&quality->ends)
		       ?: chain_ends_judge(rec->data, profile, rec->resolver, quality->ends);
}

int notes_add(struct recording *rec, struct xp_profile *profile, const struct losses *losses,
	      const struct xp_tree_info *info, struct xp_tree *tree)
{
	struct quality quality = { .losses = losses };
	char *line = title_make(rec, true);
	int err = (line ? xp_tree_add_note(tree, XP_NOTE_FACT, "Command", line) : -ENOMEM)
			  ?: add_texts(rec, tree) ?: add_times(info, tree) ?: add_events(tree)
			  ?: judge(rec, profile, &quality) ?: add_quality(&quality, tree);

	xp_chain_ends_free(quality.ends);
	free(line);
	return err;
}
