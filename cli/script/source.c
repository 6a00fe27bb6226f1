/* SPDX-License-Identifier: MIT */
/*
 * The source code of the line a sample was at. A thread's line is printed again only after another
 * one. Source of the layout: perf script, 6.1, measured.
 */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index.h"
#include "script.h"
#include "vec.h"

/* A file of source code: names come from files that can name anything. */
struct source {
	char *path;
	char *text;     /* NULL: it cannot be read */
	size_t *starts; /* of the lines, and of what would be the next one */
	size_t nr_lines;
};

/* What was printed last of a thread. */
struct last {
	int32_t tid;
	uint32_t line; /* 0: nothing yet */
	size_t source;
};

struct sources {
	struct source *at;
	size_t nr;
	struct index by_path;
	struct last *last;
	size_t nr_threads;
	struct index by_tid;
	uint64_t seed;
};

struct sources *sources_new(void)
{
	struct sources *sources = calloc(1, sizeof(*sources));

	if (sources)
		sources->seed = xp_hash_seed();
	return sources;
}

void sources_free(struct sources *sources)
{
	if (!sources)
		return;
	for (size_t i = 0; i < sources->nr; i++) {
		free(sources->at[i].path);
		free(sources->at[i].text);
		free(sources->at[i].starts);
	}
	free(sources->at);
	free(sources->last);
	index_fini(&sources->by_path);
	index_fini(&sources->by_tid);
	free(sources);
}

/* --- files --- */

/* Returns the bytes of a regular file; NULL: it cannot be read, or is too large for source code. */
static char *load(const char *path, size_t *ret_len)
{
	enum { LARGEST = 16 << 20 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st = { 0 };
	char *text = NULL;
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= LARGEST)
		text = malloc((size_t)st.st_size + 1);
	while (text && n > 0 && len < (size_t)st.st_size) {
		n = read(fd, text + len, (size_t)st.st_size - len);
		len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	*ret_len = len;
	return text;
}

/* Each line ends with a null byte then. */
static int split(struct source *source, size_t len)
{
	for (size_t at = 0, next; at < len; at = next) {
		char *line = source->text + at, *end = memchr(line, '\n', len - at);

		next = end ? (size_t)(end - source->text) + 1 : len;
		if (vec_add(&source->starts, source->nr_lines, sizeof(*source->starts)))
			return -ENOMEM;
		source->starts[source->nr_lines++] = at;
		source->text[end ? next - 1 : len] = '\0';
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
	}
	return 0;
}

static int add_source(struct sources *sources, uint64_t hash, const char *path)
{
	struct source source = { .path = strdup(path) };
	size_t len = 0;
	int err = source.path && !vec_add(&sources->at, sources->nr, sizeof(*sources->at))
			  ? index_add(&sources->by_path, hash, sources->nr)
			  : -ENOMEM;

	if (err) {
		free(source.path);
		return err;
	}
	source.text = load(path, &len);
	if (source.text)
		err = split(&source, len);
	sources->at[sources->nr++] = source;
	return err;
}

/* Returns 0 with the position of a file, or -ENOMEM. */
static int find_source(struct sources *sources, const char *path, size_t *ret_at)
{
	uint64_t hash = xp_hash_bytes(sources->seed, path, strlen(path));

	for (struct index_walk walk = index_walk(&sources->by_path, hash);
	     index_next(&walk, ret_at);)
		if (!strcmp(sources->at[*ret_at].path, path))
			return 0;
	*ret_at = sources->nr;
	return add_source(sources, hash, path);
}

/* Returns NULL without memory. */
static struct last *last_of(struct sources *sources, int32_t tid)
{
	uint64_t hash = xp_hash_word(sources->seed, (uint32_t)tid);
	size_t at;

	for (struct index_walk walk = index_walk(&sources->by_tid, hash); index_next(&walk, &at);)
		if (sources->last[at].tid == tid)
			return &sources->last[at];
	if (vec_add(&sources->last, sources->nr_threads, sizeof(*sources->last)) ||
	    index_add(&sources->by_tid, hash, sources->nr_threads))
		return NULL;
	sources->last[sources->nr_threads] = (struct last){ .tid = tid };
	return &sources->last[sources->nr_threads++];
}

/* --- printing --- */

static int show_line(struct script *script, int32_t tid, const struct xp_line *line)
{
	struct sources *sources = script->sources;
	struct last *last = last_of(sources, tid);
	size_t at;
	int err = last ? find_source(sources, line->file, &at) : -ENOMEM;
	char number[16];

	if (err || (last->line == line->line && last->source == at))
		return err;
	const struct source *source = &sources->at[at];
	if (!line->line || line->line > source->nr_lines)
		return 0;
	snprintf(number, sizeof(number), "|%-8u ", (unsigned int)line->line);
	sink_text(&script->out, number);
	sink_tabbed(&script->out, source->text + source->starts[line->line - 1]);
	sink_char(&script->out, '\n');
	*last = (struct last){ .tid = tid, .line = line->line, .source = at };
	return 0;
}

int source_show(struct script *script, const struct where *where, int32_t tid)
{
	struct xp_frame frame = { .size = sizeof(frame) };
	const struct xp_line *lines;

	if (xp_resolver_frame(script->rec->resolver, where->pid, where->mode, where->ip, false,
			      where->time_ns, &frame))
		return -ENOMEM;
	int nr = xp_frame_lines(&frame, false, &lines);
	return nr > 0 && lines[0].file ? show_line(script, tid, &lines[0]) : nr < 0 ? nr : 0;
}
