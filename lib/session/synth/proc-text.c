/* SPDX-License-Identifier: MIT */
/* Source: proc(5); fs/proc/task_mmu.c, show_vma_header_prefix(), for the order of fields. */
#include "proc-text.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* What is left of a text. */
struct cursor {
	const char *at;
	const char *end;
};

static bool eat(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

static void skip(struct cursor *c, char what)
{
	while (c->at < c->end && *c->at == what)
		c->at++;
}

static bool hex(struct cursor *c, uint64_t *ret_value)
{
	const char *start = c->at;
	uint64_t value = 0;

	for (; c->at < c->end; c->at++) {
		unsigned int digit = (unsigned char)*c->at;

		if (digit - '0' < 10)
			digit -= '0';
		else if (digit - 'a' < 6)
			digit -= 'a' - 10;
		else
			break;
		value = value << 4 | digit;
	}
	*ret_value = value;
	return c->at > start && c->at - start <= 16;
}

static bool decimal(struct cursor *c, uint64_t *ret_value)
{
	const char *start = c->at;
	uint64_t value = 0;

	for (; c->at < c->end && (unsigned int)*c->at - '0' < 10; c->at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*c->at - '0'), &value))
			return false;
	*ret_value = value;
	return c->at > start;
}

/* Up to the next space or the end. */
static void word(struct cursor *c, const char **ret_word, size_t *ret_len)
{
	const char *space = memchr(c->at, ' ', (size_t)(c->end - c->at));
	const char *stop = space ? space : c->end;

	*ret_word = c->at;
	*ret_len = (size_t)(stop - c->at);
	c->at = stop;
	skip(c, ' ');
}

/* Fields of /proc/PID/stat behind the name, as proc(5) numbers them. */
enum { STAT_STATE = 3, STAT_PARENT = 4, STAT_FLAGS = 9, STAT_NR_THREADS = 20 };

static const uint64_t KERNEL_THREAD = 0x00200000; /* PF_KTHREAD, linux/sched.h */

static void stat_fields(struct cursor *c, struct proc_stat *stat)
{
	for (int field = STAT_STATE; field <= STAT_NR_THREADS && c->at < c->end; field++) {
		struct cursor value;
		uint64_t number;
		size_t len;

		word(c, &value.at, &len);
		value.end = value.at + len;
		if (!decimal(&value, &number))
			continue;
		if (field == STAT_PARENT && number <= INT32_MAX)
			stat->parent = (pid_t)number;
		else if (field == STAT_FLAGS)
			stat->is_kernel = number & KERNEL_THREAD;
		else if (field == STAT_NR_THREADS)
			stat->nr_threads = number;
	}
}

int xp_proc_stat_parse(const char *text, size_t len, struct proc_stat *ret_stat)
{
	/* The name may hold parentheses itself. */
	const char *open = memchr(text, '(', len);
	const char *close = open ? memrchr(open, ')', len - (size_t)(open - text)) : NULL;
	struct proc_stat stat = { 0 };

	if (!close)
		return -EINVAL;
	size_t comm_len = (size_t)(close - open - 1);
	memcpy(stat.comm, open + 1, comm_len < PROC_COMM_LEN ? comm_len : PROC_COMM_LEN - 1);
	struct cursor c = { close + 1, text + len };
	skip(&c, ' ');
	stat_fields(&c, &stat);
	*ret_stat = stat;
	return 0;
}

int xp_proc_tgid_parse(const char *text, size_t len)
{
	static const char key[] = "\nTgid:";
	const char *at = memmem(text, len, key, strlen(key));
	uint64_t value;

	if (!at)
		return -EINVAL;
	struct cursor c = { at + strlen(key), text + len };
	skip(&c, '\t');
	return decimal(&c, &value) && value <= INT32_MAX ? (int)value : -EINVAL;
}

static bool permissions(struct cursor *c, struct proc_map *map)
{
	if (c->end - c->at < 4)
		return false;
	map->prot = (c->at[0] == 'r' ? PROT_READ : 0) | (c->at[1] == 'w' ? PROT_WRITE : 0) |
		    (c->at[2] == 'x' ? PROT_EXEC : 0);
	map->flags = c->at[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	c->at += 4;
	return true;
}

int xp_proc_map_parse(const char *line, size_t len, struct proc_map *ret_map)
{
	struct cursor c = { line, line + len };
	struct proc_map map;
	uint64_t major, minor;

	if (!hex(&c, &map.start) || !eat(&c, '-') || !hex(&c, &map.end) || !eat(&c, ' ') ||
	    !permissions(&c, &map) || !eat(&c, ' ') || !hex(&c, &map.offset) || !eat(&c, ' ') ||
	    !hex(&c, &major) || !eat(&c, ':') || !hex(&c, &minor) || !eat(&c, ' ') ||
	    !decimal(&c, &map.inode) || map.end <= map.start || major > UINT32_MAX ||
	    minor > UINT32_MAX)
		return -EINVAL;
	skip(&c, ' ');
	map.major = (uint32_t)major;
	map.minor = (uint32_t)minor;
	map.name = c.at;
	map.name_len = (size_t)(c.end - c.at);
	*ret_map = map;
	return 0;
}

int xp_proc_module_parse(const char *line, size_t len, struct proc_module *ret_module)
{
	struct cursor c = { line, line + len };
	struct proc_module module;
	const char *ignored;
	size_t ignored_len;

	word(&c, &module.name, &module.name_len);
	if (!module.name_len || !decimal(&c, &module.size) || !eat(&c, ' '))
		return -EINVAL;
	for (int i = 0; i < 3; i++)
		word(&c, &ignored, &ignored_len);
	if (!eat(&c, '0') || !eat(&c, 'x') || !hex(&c, &module.address))
		return -EINVAL;
	*ret_module = module;
	return 0;
}

int xp_proc_symbol_parse(const char *line, size_t len, struct proc_symbol *ret_symbol)
{
	struct cursor c = { line, line + len };
	struct proc_symbol symbol;

	if (!hex(&c, &symbol.address) || !eat(&c, ' ') || c.at == c.end)
		return -EINVAL;
	c.at++; /* its type */
	if (!eat(&c, ' '))
		return -EINVAL;
	symbol.name = c.at;
	const char *tab = memchr(c.at, '\t', (size_t)(c.end - c.at));
	symbol.name_len = (size_t)((tab ? tab : c.end) - c.at);
	*ret_symbol = symbol;
	return 0;
}
