/* SPDX-License-Identifier: MIT */
/* Functions by patterns: the symbols of each file that match, and the ends of each function; those
 * of the kernel as it describes them. */
#include "function-places.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>

#include "bpf.h"
#include "cleanup.h"
#include "demangle.h"
#include "elf-file.h"
#include "glob.h"
#include "search.h"
#include "vec.h"

/* No function that a compiler makes is larger; nor is so much memory taken for a damaged file. */
enum { FUNCTION_BYTES_MAX = 4 << 20 };

/* What the compiler has put elsewhere, as it is unlikely: "NAME.cold". */
struct cold {
	uint64_t address, size;
};

/* One file of one pattern. */
struct search {
	struct function_places *places;
	struct xp_elf *elf;
	struct decoder *decoder; /* NULL: @state says why */
	enum function_ends_state state;
	struct demangler demangler;
	const char *glob;
	size_t glob_len;
	int file;
	struct cold *colds; /* by address */
	size_t nr_colds;
};

/* --- symbols --- */

static int add_cold(struct search *s, const struct xp_symbol *symbol)
{
	int err = vec_add(&s->colds, s->nr_colds, sizeof(*s->colds));

	if (!err)
		s->colds[s->nr_colds++] = (struct cold){ symbol->address, symbol->size };
	return err;
}

/* Takes @name, which may be NULL: out of memory. */
static int add_function(struct search *s, const struct xp_symbol *symbol, char *name)
{
	struct function_places *places = s->places;

	if (!name || vec_add(&places->at, places->nr, sizeof(*places->at))) {
		free(name);
		return -ENOMEM;
	}
	places->at[places->nr++] = (struct function_place){
		.name = name,
		.file = s->file,
		.address = symbol->address,
		.size = symbol->size,
	};
	return 0;
}

static bool matches(const struct search *s, const char *name)
{
	return name && xp_glob_match(s->glob, s->glob_len, name);
}

static int look_at(const struct xp_elf_symbol *found, void *data)
{
	struct search *s = data;
	const struct xp_symbol *symbol = &found->symbol;
	size_t len = strcspn(symbol->name, "@");

	if (symbol->type != XP_SYMBOL_FUNCTION || found->is_undefined || found->is_ifunc ||
	    !found->is_code)
		return 0;
	if (strstr(symbol->name, ".cold"))
		return add_cold(s, symbol);
	xp_auto_free char *name = strndup(symbol->name, len);
	xp_auto_free char *shown = xp_demangle(&s->demangler, symbol->name, len);
	if (!name)
		return -ENOMEM;
	if (!matches(s, name) && !matches(s, shown))
		return 0;
	return add_function(s, symbol, strdup(shown ? shown : name));
}

static int by_address(const void *a, const void *b)
{
	const struct cold *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int cold_before(const void *element, const void *key)
{
	return ((const struct cold *)element)->address <= *(const uint64_t *)key ? -1 : 1;
}

static int read_symbols(struct search *s, const char *path, struct xp_diag *diag)
{
	enum xp_elf_table table =
		xp_elf_has_symbols(s->elf, XP_ELF_SYMTAB) ? XP_ELF_SYMTAB : XP_ELF_DYNSYM;
	size_t before = s->places->nr;
	int err = xp_elf_symbols(s->elf, table, look_at, s);

	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	if (s->places->nr == before)
		return xp_diag_set(diag, -ENODATA, "No function of '%s' matches '%.*s'%s", path,
				   (int)s->glob_len, s->glob,
				   table == XP_ELF_DYNSYM ? ": it is stripped, and only what it "
							    "exports has names"
							  : "");
	if (s->nr_colds)
		qsort(s->colds, s->nr_colds, sizeof(*s->colds), by_address);
	return 0;
}

/* --- ends --- */

/* The unlikely part that an address is in; NULL: in none. Nothing but its function jumps there. */
static const struct cold *find_cold(const struct search *s, uint64_t address)
{
	size_t nr = search_before(&address, s->colds, s->nr_colds, sizeof(*s->colds), cold_before);
	const struct cold *cold = nr ? &s->colds[nr - 1] : NULL;

	return cold && address - cold->address < cold->size ? cold : NULL;
}

static uint8_t *read_code(const struct search *s, uint64_t address, uint64_t size)
{
	uint64_t offset;
	bool is_executable;
	uint8_t *bytes = size && size <= FUNCTION_BYTES_MAX ? malloc(size) : NULL;

	if (bytes && (xp_elf_offset(s->elf, address, &offset, &is_executable) ||
		      xp_elf_read(s->elf, offset, bytes, size) != size)) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

static int find_in(const struct search *s, const struct code_part *parts, size_t nr_parts,
		   struct function_ends *ends)
{
	xp_function_ends_fini(ends);
	return xp_function_ends(s->decoder, parts, nr_parts, ends);
}

/* Its own bytes, and where these jump to what the compiler has put elsewhere, that too. */
static int look_for_ends(const struct search *s, const struct function_place *place,
			 struct function_ends *ends)
{
	xp_auto_free uint8_t *bytes = read_code(s, place->address, place->size);
	struct code_part parts[2] = { { bytes, place->size, place->address } };
	int err;

	if (!bytes || !s->decoder) {
		ends->state = !bytes ? FUNCTION_ENDS_NO_SIZE : s->state;
		return 0;
	}
	err = find_in(s, parts, 1, ends);
	const struct cold *cold =
		!err && ends->state == FUNCTION_ENDS_LEFT ? find_cold(s, ends->left_to) : NULL;
	xp_auto_free uint8_t *more = cold ? read_code(s, cold->address, cold->size) : NULL;
	if (!more)
		return err;
	parts[1] = (struct code_part){ more, cold->size, cold->address };
	return find_in(s, parts, 2, ends);
}

/* From addresses to offsets in the file. */
static int note_ends(const struct search *s, struct function_place *place,
		     struct function_ends *ends)
{
	bool is_executable;
	int err = 0;

	for (size_t i = 0; i < ends->nr && !err; i++)
		err = xp_elf_offset(s->elf, ends->at[i], &ends->at[i], &is_executable);
	if (err)
		return err;
	place->state = ends->state;
	place->repeats = ends->repeats;
	place->ends = ends->at;
	place->nr_ends = ends->nr;
	*ends = (struct function_ends){ 0 };
	return 0;
}

static int find_ends(const struct search *s, struct function_place *place)
{
	struct function_ends ends = { 0 };
	bool is_executable;
	int err = xp_elf_offset(s->elf, place->address, &place->offset, &is_executable);

	err = err ?: look_for_ends(s, place, &ends) ?: note_ends(s, place, &ends);
	xp_function_ends_fini(&ends);
	return err;
}

static void open_decoder(struct search *s)
{
	const struct xp_disasm_opts opts = { .size = sizeof(opts), .machine = EM_X86_64 };

	s->state = FUNCTION_ENDS_OTHER_MACHINE;
	if (xp_elf_facts(s->elf).machine == EM_X86_64 && xp_decoder_open(&opts, &s->decoder, NULL))
		s->state = FUNCTION_ENDS_NO_DECODER;
}

/* --- all of them --- */

/* Of functions that have several names, the first is kept. */
static int by_place(const void *a, const void *b)
{
	const struct function_place *x = a, *y = b;

	if (x->file != y->file)
		return x->file - y->file;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_double(const struct function_place *a, const struct function_place *b)
{
	return a->file == b->file && a->address == b->address &&
	       (!a->in_kernel || !strcmp(a->name, b->name));
}

static void drop_doubles(struct function_places *places)
{
	size_t nr = 0;

	qsort(places->at, places->nr, sizeof(*places->at), by_place);
	for (size_t i = 0; i < places->nr; i++) {
		struct function_place *place = &places->at[i],
				      *last = nr ? &places->at[nr - 1] : NULL;

		if (last && is_double(last, place)) {
			free(place->name);
			free(place->ends);
		} else {
			places->at[nr++] = *place;
		}
	}
	places->nr = nr;
}

static int file_number(struct function_places *places, const char *path)
{
	for (int i = 0; i < places->files.nr; i++)
		if (!strcmp(places->files.at[i], path))
			return i;
	return xp_names_add(&places->files, path) ?: places->files.nr - 1;
}

static void end_search(struct search *s)
{
	free(s->colds);
	xp_demangler_fini(&s->demangler);
	xp_decoder_close(s->decoder);
	xp_elf_close(s->elf);
}

static int search_file(struct function_places *places, const char *path, const char *glob,
		       size_t glob_len, struct xp_diag *diag)
{
	struct search s = { .places = places, .glob = glob, .glob_len = glob_len };
	size_t before = places->nr;
	int err = xp_elf_open(path, &s.elf, diag);

	if (err)
		return err;
	xp_demangler_init(&s.demangler);
	open_decoder(&s);
	s.file = file_number(places, path);
	err = s.file < 0 ? s.file : read_symbols(&s, path, diag);
	for (size_t i = before; i < places->nr && !err; i++)
		err = find_ends(&s, &places->at[i]);
	end_search(&s);
	return err;
}

/* --- the kernel --- */

struct kernel_search {
	struct function_places *places;
	const char *glob;
	size_t glob_len;
};

/* "kernel", or "[MODULE]" as perf names them */
static int kernel_file(struct function_places *places, const char *module)
{
	xp_auto_free char *name = NULL;

	if (!module)
		return file_number(places, "kernel");
	if (asprintf(&name, "[%s]", module) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	return file_number(places, name);
}

static int look_at_kernel(void *data, const struct xp_bpf_function *function)
{
	const struct kernel_search *s = data;
	struct function_places *places = s->places;

	if (!xp_glob_match(s->glob, s->glob_len, function->name))
		return 0;
	int file = kernel_file(places, function->module);
	char *name = file < 0 ? NULL : strdup(function->name);
	if (!name || vec_add(&places->at, places->nr, sizeof(*places->at))) {
		free(name);
		return -ENOMEM;
	}
	places->at[places->nr++] = (struct function_place){
		.name = name,
		.file = file,
		.in_kernel = true,
		.type = function->type,
		.btf = function->btf,
	};
	return 0;
}

static int search_kernel(struct function_places *places, struct xp_bpf *bpf, const char *glob,
			 size_t glob_len, struct xp_diag *diag)
{
	struct kernel_search s = { places, glob, glob_len };
	size_t before = places->nr;
	int err = xp_bpf_each_function(bpf, look_at_kernel, &s);

	if (err == -ENOMEM)
		return err;
	if (err) {
		xp_diag_set(
			diag, -EOPNOTSUPP,
			"Functions of the kernel cannot be counted: it does not describe them (BTF)");
		xp_diag_hint(diag, "use a kernel with CONFIG_DEBUG_INFO_BTF=y");
		return -EOPNOTSUPP;
	}
	if (places->nr == before)
		return xp_diag_set(diag, -ENODATA, "No function of the kernel matches '%.*s'",
				   (int)glob_len, glob);
	return 0;
}

/* --- patterns --- */

/* Where the glob of "FILE:GLOB" begins; "::" is part of a name. */
static size_t glob_at(const char *pattern, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (pattern[i] != ':')
			continue;
		if (i + 1 < len && pattern[i + 1] == ':')
			i++;
		else
			return i + 1;
	}
	return 0;
}

/* "kernel:GLOB"; "kernel::f" is the name of a function. */
static bool is_of_kernel(const char *pattern, size_t len)
{
	static const char kernel[] = "kernel:";

	return glob_at(pattern, len) == strlen(kernel) && !strncmp(pattern, kernel, strlen(kernel));
}

static int find_pattern(struct xp_bpf *bpf, struct function_places *places, const char *pattern,
			size_t len, const char *program, struct xp_diag *diag)
{
	size_t at = glob_at(pattern, len);
	xp_auto_free char *path = at ? strndup(pattern, at - 1) : program ? strdup(program) : NULL;

	if (!path && (at || program))
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	if (!path) {
		xp_diag_set(diag, -EINVAL, "The pattern '%.*s' names no file", (int)len, pattern);
		xp_diag_hint(diag, "write FILE:FUNCTION, such as /usr/lib/libfoo.so:foo_*");
		return -EINVAL;
	}
	if (at == len)
		return xp_diag_set(diag, -EINVAL, "'%.*s' names no function", (int)len, pattern);
	if (is_of_kernel(pattern, len))
		return search_kernel(places, bpf, pattern + at, len - at, diag);
	return search_file(places, path, pattern + at, len - at, diag);
}

static size_t pattern_len(const char *patterns)
{
	return strcspn(patterns, ",");
}

bool xp_function_patterns_have_kernel(const char *patterns)
{
	bool have = false;

	while (*patterns && !have) {
		size_t len = pattern_len(patterns);

		have = is_of_kernel(patterns, len);
		patterns += len + (patterns[len] == ',');
	}
	return have;
}

int xp_function_places_find(struct xp_bpf *bpf, struct function_places *places,
			    const char *patterns, const char *program, struct xp_diag *diag)
{
	int err = 0;

	while (*patterns && !err) {
		size_t len = pattern_len(patterns);

		if (len)
			err = find_pattern(bpf, places, patterns, len, program, diag);
		patterns += len + (patterns[len] == ',');
	}
	if (!err && !places->nr)
		err = xp_diag_set(diag, -ENODATA, "No function is named");
	if (err == -ENOMEM)
		xp_diag_set(diag, err, "Out of memory");
	if (!err)
		drop_doubles(places);
	return err;
}

void xp_function_places_fini(struct function_places *places)
{
	for (size_t i = 0; i < places->nr; i++) {
		free(places->at[i].name);
		free(places->at[i].ends);
	}
	free(places->at);
	xp_names_fini(&places->files);
}

size_t xp_function_places_probes(const struct function_places *places)
{
	size_t nr = places->nr;

	for (size_t i = 0; i < places->nr; i++)
		nr += places->at[i].in_kernel ? 1 : places->at[i].nr_ends;
	return nr;
}

bool xp_function_places_have(const struct function_places *places, bool in_kernel)
{
	for (size_t i = 0; i < places->nr; i++)
		if (places->at[i].in_kernel == in_kernel)
			return true;
	return false;
}
