/* SPDX-License-Identifier: MIT */
/*
 * What the library says to any program, in the words of this one: its options and commands. A lint
 * fails for a row whose phrase the library does not say.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* A '*' stands for text that is not always the same, and is kept. */
static const struct row {
	const char *library;
	const char *program;
} rows[] = {
	/* events */
	{ "No event has a similar name",
	  "`xperf list` shows the events there are; calls of a function are counted by xperf stat "
	  "--functions" },
	{ "The file available_events of tracefs lists the tracepoints",
	  "`xperf list` shows the tracepoints there are" },
	{ "is an event of other processors",
	  "is an event of other processors; `xperf list vendor` shows those of this one" },
	{ "The section .note.stapsdt of * lists its markers",
	  "`xperf list sdt *` shows those it has" },
	{ "The file's section .note.stapsdt lists the places of its markers",
	  "`xperf stat --no-merge` shows the places of a marker" },
	{ "the CPUs are not chosen in the event", "the CPUs are chosen with -C, not in the event" },
	{ "or count all events in each cgroup",
	  "or let --for-each-cgroup count all events in each" },
	/* opening */
	{ "open it on CPUs", "use -a or -C" },
	{ "give the program ", "give xperf " },
	{ "=ep PROGRAM", "=ep $(command -v xperf)" },
	/* sampling */
	{ "Count * instead of sampling it", "Count it: `xperf stat -e *`" },
	{ "cpu-clock can be sampled everywhere",
	  "cpu-clock can be sampled everywhere; `xperf list` shows the events there are" },
	{ "Record call chains by frame pointers instead",
	  "Use --call-graph fp instead of -b, -j and --call-graph lbr" },
	{ "call chains by frame pointers do not",
	  "call chains by frame pointers (--call-graph fp) do not" },
	{ "Use smaller rings", "Use smaller rings (-m)" },
	{ "or without namespaces", "or without --namespaces" },
	{ "or without a real-time priority", "or without -r" },
	/* recordings */
	{ "Record to another file", "Record to another file (-o FILE)" },
	{ "Record to a file", "Record to a file (-o FILE)" },
	{ "Make a recording first", "Make a recording with xperf record" },
	{ "use the option force", "use -f" },
	/* doctor */
	{ "no whole CPUs", "no whole CPUs (-a, -C)" },
	{ "no branch records", "no branch records: no -b, no --call-graph lbr" },
};

/* Where a phrase is in a text, and what its '*' stands for there. */
struct match {
	const char *at, *end;
	const char *kept;
	int kept_len;
};

static bool find(const char *text, const char *phrase, struct match *ret)
{
	const char *star = strchr(phrase, '*');
	char head[128];

	if (!star) {
		*ret = (struct match){ .at = strstr(text, phrase), .kept = "" };
		ret->end = ret->at ? ret->at + strlen(phrase) : NULL;
		return ret->at;
	}
	snprintf(head, sizeof(head), "%.*s", (int)(star - phrase), phrase);
	ret->at = strstr(text, head);
	ret->kept = ret->at ? ret->at + strlen(head) : NULL;
	ret->end = ret->kept ? strstr(ret->kept, star + 1) : NULL;
	if (!ret->end)
		return false;
	ret->kept_len = (int)(ret->end - ret->kept);
	ret->end += strlen(star + 1);
	return true;
}

const char *cli_words(const char *text, struct wording *buf)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *program = rows[i].program;
		int before = (int)strcspn(program, "*");
		struct match m;
		struct wording was;

		if (!find(text, rows[i].library, &m))
			continue;
		snprintf(was.text, sizeof(was.text), "%.*s%.*s%.*s%s%s", (int)(m.at - text), text,
			 before, program, m.kept_len, m.kept, program + before + !!program[before],
			 m.end);
		*buf = was;
		text = buf->text;
	}
	return text;
}
