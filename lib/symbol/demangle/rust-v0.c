/* SPDX-License-Identifier: MIT */
/*
 * Rust's v0 scheme: a grammar whose parts are marked by one letter each and may refer back to what
 * was there before. Hashes of crates are left out, as perf does.
 *
 * A name may refer back to itself many times over: both its depth and its length are bounded.
 *
 * Source: Rust RFC 2603, "Rust Symbol Mangling (v0)".
 */
#include <stdio.h>
#include <string.h>

#include "rust-parser.h"
#include "rust.h"

/* What is shown where there may be values and where there are types. */
enum place { AMONG_VALUES, AMONG_TYPES };

static void show_path(struct rust_parser *p, enum place place);
static void show_type(struct rust_parser *p);
static void show_const(struct rust_parser *p);

/* Shows what was there before, at the position that stands here. */
static void show_back(struct rust_parser *p, void (*what)(struct rust_parser *p))
{
	const char *mark = p->at - 1;
	uint64_t position = xp_rust_base62(p);

	p->is_bad |= position >= (uint64_t)(mark - p->start);
	if (p->is_bad || p->nr_silent)
		return;
	const char *here = p->at;
	p->at = p->start + position;
	what(p);
	p->at = here;
}

static void show_path_of_values(struct rust_parser *p)
{
	show_path(p, AMONG_VALUES);
}

static void show_path_of_types(struct rust_parser *p)
{
	show_path(p, AMONG_TYPES);
}

/* "N", a namespace, what it is in, its name. Only closures and the like have one to be shown. */
static void show_nested(struct rust_parser *p, enum place place)
{
	char space = xp_rust_next(p);

	show_path(p, place);
	uint64_t nth = xp_rust_marked_number(p, 's');
	struct rust_name name = xp_rust_plain_name(p);
	if (space >= 'a' && space <= 'z') {
		if (name.len) {
			xp_rust_put(p, "::");
			xp_rust_show_name(p, &name);
		}
		return;
	}
	p->is_bad |= space < 'A' || space > 'Z';
	xp_rust_put(p, "::{");
	if (space == 'C')
		xp_rust_put(p, "closure");
	else if (space == 'S')
		xp_rust_put(p, "shim");
	else
		xp_rust_show(p, &space, 1);
	if (name.len) {
		xp_rust_put(p, ":");
		xp_rust_show_name(p, &name);
	}
	xp_rust_put(p, "#");
	xp_rust_put_number(p, nth);
	xp_rust_put(p, "}");
}

/* The path of an implementation only distinguishes it. */
static void pass_impl(struct rust_parser *p)
{
	xp_rust_marked_number(p, 's');
	p->nr_silent++;
	show_path(p, AMONG_VALUES);
	p->nr_silent--;
}

static void show_lifetime(struct rust_parser *p, uint64_t lifetime)
{
	if (!lifetime) {
		xp_rust_put(p, "'_");
		return;
	}
	p->is_bad |= lifetime > p->nr_lifetimes;
	uint64_t depth = p->is_bad ? 0 : p->nr_lifetimes - lifetime;
	char letter = (char)('a' + depth % 26);
	xp_rust_put(p, "'");
	if (depth < 26) {
		xp_rust_show(p, &letter, 1);
	} else {
		xp_rust_put(p, "_");
		xp_rust_put_number(p, depth);
	}
}

static void show_argument(struct rust_parser *p)
{
	if (xp_rust_eat(p, 'L'))
		show_lifetime(p, xp_rust_base62(p));
	else if (xp_rust_eat(p, 'K'))
		show_const(p);
	else
		show_type(p);
}

/* Shows what is there up to an E, with commas. Returns how many there are. */
static size_t show_list(struct rust_parser *p, void (*what)(struct rust_parser *p),
			const char *between)
{
	size_t nr = 0;

	for (; !p->is_bad && !xp_rust_eat(p, 'E'); nr++) {
		if (nr)
			xp_rust_put(p, between);
		what(p);
	}
	return nr;
}

/* "<T>" or "<T as Trait>" */
static void show_self(struct rust_parser *p, char kind)
{
	if (kind != 'Y')
		pass_impl(p);
	xp_rust_put(p, "<");
	show_type(p);
	if (kind != 'M') {
		xp_rust_put(p, " as ");
		show_path(p, AMONG_TYPES);
	}
	xp_rust_put(p, ">");
}

static void show_crate(struct rust_parser *p)
{
	xp_rust_marked_number(p, 's');
	struct rust_name name = xp_rust_plain_name(p);
	xp_rust_show_name(p, &name);
}

static void show_path(struct rust_parser *p, enum place place)
{
	char kind = xp_rust_enter(p) ? xp_rust_next(p) : '\0';

	switch (kind) {
	case 'C':
		show_crate(p);
		break;
	case 'N':
		show_nested(p, place);
		break;
	case 'M':
	case 'X':
	case 'Y':
		show_self(p, kind);
		break;
	case 'I':
		show_path(p, place);
		xp_rust_put(p, place == AMONG_VALUES ? "::<" : "<");
		show_list(p, show_argument, ", ");
		xp_rust_put(p, ">");
		break;
	case 'B':
		show_back(p, place == AMONG_VALUES ? show_path_of_values : show_path_of_types);
		break;
	default:
		p->is_bad = true;
	}
	xp_rust_leave(p);
}

static const char *basic_type(char letter)
{
	static const char *const types[] = {
		['a' - 'a'] = "i8",   ['b' - 'a'] = "bool",  ['c' - 'a'] = "char",
		['d' - 'a'] = "f64",  ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",
		['h' - 'a'] = "u8",   ['i' - 'a'] = "isize", ['j' - 'a'] = "usize",
		['l' - 'a'] = "i32",  ['m' - 'a'] = "u32",   ['n' - 'a'] = "i128",
		['o' - 'a'] = "u128", ['p' - 'a'] = "_",     ['s' - 'a'] = "i16",
		['t' - 'a'] = "u16",  ['u' - 'a'] = "()",    ['v' - 'a'] = "...",
		['x' - 'a'] = "i64",  ['y' - 'a'] = "u64",   ['z' - 'a'] = "!",
	};

	return letter >= 'a' && letter <= 'z' ? types[letter - 'a'] : NULL;
}

/* "for<'a, 'b> ". Returns how many there are, to be given back. */
static uint64_t bind_lifetimes(struct rust_parser *p)
{
	enum { MAX_LIFETIMES = 1000 };
	uint64_t nr = xp_rust_marked_number(p, 'G');

	p->is_bad |= nr > MAX_LIFETIMES;
	if (!nr || p->is_bad)
		return 0;
	xp_rust_put(p, "for<");
	for (uint64_t i = 0; i < nr; i++) {
		if (i)
			xp_rust_put(p, ", ");
		p->nr_lifetimes++;
		show_lifetime(p, 1);
	}
	xp_rust_put(p, "> ");
	return nr;
}

/* "C", or a name with '_' for '-' */
static void show_abi(struct rust_parser *p)
{
	struct rust_name name = { "C", 1, false };

	if (!xp_rust_eat(p, 'C'))
		name = xp_rust_plain_name(p);
	xp_rust_put(p, "extern \"");
	for (size_t i = 0; i < name.len; i++)
		xp_rust_show(p, name.text[i] == '_' ? "-" : name.text + i, 1);
	xp_rust_put(p, "\" ");
}

static void show_function(struct rust_parser *p)
{
	uint64_t nr_bound = bind_lifetimes(p);

	if (xp_rust_eat(p, 'U'))
		xp_rust_put(p, "unsafe ");
	if (xp_rust_eat(p, 'K'))
		show_abi(p);
	xp_rust_put(p, "fn(");
	show_list(p, show_type, ", ");
	xp_rust_put(p, ")");
	if (!xp_rust_eat(p, 'u')) {
		xp_rust_put(p, " -> ");
		show_type(p);
	}
	p->nr_lifetimes -= nr_bound;
}

/* A trait, whose arguments stay open for what its types are. Returns true: they are. */
static bool show_open_path(struct rust_parser *p)
{
	bool is_open = false;

	if (!xp_rust_enter(p)) {
		xp_rust_leave(p);
		return false;
	}
	if (xp_rust_eat(p, 'B')) {
		const char *mark = p->at - 1;
		uint64_t position = xp_rust_base62(p);

		p->is_bad |= position >= (uint64_t)(mark - p->start);
		if (!p->is_bad && !p->nr_silent) {
			const char *here = p->at;

			p->at = p->start + position;
			is_open = show_open_path(p);
			p->at = here;
		}
	} else if (xp_rust_eat(p, 'I')) {
		show_path(p, AMONG_TYPES);
		xp_rust_put(p, "<");
		show_list(p, show_argument, ", ");
		is_open = true;
	} else {
		show_path(p, AMONG_TYPES);
	}
	xp_rust_leave(p);
	return is_open;
}

static void show_bound(struct rust_parser *p)
{
	bool is_open = show_open_path(p);

	while (xp_rust_eat(p, 'p')) {
		struct rust_name name = xp_rust_plain_name(p);

		xp_rust_put(p, is_open ? ", " : "<");
		is_open = true;
		xp_rust_show_name(p, &name);
		xp_rust_put(p, " = ");
		show_type(p);
	}
	if (is_open)
		xp_rust_put(p, ">");
}

static void show_dyn(struct rust_parser *p)
{
	xp_rust_put(p, "dyn ");
	uint64_t nr_bound = bind_lifetimes(p);
	show_list(p, show_bound, " + ");
	p->nr_lifetimes -= nr_bound;
	p->is_bad |= !xp_rust_eat(p, 'L');
	uint64_t lifetime = xp_rust_base62(p);
	if (!lifetime)
		return;
	xp_rust_put(p, " + ");
	show_lifetime(p, lifetime);
}

static void show_reference(struct rust_parser *p, bool is_mutable)
{
	xp_rust_put(p, "&");
	if (xp_rust_eat(p, 'L')) {
		uint64_t lifetime = xp_rust_base62(p);

		if (lifetime) {
			show_lifetime(p, lifetime);
			xp_rust_put(p, " ");
		}
	}
	if (is_mutable)
		xp_rust_put(p, "mut ");
	show_type(p);
}

static void show_array(struct rust_parser *p)
{
	xp_rust_put(p, "[");
	show_type(p);
	xp_rust_put(p, "; ");
	show_const(p);
	xp_rust_put(p, "]");
}

static void show_tuple(struct rust_parser *p)
{
	xp_rust_put(p, "(");
	if (show_list(p, show_type, ", ") == 1)
		xp_rust_put(p, ",");
	xp_rust_put(p, ")");
}

/* A type that is made of others; false: this letter begins none. */
static bool show_compound(struct rust_parser *p, char kind)
{
	switch (kind) {
	case 'R':
	case 'Q':
		show_reference(p, kind == 'Q');
		return true;
	case 'P':
	case 'O':
		xp_rust_put(p, kind == 'P' ? "*const " : "*mut ");
		show_type(p);
		return true;
	case 'A':
		show_array(p);
		return true;
	case 'S':
		xp_rust_put(p, "[");
		show_type(p);
		xp_rust_put(p, "]");
		return true;
	case 'T':
		show_tuple(p);
		return true;
	case 'F':
		show_function(p);
		return true;
	case 'D':
		show_dyn(p);
		return true;
	case 'B':
		show_back(p, show_type);
		return true;
	default:
		return false;
	}
}

static void show_type(struct rust_parser *p)
{
	char kind = xp_rust_enter(p) ? xp_rust_next(p) : '\0';
	const char *basic = basic_type(kind);

	if (basic) {
		xp_rust_put(p, basic);
	} else if (!show_compound(p, kind) && !p->is_bad) {
		p->at--;
		show_path(p, AMONG_TYPES);
	}
	xp_rust_leave(p);
}

/* Hexadecimal digits up to "_"; of more than 64 bits as they are. */
static void show_hex(struct rust_parser *p, uint64_t *ret_value)
{
	const char *start = p->at;
	uint64_t value = 0;

	while (!p->is_bad && !xp_rust_eat(p, '_')) {
		int digit = xp_rust_base62_digit(xp_rust_next(p));

		p->is_bad |= digit < 0 || digit > 15;
		value = value << 4 | (uint64_t)digit;
	}
	if (p->is_bad)
		return;
	*ret_value = value;
	if (p->at - start <= 17) {
		xp_rust_put_number(p, value);
		return;
	}
	xp_rust_put(p, "0x");
	xp_rust_show(p, start, (size_t)(p->at - start - 1));
}

static void show_char(struct rust_parser *p)
{
	uint64_t value = 0;
	char text[24];

	p->nr_silent++;
	show_hex(p, &value);
	p->nr_silent--;
	if (value >= ' ' && value < 0x7f && value != '\'' && value != '\\')
		snprintf(text, sizeof(text), "'%c'", (char)value);
	else
		snprintf(text, sizeof(text), "'\\u{%llx}'", (unsigned long long)value);
	xp_rust_put(p, text);
}

static void show_bool(struct rust_parser *p)
{
	uint64_t value = 2;

	p->nr_silent++;
	show_hex(p, &value);
	p->nr_silent--;
	p->is_bad |= value > 1;
	xp_rust_put(p, value ? "true" : "false");
}

static void show_const(struct rust_parser *p)
{
	char kind = xp_rust_enter(p) ? xp_rust_next(p) : '\0';
	uint64_t value;

	if (kind == 'B') {
		show_back(p, show_const);
	} else if (kind == 'p') {
		xp_rust_put(p, "_");
	} else if (kind == 'b') {
		show_bool(p);
	} else if (kind == 'c') {
		show_char(p);
	} else if (kind && strchr("hjmoty", kind)) {
		show_hex(p, &value);
	} else if (kind && strchr("ailnsx", kind)) {
		if (xp_rust_eat(p, 'n'))
			xp_rust_put(p, "-");
		show_hex(p, &value);
	} else {
		p->is_bad = true;
	}
	xp_rust_leave(p);
}

char *xp_rust_v0_demangle(const char *name, size_t len)
{
	const char *mark = name + (name[1] == '_');
	struct rust_parser p = { .start = mark + 2, .at = mark + 2, .end = name + len };

	if (p.end - p.at < 2 || mark[0] != '_' || mark[1] != 'R' || *p.at < 'A' || *p.at > 'Z')
		return NULL;
	show_path(&p, AMONG_VALUES);
	/* Which crate it was made for is not shown. */
	if (xp_rust_peek(&p) >= 'A' && xp_rust_peek(&p) <= 'Z') {
		p.nr_silent++;
		show_path(&p, AMONG_VALUES);
		p.nr_silent--;
	}
	if (!p.is_bad && (p.at == p.end || *p.at == '.'))
		return xp_str_detach(&p.out);
	xp_str_fini(&p.out);
	return NULL;
}
