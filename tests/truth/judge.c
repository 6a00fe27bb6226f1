/* SPDX-License-Identifier: MIT
 *
 * Compares the call chains that a script command printed with files of truth (truth.c):
 *
 *	judge [-s BYTES] [-c] [-a] [-v] SYMBOLS DIRECTORY <OUTPUT
 *
 * OUTPUT has the fields tid,addr,ip,dso. SYMBOLS has lines PATH ADDRESS SIZE NAME, of the programs
 * before they were stripped. Addresses of frames may be as they ran or offsets in their files. For
 * each point:
 *
 *	right	all frames, up to where the dump of BYTES reaches; beyond, whatever is there is
 *right short	ends before, and all frames that there are are right wrong	a frame that cannot
 *be none	no sample of the point
 *
 * With -c, samples are those of the clock: the chain of each is one that a point has, from the
 *first function on that points know. With -a, one without such a function is short, too, if it does
 *not end where a program starts. -v prints each chain that is not right. The exit status is 1
 *if one is wrong, 2 if one is short or missing.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>

#define MAX_FRAMES   4096
#define MAX_ELEMENTS 1100
#define MAX_IMAGES   16
/* More than libc has between a function and what that calls back. */
#define MAX_FOREIGN 64

struct symbol {
	const char *path;
	uint64_t address, size;
	char *name;
};

struct module {
	uint64_t bias;
	char *path;
};

struct map {
	uint64_t from, to, offset;
	char *path;
};

struct element {
	char kind[3];
	uint64_t address, pc, need;
};

struct image;

enum result { NONE, RIGHT, SHORT, WRONG, NR_RESULTS };
static const char *const result_names[] = { "none", "right", "short", "wrong" };

struct point {
	struct image *image;
	char *name, *start;
	uint64_t page, sp;
	struct element *elements;
	int nr_elements;
	enum result result;
};

/* One process, from one exec to the next. */
struct image {
	struct module modules[64];
	struct map maps[64];
	int nr_modules, nr_maps;
};

struct frame {
	uint64_t address;
	char *path;
};

static struct symbol *symbols;
static size_t nr_symbols;
static struct point *points;
static size_t nr_points;
static struct image images[MAX_IMAGES];
static int nr_images;
static uint64_t dump_bytes = 65528;
static bool all, verbose;

static void *grown(void *array, size_t nr, size_t size)
{
	/* At each power of two. */
	if (nr & (nr - 1))
		return array;
	array = realloc(array, (nr ? 2 * nr : 1) * size);
	if (!array)
		abort();
	return array;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void load_symbols(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[8192], of[1024], name[4096];
	unsigned long address, size;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%1023s %lx %lx %4095s", of, &address, &size, name) != 4)
			continue;
		symbols = grown(symbols, nr_symbols, sizeof(*symbols));
		symbols[nr_symbols++] =
			(struct symbol){ strdup(base_name(of)), address, size, strdup(name) };
	}
	if (!file || fclose(file)) {
		perror(path);
		exit(3);
	}
}

static void parse_point(struct image *image, char *line)
{
	char *rest, *word = strtok_r(line, " \n", &rest);
	struct point point = { .image = image, .name = strdup(word) };
	struct element elements[MAX_ELEMENTS];

	point.page = strtoull(strtok_r(NULL, " \n", &rest), NULL, 16);
	point.sp = strtoull(strtok_r(NULL, " \n", &rest), NULL, 16);
	point.start = strdup(strtok_r(NULL, " \n", &rest));
	while ((word = strtok_r(NULL, " \n", &rest)) && point.nr_elements < MAX_ELEMENTS) {
		struct element *e = &elements[point.nr_elements++];
		unsigned long numbers[3] = { 0 };
		char *colon = strchr(word, ':');

		memset(e, 0, sizeof(*e));
		memcpy(e->kind, word, (size_t)(colon - word) < 3 ? (size_t)(colon - word) : 2);
		for (int i = 0; i < 3 && colon; i++, colon = strchr(colon + 1, ':'))
			numbers[i] = strtoull(colon + 1, NULL, 16);
		e->address = numbers[0];
		e->pc = numbers[1] ? numbers[1] : numbers[0];
		e->need = numbers[2];
	}
	point.elements = malloc(sizeof(*elements) * (size_t)point.nr_elements);
	memcpy(point.elements, elements, sizeof(*elements) * (size_t)point.nr_elements);
	points = grown(points, nr_points, sizeof(*points));
	points[nr_points++] = point;
}

static void load_truth(const char *path)
{
	static char line[1 << 18];
	struct image *image = &images[nr_images++];
	FILE *file = fopen(path, "r");
	unsigned long from, to, offset;
	char of[4096];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "bias %lx %4095[^\n]", &from, of) == 2 && image->nr_modules < 64)
			image->modules[image->nr_modules++] = (struct module){ from, strdup(of) };
		else if (sscanf(line, "map %lx %lx %lx %4095[^\n]", &from, &to, &offset, of) == 4 &&
			 image->nr_maps < 64)
			image->maps[image->nr_maps++] =
				(struct map){ from, to, offset, strdup(of) };
		else if (strncmp(line, "point ", 6) == 0)
			parse_point(image, line + 6);
	}
	if (file)
		fclose(file);
}

static void load_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	char file[4096];

	while (directory && (entry = readdir(directory)))
		if (strncmp(entry->d_name, "truth.", 6) == 0 && nr_images < MAX_IMAGES) {
			snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
			load_truth(file);
		}
	if (directory)
		closedir(directory);
}

static const struct map *map_of(const struct image *image, uint64_t address)
{
	for (int i = 0; i < image->nr_maps; i++)
		if (address >= image->maps[i].from && address < image->maps[i].to)
			return &image->maps[i];
	return NULL;
}

/* Also those that were deleted since, or that are in no directory. */
static bool same_file(const char *map, const char *printed)
{
	const char *a = base_name(map), *b = base_name(printed);
	const size_t len = strcspn(a, " ");

	return len == strcspn(b, " ") && strncmp(a, b, len) == 0;
}

/* Where a frame was when the program ran, whatever was printed. */
static uint64_t as_it_ran(const struct image *image, const struct frame *frame)
{
	if (map_of(image, frame->address))
		return frame->address;
	for (int i = 0; i < image->nr_maps; i++) {
		const struct map *map = &image->maps[i];

		if (same_file(map->path, frame->path) && frame->address >= map->offset &&
		    frame->address - map->offset < map->to - map->from)
			return frame->address - map->offset + map->from;
	}
	return frame->address;
}

static uint64_t bias_of(const struct image *image, const struct map *map)
{
	for (int i = 0; i < image->nr_modules; i++)
		if (same_file(map->path, image->modules[i].path))
			return image->modules[i].bias;
	return image->nr_modules ? image->modules[0].bias : 0; /* the program itself */
}

/* The function at an address, of those programs whose symbols are known. */
static const struct symbol *function_at(const struct image *image, uint64_t address)
{
	const struct map *map = map_of(image, address);
	uint64_t bias = map ? bias_of(image, map) : 0;
	bool own;

	if (!map)
		return NULL;
	own = bias == images[image - images].modules[0].bias;
	for (size_t i = 0; i < nr_symbols; i++) {
		const struct symbol *s = &symbols[i];

		if (address - bias >= s->address && address - bias - s->address < s->size &&
		    (strcmp(s->path, "main") == 0 ? own : same_file(map->path, s->path)))
			return s;
	}
	return NULL;
}

/* Compilers divide functions, and make copies: name.cold, name.constprop.0. */
static size_t name_len(const struct symbol *s)
{
	const char *dot = strstr(s->name, ".cold");

	return dot ? (size_t)(dot - s->name) : strlen(s->name);
}

static bool same_function(const struct symbol *a, const struct symbol *b)
{
	return a && b && name_len(a) == name_len(b) && strncmp(a->name, b->name, name_len(a)) == 0;
}

struct chain {
	const struct image *image;
	uint64_t addresses[MAX_FRAMES];
	int nr;
};

static bool is_at(uint64_t frame, uint64_t address)
{
	/* Callers are printed as the address of the call's last byte, or after the call. */
	return frame == address || frame == address - 1;
}

static enum result any_point(const struct chain *chain, int at);

/* How a chain may go on where all that the functions of the program know was right. */
static enum result judge_start(const struct chain *chain, int at, const char *start)
{
	int nr_more = chain->nr - at;
	const struct symbol *last;

	/* What std::thread is made of, when it is not optimized. */
	if (strcmp(start, "-") == 0)
		return nr_more > 12 ? WRONG : RIGHT;
	if (nr_more > 5)
		return WRONG;
	last = function_at(chain->image, chain->addresses[chain->nr - 1]);
	return last && strcmp(last->name, start) == 0 ? RIGHT : SHORT;
}

/* The element that a short chain does not have. */
static int ended_at;

/* From element @i, whose frame is at @at if it is in the chain. */
static enum result judge_from(const struct chain *chain, int at, const struct point *point, int i)
{
	for (; i < point->nr_elements; i++, at++) {
		const struct element *e = &point->elements[i], *before = e - 1;
		int nr_foreign = 0;

		if (e->kind[0] == 's')
			return any_point(chain, at - 1);
		/* A function that this program knows called; or others are between. */
		if (e->kind[0] != 'x' && before->kind[0] != 'b' &&
		    !same_function(function_at(chain->image, before->address),
				   function_at(chain->image, e->pc)))
			while (at < chain->nr && nr_foreign < MAX_FOREIGN &&
			       !is_at(chain->addresses[at], e->address)) {
				at++;
				nr_foreign++;
			}
		ended_at = i;
		if (at >= chain->nr)
			return SHORT;
		if (!is_at(chain->addresses[at], e->address))
			return WRONG;
	}
	ended_at = 0;
	return judge_start(chain, at, point->start);
}

/* The first element that a dump does not reach. */
static int nr_reached(const struct point *point)
{
	for (int i = 1; i < point->nr_elements; i++) {
		const struct element *e = &point->elements[i];

		if (e->kind[0] != 's' && (e->need < point->sp || e->need - point->sp > dump_bytes))
			return i;
	}
	return MAX_ELEMENTS;
}

static enum result judge_point(const struct chain *chain, const struct point *point)
{
	const struct symbol *first = function_at(chain->image, point->elements[0].address);
	enum result result;
	int at = 0;

	if (!chain->nr)
		return SHORT;
	/* What the function called was interrupted, elsewhere. */
	if (point->elements[0].kind[0] == 'b')
		while (at < chain->nr && at < MAX_FOREIGN &&
		       !same_function(function_at(chain->image, chain->addresses[at]), first))
			at++;
	if (at == chain->nr)
		return SHORT;
	if (first && !same_function(function_at(chain->image, chain->addresses[at]), first))
		return WRONG;
	result = judge_from(chain, at + 1, point, 1);
	return result == SHORT && ended_at >= nr_reached(point) ? RIGHT : result;
}

/* Its chain ends with that of another point. */
static bool is_open(const struct point *point)
{
	return point->elements[point->nr_elements - 1].kind[0] == 's';
}

static enum result better(enum result a, enum result b)
{
	return a == NONE || (b != NONE && b < a) ? b : a;
}

/* Of all elements in the function of the frame @at, the one that the chain fits best. */
static enum result judge_within(const struct chain *chain, int at, const struct point *point,
				const struct symbol *function)
{
	enum result best = NONE;

	if (point->image != chain->image || is_open(point))
		return NONE;
	for (int i = 0; i < point->nr_elements && best != RIGHT; i++)
		if (same_function(function_at(chain->image, point->elements[i].address), function))
			best = better(best, judge_from(chain, at + 1, point, i + 1));
	return best;
}

/*
 * A chain that begins anywhere. The first frame in a function that points know is at one of their
 * elements, and the rest of the chain is that of the point.
 */
static enum result any_point(const struct chain *chain, int at)
{
	enum result best = NONE;
	const struct symbol *first = NULL;

	for (; at < chain->nr; at++) {
		first = function_at(chain->image, chain->addresses[at]);
		if (!first)
			continue;
		for (size_t i = 0; i < nr_points && best != RIGHT; i++)
			best = better(best, judge_within(chain, at, &points[i], first));
		if (best != NONE)
			return best;
	}
	return NONE;
}

static struct point *point_of(uint64_t page)
{
	for (size_t i = 0; i < nr_points; i++)
		if (page - points[i].page < 4096)
			return &points[i];
	return NULL;
}

static void show(const char *name, enum result result, const struct chain *chain,
		 const struct point *point)
{
	printf("%s: %s\n", name, result_names[result]);
	for (int i = 0; i < chain->nr || (point && i < point->nr_elements); i++) {
		const struct symbol *s =
			i < chain->nr ? function_at(chain->image, chain->addresses[i]) : NULL;

		printf("    %16lx %-40s", i < chain->nr ? chain->addresses[i] : 0,
		       s ? s->name : "");
		if (point && i < point->nr_elements) {
			const struct symbol *t =
				function_at(chain->image, point->elements[i].address);

			printf(" %s %lx %s", point->elements[i].kind, point->elements[i].address,
			       t ? t->name : "");
		}
		printf("\n");
		if (i > 40)
			break;
	}
}

static int counts[NR_RESULTS];

/* Before main() there is nothing that points know. */
static bool is_from_start(const struct chain *chain, const struct frame *last)
{
	const struct symbol *s = function_at(chain->image, chain->addresses[chain->nr - 1]);

	return (s && strcmp(s->name, "_start") == 0) ||
	       strncmp(base_name(last->path), "ld-", 3) == 0;
}

static void judge(const struct frame *frames, int nr, uint64_t page, bool of_clock)
{
	static struct chain chain;
	struct point *point = of_clock ? NULL : point_of(page);
	enum result result;

	if (!nr_images || (!point && !of_clock))
		return;
	chain.image = point ? point->image : &images[0];
	/* perf 6.1 prints -1 where it could not go on. */
	chain.nr = nr - (nr && frames[nr - 1].address == UINT64_MAX);
	for (int i = 0; i < chain.nr; i++)
		chain.addresses[i] = as_it_ran(chain.image, &frames[i]);
	result = point ? judge_point(&chain, point) : any_point(&chain, 0);
	if (result == NONE && all && (!chain.nr || !is_from_start(&chain, &frames[chain.nr - 1])))
		result = SHORT;
	if (point)
		point->result = result;
	else
		counts[result]++;
	if (verbose && result != RIGHT && (point || result != NONE))
		show(point ? point->name : "sample", result, &chain, point);
}

/* The header of a sample has the address that is none of a frame; frames are indented by a tab. */
static void read_output(bool of_clock)
{
	static struct frame frames[MAX_FRAMES];
	static char line[1 << 16];
	unsigned long tid, address, page = 0;
	char path[4096];
	bool is_sample = false;
	int nr = 0;

	while (fgets(line, sizeof(line), stdin)) {
		if (line[0] == '\t') {
			if (sscanf(line, " %lx (%4095[^)]", &address, path) == 2 &&
			    nr < MAX_FRAMES) {
				if (!frames[nr].path || strcmp(frames[nr].path, path) != 0) {
					free(frames[nr].path);
					frames[nr].path = strdup(path);
				}
				frames[nr++].address = address;
			}
			continue;
		}
		if (is_sample && line[0] == '\n') {
			judge(frames, nr, page, of_clock);
			is_sample = false;
		}
		if (sscanf(line, " %lu %lx", &tid, &page) == 2) {
			is_sample = true;
			nr = 0;
		}
	}
	if (is_sample)
		judge(frames, nr, page, of_clock);
}

/* Points of the same name count together, in the order of their first one. */
static void print_points(void)
{
	for (size_t i = 0; i < nr_points; i++) {
		int of[NR_RESULTS] = { 0 };
		bool is_first = true;

		for (size_t j = 0; j < nr_points; j++) {
			if (strcmp(points[i].name, points[j].name) != 0)
				continue;
			is_first = is_first && j >= i;
			of[points[j].result]++;
		}
		counts[points[i].result]++;
		if (is_first)
			printf("%-34s %5d %5d %5d %5d\n", points[i].name, of[RIGHT], of[SHORT],
			       of[WRONG], of[NONE]);
	}
}

int main(int argc, char **argv)
{
	bool of_clock = false;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "-s") == 0 && i + 1 < argc)
			dump_bytes = strtoull(argv[++i], NULL, 0);
		of_clock |= strcmp(argv[i], "-c") == 0;
		all |= strcmp(argv[i], "-a") == 0;
		verbose |= strcmp(argv[i], "-v") == 0;
	}
	if (argc - i != 2) {
		fprintf(stderr,
			"usage: judge [-s BYTES] [-c] [-a] [-v] SYMBOLS DIRECTORY <OUTPUT\n");
		return 3;
	}
	load_symbols(argv[i]);
	load_directory(argv[i + 1]);
	read_output(of_clock);
	printf("%-34s %5s %5s %5s %5s\n", "", "right", "short", "wrong", "none");
	if (!of_clock)
		print_points();
	printf("%-34s %5d %5d %5d %5d\n", of_clock ? "all samples" : "all points", counts[RIGHT],
	       counts[SHORT], counts[WRONG], counts[NONE]);
	if (counts[WRONG])
		return 1;
	return counts[SHORT] || (counts[NONE] && !of_clock) || !counts[RIGHT] ? 2 : 0;
}
