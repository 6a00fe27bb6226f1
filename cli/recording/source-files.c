/* SPDX-License-Identifier: MIT */
/* Files of source code, each read once and divided into lines. Names come from debug information,
 * which can name anything. */
#include "source-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "index.h"
#include "vec.h"

struct source {
	char *path;
	char *text;     /* NULL: it cannot be read */
	size_t *starts; /* of the lines */
	size_t nr_lines;
};

struct source_files {
	struct source *at;
	size_t nr;
	struct index by_path;
	uint64_t seed;
};

struct source_files *source_files_new(void)
{
	struct source_files *files = calloc(1, sizeof(*files));

	if (files)
		files->seed = xp_hash_seed();
	return files;
}

void source_files_free(struct source_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->nr; i++) {
		free(files->at[i].path);
		free(files->at[i].text);
		free(files->at[i].starts);
	}
	free(files->at);
	index_fini(&files->by_path);
	free(files);
}

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

static int add_file(struct source_files *files, uint64_t hash, const char *path)
{
	struct source source = { .path = strdup(path) };
	size_t len = 0;
	int err = source.path && !vec_add(&files->at, files->nr, sizeof(*files->at))
			  ? index_add(&files->by_path, hash, files->nr)
			  : -ENOMEM;

	if (err) {
		free(source.path);
		return err;
	}
	source.text = load(path, &len);
	if (source.text)
		err = split(&source, len);
	files->at[files->nr++] = source;
	return err;
}

int source_files_find(struct source_files *files, const char *path, size_t *ret_file)
{
	uint64_t hash = xp_hash_bytes(files->seed, path, strlen(path));

	for (struct index_walk walk = index_walk(&files->by_path, hash);
	     index_next(&walk, ret_file);)
		if (!strcmp(files->at[*ret_file].path, path))
			return 0;
	*ret_file = files->nr;
	return add_file(files, hash, path);
}

const char *source_files_line(const struct source_files *files, size_t file, uint32_t line)
{
	const struct source *source = &files->at[file];

	return line && line <= source->nr_lines ? source->text + source->starts[line - 1] : NULL;
}
