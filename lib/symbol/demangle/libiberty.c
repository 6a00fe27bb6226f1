/* SPDX-License-Identifier: MIT */
/*
 * C++ names through libiberty, which is linked: there is only a static one. Unlike the C++ library,
 * it hands out the text piece by piece and holds nothing on the heap, so that it can be left when
 * the text gets too long.
 *
 * Only cp-demangle.o is linked. It is under the GPL 2 or later, with permission to distribute what
 * it is linked into without any restriction that comes from it.
 *
 * Source: <libiberty/demangle.h>; the head of cp-demangle.c.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "demangle.h"

struct text {
	jmp_buf too_long;
	size_t len;
	char bytes[CXX_MAX_TEXT];
};

void xp_demangler_init(struct demangler *demangler)
{
	*demangler = (struct demangler){ 0 };
}

void xp_demangler_fini(struct demangler *demangler)
{
	(void)demangler;
}

static void add_piece(const char *piece, size_t len, void *data)
{
	struct text *text = data;

	if (len >= sizeof(text->bytes) - text->len)
		longjmp(text->too_long, 1);
	memcpy(text->bytes + text->len, piece, len);
	text->len += len;
}

char *xp_cxx_text(struct demangler *demangler, const char *mangled)
{
	struct text text;

	(void)demangler;
	text.len = 0;
	if (setjmp(text.too_long) ||
	    !cplus_demangle_v3_callback(mangled, DMGL_PARAMS | DMGL_TYPES, add_piece, &text))
		return NULL;
	return strndup(text.bytes, text.len);
}
