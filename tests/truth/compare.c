/* SPDX-License-Identifier: MIT
 *
 * Compares call chains of the same recording, sample by sample, as two commands printed them:
 *
 *	compare [-v] OURS THEIRS
 *
 * Both have the fields tid,time,ip,sym,dso. Frames are the same if they are at the same place of a
 * page and in the same file: one command prints addresses as they ran, the other offsets in files.
 * It prints NAME NUMBER of:
 *
 *	same		all frames
 *	longer		all of theirs, and more
 *	skipped		ours has all of theirs, in their order, and others between them
 *	lost		ours reaches the first function of the thread, and theirs does not
 *	shorter		the beginning of theirs
 *	unknown		the same, and no frame that is missing is in a file
 *	different	a frame differs otherwise
 *
 * and lines "at FRAME: OURS, not THEIRS: NUMBER" of those that are shorter or differ, by the last
 * frame that is the same. -v prints each of them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 2048
#define MAX_KINDS  4096

struct frame {
	unsigned long address;
	char *symbol, *file;
};

struct output {
	FILE *file;
	const char *path;
	char next[1 << 14]; /* a line that was read ahead */
	bool has_next;
	unsigned long tid;
	double time;
	struct frame frames[MAX_FRAMES];
	int nr;
};

enum result { SAME, LONGER, SKIPPED, LOST, SHORTER, UNKNOWN, DIFFERENT, NR_RESULTS };
static const char *const result_names[] = { "same",    "longer",  "skipped",  "lost",
					    "shorter", "unknown", "different" };

struct kind {
	char *text;
	int nr;
};

static int counts[NR_RESULTS];
static struct kind kinds[MAX_KINDS];
static int nr_kinds;

static void parse_frame(struct output *output, char *line)
{
	struct frame *frame = &output->frames[output->nr];
	char *rest, *file;

	if (output->nr == MAX_FRAMES)
		return;
	frame->address = strtoul(line, &rest, 16);
	line[strcspn(line, "\n")] = '\0';
	file = strstr(rest, " (/");
	for (char *more = rest; (more = strstr(more, " (")); more++)
		if (!file || more[2] == '[')
			file = more;
	/* perf 6.1 prints -1 where it could not go on. */
	if (!file || frame->address == ~0UL)
		return;
	*file = '\0';
	file += 2;
	file[strcspn(file, ")")] = '\0';
	free(frame->symbol);
	free(frame->file);
	frame->symbol = strdup(rest + strspn(rest, " "));
	frame->file = strdup(strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
	output->nr++;
}

/* Reads the next sample. */
static bool advance(struct output *output)
{
	char line[sizeof(output->next)];

	output->nr = 0;
	for (bool found = false;;) {
		if (output->has_next)
			memcpy(line, output->next, sizeof(line));
		else if (!fgets(line, sizeof(line), output->file))
			return found;
		output->has_next = false;
		if (line[0] == '\t') {
			parse_frame(output, line);
			continue;
		}
		if (line[0] == '\n')
			continue;
		if (found) {
			memcpy(output->next, line, sizeof(line));
			output->has_next = true;
			return true;
		}
		found = sscanf(line, " %lu %lf", &output->tid, &output->time) == 2;
		output->nr = 0;
	}
}

static bool is_known(const struct frame *frame)
{
	return strcmp(frame->file, "[unknown]") != 0;
}

static bool is_same(const struct frame *a, const struct frame *b)
{
	const unsigned long in_page = 4095;

	if (is_known(a) && is_known(b) && strcmp(a->file, b->file) != 0)
		return false;
	return (a->address & in_page) == (b->address & in_page) ||
	       ((a->address - 1) & in_page) == (b->address & in_page);
}

static void count_kind(const struct output *ours, const struct output *theirs, int at)
{
	char text[1024];
	const struct frame *last = at ? &ours->frames[at - 1] : NULL;

	snprintf(text, sizeof(text), "at %s (%s): %s, not %s",
		 last ? last->symbol : "the beginning", last ? last->file : "",
		 at < ours->nr ? ours->frames[at].file : "the end",
		 at < theirs->nr ? theirs->frames[at].file : "the end");
	for (int i = 0; i < nr_kinds; i++)
		if (strcmp(kinds[i].text, text) == 0) {
			kinds[i].nr++;
			return;
		}
	if (nr_kinds < MAX_KINDS)
		kinds[nr_kinds++] = (struct kind){ strdup(text), 1 };
}

static void show(enum result result, const struct output *ours, const struct output *theirs)
{
	printf("%lu %.6f: %s\n", ours->tid, ours->time, result_names[result]);
	for (int i = 0; i < ours->nr || i < theirs->nr; i++) {
		char text[200] = "";

		if (i < ours->nr)
			snprintf(text, sizeof(text), "%16lx %.40s (%s)", ours->frames[i].address,
				 ours->frames[i].symbol, ours->frames[i].file);
		printf("  %-80s", text);
		if (i < theirs->nr)
			printf(" %16lx %.40s (%s)", theirs->frames[i].address,
			       theirs->frames[i].symbol, theirs->frames[i].file);
		printf("\n");
	}
}

/* Where threads begin: names of glibc. */
static bool reaches_start(const struct output *output)
{
	static const char *const names[] = { "_start", "__libc_start_main", "clone3", "__clone" };

	for (int i = 0; i < output->nr; i++)
		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			if (strstr(output->frames[i].symbol, names[n]))
				return true;
	return false;
}

static bool has_all_of(const struct output *ours, const struct output *theirs)
{
	int found = 0;

	for (int i = 0; i < ours->nr && found < theirs->nr; i++)
		found += is_same(&ours->frames[i], &theirs->frames[found]);
	return found == theirs->nr;
}

static enum result result_of_differing(const struct output *ours, const struct output *theirs)
{
	if (!reaches_start(ours))
		return DIFFERENT;
	if (has_all_of(ours, theirs))
		return SKIPPED;
	return reaches_start(theirs) ? DIFFERENT : LOST;
}

static void compare(const struct output *ours, const struct output *theirs, bool verbose)
{
	enum result result;
	int at = 0;

	while (at < ours->nr && at < theirs->nr && is_same(&ours->frames[at], &theirs->frames[at]))
		at++;
	if (at == theirs->nr) {
		result = at == ours->nr ? SAME : LONGER;
	} else if (at == ours->nr) {
		result = UNKNOWN;
		for (int i = at; i < theirs->nr; i++)
			if (is_known(&theirs->frames[i]))
				result = SHORTER;
	} else {
		result = result_of_differing(ours, theirs);
	}
	counts[result]++;
	if (result < SHORTER)
		return;
	count_kind(ours, theirs, at);
	if (verbose)
		show(result, ours, theirs);
}

static int by_number(const void *a, const void *b)
{
	return ((const struct kind *)b)->nr - ((const struct kind *)a)->nr;
}

int main(int argc, char **argv)
{
	static struct output ours, theirs;
	const bool verbose = argc == 4 && strcmp(argv[1], "-v") == 0;
	bool more;
	int nr_missing = 0;

	if (argc != 3 + verbose) {
		fprintf(stderr, "usage: compare [-v] OURS THEIRS\n");
		return 2;
	}
	ours.file = fopen(argv[argc - 2], "r");
	theirs.file = fopen(argv[argc - 1], "r");
	if (!ours.file || !theirs.file) {
		perror("compare");
		return 2;
	}
	more = advance(&ours) && advance(&theirs);
	while (more) {
		if (ours.tid == theirs.tid && ours.time == theirs.time) {
			compare(&ours, &theirs, verbose);
			more = advance(&ours) && advance(&theirs);
		} else {
			nr_missing++;
			more = advance(ours.time < theirs.time ? &ours : &theirs);
		}
	}
	for (int i = 0; i < NR_RESULTS; i++)
		printf("%s %d\n", result_names[i], counts[i]);
	printf("missing %d\n", nr_missing);
	qsort(kinds, (size_t)nr_kinds, sizeof(*kinds), by_number);
	for (int i = 0; i < nr_kinds && i < 20; i++)
		printf("%s: %d\n", kinds[i].text, kinds[i].nr);
	return 0;
}
