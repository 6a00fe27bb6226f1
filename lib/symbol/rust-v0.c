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

#include "rust.h"
#include "str.h"

enum { MAX_DEPTH = 128, MAX_SHOWN = 1 << 14 };

struct parser {
	const char *start, *at, *end; /* behind "_R"; back references count from there */
	struct xp_str out;
	int depth;
	int nr_silent;         /* parts that are read and not shown */
	uint64_t nr_lifetimes; /* that are bound here */
	uint32_t nr_steps;
	bool is_bad;
};

/* What is shown where there may be values and where there are types. */
enum place { AMONG_VALUES, AMONG_TYPES };

static void show_path(struct parser *p, enum place place);
static void show_type(struct parser *p);
static void show_const(struct parser *p);

static void show(struct parser *p, const char *text, size_t len)
{
	if (p->nr_silent || p->is_bad)
		return;
	p->is_bad = p->out.len + len > MAX_SHOWN || xp_str_add(&p->out, text, len);
}

static void put(struct parser *p, const char *text)
{
	show(p, text, strlen(text));
}

static void put_number(struct parser *p, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	put(p, text);
}

static char peek(const struct parser *p)
{
	return !p->is_bad && p->at < p->end ? *p->at : '\0';
}

static char take(struct parser *p)
{
	char c = peek(p);

	if (c)
		p->at++;
	else
		p->is_bad = true;
	return c;
}

static bool eat(struct parser *p, char wanted)
{
	bool is_there = peek(p) == wanted;

	p->at += is_there;
	return is_there;
}

/* Returns false where it is too deep, or goes on for too long without showing anything. */
static bool enter(struct parser *p)
{
	enum { MAX_STEPS = 1 << 16 };

	p->is_bad |= ++p->depth > MAX_DEPTH || ++p->nr_steps > MAX_STEPS;
	return !p->is_bad;
}

static void leave(struct parser *p)
{
	p->depth--;
}

static int base62_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

/* "_" is 0, "0_" is 1 */
static uint64_t base62(struct parser *p)
{
	uint64_t number = 0;

	if (eat(p, '_'))
		return 0;
	while (!p->is_bad && !eat(p, '_')) {
		int digit = base62_digit(take(p));

		p->is_bad |= digit < 0 || __builtin_mul_overflow(number, 62, &number) ||
			     __builtin_add_overflow(number, (uint64_t)digit, &number);
	}
	p->is_bad |= number == UINT64_MAX;
	return p->is_bad ? 0 : number + 1;
}

/* A number behind a letter, or 0. */
static uint64_t marked_number(struct parser *p, char mark)
{
	if (!eat(p, mark))
		return 0;
	uint64_t number = base62(p);
	p->is_bad |= number == UINT64_MAX;
	return number + 1;
}

struct name {
	const char *text;
	size_t len;
	bool is_punycode;
};

static struct name plain_name(struct parser *p)
{
	struct name name = { .is_punycode = eat(p, 'u') };

	p->is_bad |= base62_digit(peek(p)) < 0 || base62_digit(peek(p)) > 9;
	while (!p->is_bad && peek(p) >= '0' && peek(p) <= '9') {
		name.len = name.len * 10 + (size_t)(take(p) - '0');
		p->is_bad |= name.len > (size_t)(p->end - p->at);
		if (!name.len)
			break;
	}
	eat(p, '_');
	p->is_bad |= name.len > (size_t)(p->end - p->at);
	if (p->is_bad)
		return (struct name){ .text = "" };
	name.text = p->at;
	p->at += name.len;
	return name;
}

static void show_name(struct parser *p, const struct name *name)
{
	if (name->is_punycode)
		put(p, "punycode{");
	show(p, name->text, name->len);
	if (name->is_punycode)
		put(p, "}");
}

/* Shows what was there before, at the position that stands here. */
static void show_back(struct parser *p, void (*what)(struct parser *p))
{
	const char *mark = p->at - 1;
	uint64_t position = base62(p);

	p->is_bad |= position >= (uint64_t)(mark - p->start);
	if (p->is_bad || p->nr_silent)
		return;
	const char *here = p->at;
	p->at = p->start + position;
	what(p);
	p->at = here;
}

static void show_path_of_values(struct parser *p)
{
	show_path(p, AMONG_VALUES);
}

static void show_path_of_types(struct parser *p)
{
	show_path(p, AMONG_TYPES);
}

/* "N", a namespace, what it is in, its name. Only closures and the like have one to be shown. */
static void show_nested(struct parser *p, enum place place)
{
	char space = take(p);

	show_path(p, place);
	uint64_t nth = marked_number(p, 's');
	struct name name = plain_name(p);
	if (space >= 'a' && space <= 'z') {
		if (name.len) {
			put(p, "::");
			show_name(p, &name);
		}
		return;
	}
	p->is_bad |= space < 'A' || space > 'Z';
	put(p, "::{");
	if (space == 'C')
		put(p, "closure");
	else if (space == 'S')
		put(p, "shim");
	else
		show(p, &space, 1);
	if (name.len) {
		put(p, ":");
		show_name(p, &name);
	}
	put(p, "#");
	put_number(p, nth);
	put(p, "}");
}

/* The path of an implementation only tells it apart. */
static void pass_impl(struct parser *p)
{
	marked_number(p, 's');
	p->nr_silent++;
	show_path(p, AMONG_VALUES);
	p->nr_silent--;
}

static void show_lifetime(struct parser *p, uint64_t lifetime)
{
	if (!lifetime) {
		put(p, "'_");
		return;
	}
	p->is_bad |= lifetime > p->nr_lifetimes;
	uint64_t depth = p->is_bad ? 0 : p->nr_lifetimes - lifetime;
	char letter = (char)('a' + depth % 26);
	put(p, "'");
	if (depth < 26) {
		show(p, &letter, 1);
	} else {
		put(p, "_");
		put_number(p, depth);
	}
}

static void show_argument(struct parser *p)
{
	if (eat(p, 'L'))
		show_lifetime(p, base62(p));
	else if (eat(p, 'K'))
		show_const(p);
	else
		show_type(p);
}

/* Shows what is there up to an E, with commas. Returns how many there are. */
static size_t show_list(struct parser *p, void (*what)(struct parser *p), const char *between)
{
	size_t nr = 0;

	for (; !p->is_bad && !eat(p, 'E'); nr++) {
		if (nr)
			put(p, between);
		what(p);
	}
	return nr;
}

/* "<T>" or "<T as Trait>" */
static void show_self(struct parser *p, char kind)
{
	if (kind != 'Y')
		pass_impl(p);
	put(p, "<");
	show_type(p);
	if (kind != 'M') {
		put(p, " as ");
		show_path(p, AMONG_TYPES);
	}
	put(p, ">");
}

static void show_crate(struct parser *p)
{
	marked_number(p, 's');
	struct name name = plain_name(p);
	show_name(p, &name);
}

static void show_path(struct parser *p, enum place place)
{
	char kind = enter(p) ? take(p) : '\0';

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
		put(p, place == AMONG_VALUES ? "::<" : "<");
		show_list(p, show_argument, ", ");
		put(p, ">");
		break;
	case 'B':
		show_back(p, place == AMONG_VALUES ? show_path_of_values : show_path_of_types);
		break;
	default:
		p->is_bad = true;
	}
	leave(p);
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
static uint64_t bind_lifetimes(struct parser *p)
{
	enum { MAX_LIFETIMES = 1000 };
	uint64_t nr = marked_number(p, 'G');

	p->is_bad |= nr > MAX_LIFETIMES;
	if (!nr || p->is_bad)
		return 0;
	put(p, "for<");
	for (uint64_t i = 0; i < nr; i++) {
		if (i)
			put(p, ", ");
		p->nr_lifetimes++;
		show_lifetime(p, 1);
	}
	put(p, "> ");
	return nr;
}

/* "C", or a name with '_' for '-' */
static void show_abi(struct parser *p)
{
	struct name name = { "C", 1, false };

	if (!eat(p, 'C'))
		name = plain_name(p);
	put(p, "extern \"");
	for (size_t i = 0; i < name.len; i++)
		show(p, name.text[i] == '_' ? "-" : name.text + i, 1);
	put(p, "\" ");
}

static void show_function(struct parser *p)
{
	uint64_t nr_bound = bind_lifetimes(p);

	if (eat(p, 'U'))
		put(p, "unsafe ");
	if (eat(p, 'K'))
		show_abi(p);
	put(p, "fn(");
	show_list(p, show_type, ", ");
	put(p, ")");
	if (!eat(p, 'u')) {
		put(p, " -> ");
		show_type(p);
	}
	p->nr_lifetimes -= nr_bound;
}

/* A trait, whose arguments stay open for what its types are. Returns true: they are. */
static bool show_open_path(struct parser *p)
{
	bool is_open = false;

	if (!enter(p)) {
		leave(p);
		return false;
	}
	if (eat(p, 'B')) {
		const char *mark = p->at - 1;
		uint64_t position = base62(p);

		p->is_bad |= position >= (uint64_t)(mark - p->start);
		if (!p->is_bad && !p->nr_silent) {
			const char *here = p->at;

			p->at = p->start + position;
			is_open = show_open_path(p);
			p->at = here;
		}
	} else if (eat(p, 'I')) {
		show_path(p, AMONG_TYPES);
		put(p, "<");
		show_list(p, show_argument, ", ");
		is_open = true;
	} else {
		show_path(p, AMONG_TYPES);
	}
	leave(p);
	return is_open;
}

static void show_bound(struct parser *p)
{
	bool is_open = show_open_path(p);

	while (eat(p, 'p')) {
		struct name name = plain_name(p);

		put(p, is_open ? ", " : "<");
		is_open = true;
		show_name(p, &name);
		put(p, " = ");
		show_type(p);
	}
	if (is_open)
		put(p, ">");
}

static void show_dyn(struct parser *p)
{
	put(p, "dyn ");
	uint64_t nr_bound = bind_lifetimes(p);
	show_list(p, show_bound, " + ");
	p->nr_lifetimes -= nr_bound;
	p->is_bad |= !eat(p, 'L');
	uint64_t lifetime = base62(p);
	if (!lifetime)
		return;
	put(p, " + ");
	show_lifetime(p, lifetime);
}

static void show_reference(struct parser *p, bool is_mutable)
{
	put(p, "&");
	if (eat(p, 'L')) {
		uint64_t lifetime = base62(p);

		if (lifetime) {
			show_lifetime(p, lifetime);
			put(p, " ");
		}
	}
	if (is_mutable)
		put(p, "mut ");
	show_type(p);
}

static void show_array(struct parser *p)
{
	put(p, "[");
	show_type(p);
	put(p, "; ");
	show_const(p);
	put(p, "]");
}

static void show_tuple(struct parser *p)
{
	put(p, "(");
	if (show_list(p, show_type, ", ") == 1)
		put(p, ",");
	put(p, ")");
}

/* A type that is made of others; false: this letter begins none. */
static bool show_compound(struct parser *p, char kind)
{
	switch (kind) {
	case 'R':
	case 'Q':
		show_reference(p, kind == 'Q');
		return true;
	case 'P':
	case 'O':
		put(p, kind == 'P' ? "*const " : "*mut ");
		show_type(p);
		return true;
	case 'A':
		show_array(p);
		return true;
	case 'S':
		put(p, "[");
		show_type(p);
		put(p, "]");
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

static void show_type(struct parser *p)
{
	char kind = enter(p) ? take(p) : '\0';
	const char *basic = basic_type(kind);

	if (basic) {
		put(p, basic);
	} else if (!show_compound(p, kind) && !p->is_bad) {
		p->at--;
		show_path(p, AMONG_TYPES);
	}
	leave(p);
}

/* Hexadecimal digits up to "_"; of more than 64 bits as they are. */
static void show_hex(struct parser *p, uint64_t *ret_value)
{
	const char *start = p->at;
	uint64_t value = 0;

	while (!p->is_bad && !eat(p, '_')) {
		int digit = base62_digit(take(p));

		p->is_bad |= digit < 0 || digit > 15;
		value = value << 4 | (uint64_t)digit;
	}
	if (p->is_bad)
		return;
	*ret_value = value;
	if (p->at - start <= 17) {
		put_number(p, value);
		return;
	}
	put(p, "0x");
	show(p, start, (size_t)(p->at - start - 1));
}

static void show_char(struct parser *p)
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
	put(p, text);
}

static void show_bool(struct parser *p)
{
	uint64_t value = 2;

	p->nr_silent++;
	show_hex(p, &value);
	p->nr_silent--;
	p->is_bad |= value > 1;
	put(p, value ? "true" : "false");
}

static void show_const(struct parser *p)
{
	char kind = enter(p) ? take(p) : '\0';
	uint64_t value;

	if (kind == 'B') {
		show_back(p, show_const);
	} else if (kind == 'p') {
		put(p, "_");
	} else if (kind == 'b') {
		show_bool(p);
	} else if (kind == 'c') {
		show_char(p);
	} else if (kind && strchr("hjmoty", kind)) {
		show_hex(p, &value);
	} else if (kind && strchr("ailnsx", kind)) {
		if (eat(p, 'n'))
			put(p, "-");
		show_hex(p, &value);
	} else {
		p->is_bad = true;
	}
	leave(p);
}

char *rust_v0_demangle(const char *name, size_t len)
{
	const char *mark = name + (name[1] == '_');
	struct parser p = { .start = mark + 2, .at = mark + 2, .end = name + len };

	if (p.end - p.at < 2 || mark[0] != '_' || mark[1] != 'R' || *p.at < 'A' || *p.at > 'Z')
		return NULL;
	show_path(&p, AMONG_VALUES);
	/* Which crate it was made for is not shown. */
	if (peek(&p) >= 'A' && peek(&p) <= 'Z') {
		p.nr_silent++;
		show_path(&p, AMONG_VALUES);
		p.nr_silent--;
	}
	if (!p.is_bad && (p.at == p.end || *p.at == '.'))
		return xp_str_take(&p.out);
	xp_str_fini(&p.out);
	return NULL;
}
