/* SPDX-License-Identifier: MIT */
/* Call chains that another program has written, in the place of a recording. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/export.h>

#include "escape.h"
#include "export.h"
#include "plural.h"

/* Source: perf.data-file-format.txt of perf: what recordings of either byte order begin with. */
static bool is_recording(const char *bytes, size_t len)
{
	static const char magics[][9] = { "PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP" };

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (!memcmp(bytes, magics[i], len < 8 ? len : 8))
			return true;
	return false;
}

/* The first bytes of standard input, which stay there. Returns how many, at least 8 if there are
 * as many; 0: nothing can be looked at. */
static size_t peek(char *bytes, size_t room)
{
	enum { ENOUGH = 8 };
	int ends[2];
	ssize_t n = pread(STDIN_FILENO, bytes, room, 0);

	if (n >= 0)
		return (size_t)n;
	for (n = 0; n < ENOUGH; poll(NULL, 0, 1)) {
		struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

		if (pipe2(ends, O_CLOEXEC))
			return 0;
		poll(&input, 1, -1);
		n = tee(STDIN_FILENO, ends[1], room, 0);
		n = n <= 0 ? -1 : read(ends[0], bytes, room);
		close(ends[0]);
		close(ends[1]);
		if (n < 0)
			return 0;
		/* Whoever writes has ended. */
		if (input.revents & POLLHUP)
			break;
	}
	return (size_t)n;
}

/* A copy of standard input, which can be read twice. */
static FILE *spool(void)
{
	char bytes[65536];
	FILE *file = tmpfile();
	ssize_t n = 0;

	while (file && (n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
		if (fwrite(bytes, 1, (size_t)n, file) != (size_t)n)
			n = -1;
	if (file && n < 0) {
		fclose(file);
		return NULL;
	}
	if (file)
		rewind(file);
	return file;
}

/* A file that is no recording; NULL: it is one, or no file. */
static FILE *open_import(const char *path)
{
	char bytes[8] = "";
	struct stat st;

	if (!strcmp(path, "-")) {
		size_t len = peek(bytes, sizeof(bytes));

		return is_recording(bytes, len) ? NULL : spool();
	}
	FILE *file = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	if (!file)
		return NULL;
	size_t len = fread(bytes, 1, sizeof(bytes), file);
	rewind(file);
	if (!is_recording(bytes, len))
		return file;
	fclose(file);
	return NULL;
}

/* --- folded stacks --- */

enum { LINE_MAX_BYTES = 16 << 20, FRACTION_DIGITS = 3 };

struct lines {
	FILE *file;
	char *line;
	size_t room, len, number;
};

/* Returns 1, 0 at the end, -EBADMSG (it is no text: a line is too long, or has a NUL), -ENOMEM. */
static int next_line(struct lines *lines)
{
	enum { FIRST_ROOM = 4096 };

	for (lines->len = 0;;) {
		if (lines->room - lines->len < 2) {
			size_t room = lines->room ? 2 * lines->room : FIRST_ROOM;
			char *line = room > LINE_MAX_BYTES ? NULL : realloc(lines->line, room);

			if (!line)
				return room > LINE_MAX_BYTES ? -EBADMSG : -ENOMEM;
			lines->line = line;
			lines->room = room;
		}
		char *at = lines->line + lines->len;
		if (!fgets(at, (int)(lines->room - lines->len), lines->file))
			break;
		size_t len = strlen(at);
		lines->len += len;
		if (!len)
			return -EBADMSG;
		if (at[len - 1] == '\n')
			break;
	}
	if (!lines->len)
		return 0;
	lines->number++;
	while (lines->len && strchr("\r\n \t", lines->line[lines->len - 1]))
		lines->line[--lines->len] = '\0';
	return 1;
}

/* Finds where the last word begins, if it is a number; 0: it is none. *ret_point: where its
 * fraction begins; 0: it has none. */
static size_t number_at_end(const char *line, size_t len, size_t *ret_point)
{
	size_t at = len;

	*ret_point = 0;
	for (; at && ((line[at - 1] >= '0' && line[at - 1] <= '9') ||
		      (line[at - 1] == '.' && !*ret_point));
	     at--)
		if (line[at - 1] == '.')
			*ret_point = at - 1;
	bool is_number = at < len && at > 1 && line[at] != '.' &&
			 (line[at - 1] == ' ' || line[at - 1] == '\t');
	return is_number ? at : 0;
}

/* The same of a line; comments have none. */
static size_t number_of(const struct lines *lines, size_t *ret_point)
{
	*ret_point = 0;
	return lines->line[0] == '#' ? 0 : number_at_end(lines->line, lines->len, ret_point);
}

/* Returns whether the first line that is no comment has a number. */
static bool begins_folded(FILE *file)
{
	struct lines lines = { .file = file };
	bool is_folded = false;
	size_t point;

	while (next_line(&lines) > 0) {
		is_folded = number_of(&lines, &point);
		if (lines.len && lines.line[0] != '#')
			break;
	}
	free(lines.line);
	return is_folded;
}

/* A description of the folded stacks of a file, before they are read. */
struct folding {
	bool has_fractions;
	size_t nr_pairs, nr_lines,
		nr_others; /* with two numbers, with one; with none, or comments */
};

/* Reads all lines once. Returns 0: they are folded stacks, -EBADMSG, -ENOMEM. */
static int look(struct lines *lines, struct folding *folding)
{
	size_t point, first;
	int got;

	while ((got = next_line(lines)) > 0) {
		size_t at = number_of(lines, &first);

		if (!lines->len)
			continue;
		if (!at) {
			/* A comment can be the first, or what another program has printed. */
			if (!folding->nr_lines && lines->line[0] != '#')
				return -EBADMSG;
			folding->nr_others++;
			continue;
		}
		folding->nr_lines++;
		folding->nr_pairs += number_at_end(lines->line, at - 1, &point) != 0;
		folding->has_fractions |= first || point;
	}
	return got ?: folding->nr_lines ? 0 : -EBADMSG;
}

/* Adds a chain with a number from the line; with @has_fractions it counts thousandths. */
static int add(struct xp_tree *tree, const char *line, size_t chain, size_t from, size_t end,
	       bool has_fractions)
{
	size_t point = 0, len = chain + 1;
	char *text = malloc(chain + 1 + (end - from) + FRACTION_DIGITS + 1);

	if (!text)
		return -ENOMEM;
	memcpy(text, line, chain);
	text[chain] = ' ';
	for (size_t i = from; i < end && (!point || i <= point + FRACTION_DIGITS); i++)
		if (line[i] == '.')
			point = i;
		else
			text[len++] = line[i];
	size_t nr_digits = !point ? 0 : end - point - 1;
	for (; has_fractions && nr_digits < FRACTION_DIGITS; nr_digits++)
		text[len++] = '0';
	int err = xp_tree_add_folded(tree, text, len);
	free(text);
	return err;
}

/* Lines of two numbers are a comparison: the first goes into @base. */
static int add_line(const struct lines *lines, const struct folding *folding, struct xp_tree *tree,
		    struct xp_tree *base)
{
	const char *line = lines->line;
	size_t point, last = number_of(lines, &point);
	size_t end = last ? last - 1 : 0;
	int err = 0;

	if (!last)
		return 0;
	if (folding->nr_pairs == folding->nr_lines && base) {
		size_t first = number_at_end(line, end, &point);

		err = add(base, line, first - 1, first, end, folding->has_fractions);
		end = first - 1;
	}
	return err ?: add(tree, line, end, last, lines->len, folding->has_fractions);
}

static bool tree_has_samples(const struct xp_tree *tree)
{
	struct xp_tree_event event = { .size = sizeof(event) };

	return !xp_tree_event_at(tree, 0, &event);
}

/* Reads folded stacks to the end. Returns false: the file has none. *ret_line: that cannot be read
 */
static bool read_lines(FILE *file, const char *path, struct xp_tree *tree, struct xp_tree *base,
		       bool *has_fractions, size_t *ret_line, int *ret_err)
{
	struct lines lines = { .file = file };
	struct folding folding = { .has_fractions = *has_fractions };
	int err = look(&lines, &folding), got = 1;
	bool is_folded = err != -EBADMSG || folding.nr_lines;

	rewind(file);
	*ret_line = lines.number + (err != 0);
	lines.number = 0;
	/* The files before have whole numbers. */
	if (!err && folding.has_fractions != *has_fractions && tree_has_samples(tree))
		err = -ERANGE;
	bool is_first = folding.has_fractions && !*has_fractions;
	*has_fractions = folding.has_fractions;
	if (!err && !base && folding.nr_pairs == folding.nr_lines)
		err = -EXDEV;
	while (!err && (got = next_line(&lines)) > 0) {
		err = add_line(&lines, &folding, tree, base);
		*ret_line = lines.number;
	}
	free(lines.line);
	if (!err && folding.nr_others)
		fprintf(stderr, "Note: '%s': %zu %s without a number at the end left out\n",
			escaped(path), folding.nr_others,
			plural(folding.nr_others, "line", "lines"));
	if (!err && is_first)
		fprintf(stderr, "Note: '%s' has fractions: numbers are thousandths\n",
			escaped(path));
	*ret_err = err ?: got;
	return is_folded;
}

static int describe(struct xp_tree *tree, const char *path)
{
	const struct xp_tree_info info = { .size = sizeof(info), .title = path };

	return xp_tree_describe(tree, &info);
}

/* A profile of pprof, whose bytes are kept; gzip, or a first field that is one of kinds of values.
 */
static bool is_pprof(FILE *file)
{
	int first = fgetc(file), second = fgetc(file);

	rewind(file);
	return (first == 0x1f && second == 0x8b) || first == 0x0a;
}

static int read_pprof(FILE *file, struct xp_tree *tree)
{
	struct stat st;
	size_t size = fstat(fileno(file), &st) ? 0 : (size_t)st.st_size;
	void *bytes = malloc(size + 1);
	int err = !bytes ? -ENOMEM : fread(bytes, 1, size, file) != size ? -EIO : 0;

	if (!err)
		err = xp_tree_add_pprof(tree, bytes, size);
	free(bytes);
	return err;
}

static void report(const char *path, int err, size_t line)
{
	if (err == -ERANGE)
		fprintf(stderr,
			"Error: '%s' has fractions, and the files before it have none; name it first\n",
			escaped(path));
	else if (err == -EXDEV)
		fprintf(stderr,
			"Error: '%s' is a comparison, with two numbers in each line; flamegraph and "
			"export -f html show it, without --diff\n",
			escaped(path));
	else if (err == -EBADMSG && line)
		fprintf(stderr,
			"Error: '%s': line %zu has no call chain with a number of 64 bits\n",
			escaped(path), line);
	else if (err == -EBADMSG)
		fprintf(stderr,
			"Error: '%s' is no profile of pprof, or damaged; a compressed recording "
			"has to be decompressed first\n",
			escaped(path));
	else if (err == -ENOSYS)
		fprintf(stderr, "Error: '%s' is compressed, and libz.so.1 cannot be loaded\n",
			escaped(path));
	else
		fprintf(stderr, "Error: '%s' cannot be read: %s\n", escaped(path), strerror(-err));
}

/* The option that asks for what call chains of other programs do not tell; NULL: none does. */
static const char *filter_of(const struct filter_opts *opts)
{
	const struct {
		const char *option, *value;
	} filters[] = {
		{ "comm", opts->comms },
		{ "pid", opts->pids },
		{ "tid", opts->tids },
		{ "cpu", opts->cpus },
		{ "dso", opts->dsos },
		{ "symbols", opts->symbols },
		{ "time", opts->time },
		{ "switch-on", opts->switch_on },
		{ "switch-off", opts->switch_off },
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (filters[i].value)
			return filters[i].option;
	return NULL;
}

bool tree_is_imported(const char *path)
{
	char bytes[8];

	if (path && !strcmp(path, "-"))
		return !is_recording(bytes, peek(bytes, sizeof(bytes)));
	FILE *file = path ? open_import(path) : NULL;
	bool is_imported = file && (is_pprof(file) || begins_folded(file));

	if (file)
		fclose(file);
	return is_imported;
}

/* Returns false if a file is none that can be read here; else *ret_err is what failed, after a
 * message, or 0. */
static bool import_file(const char *path, struct xp_tree *tree, struct xp_tree *base,
			bool *has_fractions, int *ret_err)
{
	struct stat st;

	if (!path && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		path = "-";
	FILE *file = path ? open_import(path) : NULL;
	bool is_imported = file;
	size_t line = 0;

	*ret_err = file ? describe(tree, path) : 0;
	if (!*ret_err && file && is_pprof(file))
		*ret_err = read_pprof(file, tree);
	else if (file)
		is_imported = read_lines(file, path, tree, base, has_fractions, &line, ret_err);
	if (file)
		fclose(file);
	/* Standard input cannot be read again as something else. */
	if (file && !is_imported && !strcmp(path, "-")) {
		fputs("Error: standard input is no recording, no profile of pprof, and has no "
		      "folded stacks\n",
		      stderr);
		*ret_err = -EINVAL;
		return true;
	}
	if (is_imported && *ret_err)
		report(path, *ret_err, line);
	return is_imported;
}

static int say_alone(const char *path)
{
	fprintf(stderr,
		"Error: '%s' holds no call chains of other programs, of which alone several files "
		"are added up\n",
		escaped(path));
	return -EINVAL;
}

static int import_more(char *const *more, struct xp_tree *tree, struct xp_tree *base,
		       bool *has_fractions)
{
	int err = 0;

	for (; more && *more && !err; more++)
		if (!import_file(*more, tree, base, has_fractions, &err))
			err = say_alone(*more);
	return err;
}

int tree_read(const struct cli *cli, const struct collect_opts *from, struct xp_tree *tree,
	      struct xp_tree *base, bool *ret_failed)
{
	bool has_fractions = false;
	int err;

	bool is_imported = import_file(from->read.input, tree, base, &has_fractions, &err);
	if (!is_imported && !from->more)
		return collect(cli, from, tree, ret_failed);
	if (!is_imported)
		err = say_alone(from->read.input);
	err = err ?: import_more(from->more, tree, base, &has_fractions);
	const char *filter = filter_of(&from->read.filter);
	if (!err && filter) {
		fprintf(stderr,
			"Error: --%s: '%s' holds call chains without their samples, which cannot be "
			"chosen from\n",
			filter, escaped(from->read.input));
		err = -EINVAL;
	}
	*ret_failed = err;
	return err ? EXIT_FAILED : 0;
}
