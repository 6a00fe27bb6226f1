/* SPDX-License-Identifier: MIT */
/*
 * The text of /proc that synthesis reads, parsed without memory of its own: any bytes are
 * safe, none is read past the given length.
 */
#ifndef SESSION_PROC_TEXT_H
#define SESSION_PROC_TEXT_H

#include <sys/types.h>
#include <xperf/api.h>

enum { PROC_COMM_LEN = 16 }; /* with its NUL: TASK_COMM_LEN of the kernel */

/*
 * A line of /proc/PID/stat. Source: proc(5). Fields that are missing are 0.
 * @nr_threads: 0: not known
 */
struct proc_stat {
	char comm[PROC_COMM_LEN];
	pid_t parent;
	uint64_t nr_threads;
	bool is_kernel;
};

/* Returns 0 or -EINVAL: it has no name. */
int xp_proc_stat_parse(const char *text, size_t len, struct proc_stat *ret_stat);

/* The number after "Tgid:" in /proc/PID/status. Returns it, or -EINVAL. */
int xp_proc_tgid_parse(const char *text, size_t len);

/* One line of /proc/PID/maps; @name is not NUL-terminated and may be empty. */
struct proc_map {
	uint64_t start, end;
	uint64_t offset;
	uint64_t inode;
	uint32_t major, minor;
	uint32_t prot;  /* PROT_* */
	uint32_t flags; /* MAP_SHARED or MAP_PRIVATE */
	const char *name;
	size_t name_len;
};

/* @line: without the newline. Returns 0 or -EINVAL. */
int xp_proc_map_parse(const char *line, size_t len, struct proc_map *ret_map);

/* One line of /proc/modules: "NAME SIZE USES BY STATE ADDRESS". Returns 0 or -EINVAL. */
struct proc_module {
	const char *name;
	size_t name_len;
	uint64_t size;
	uint64_t address; /* 0: hidden */
};

int xp_proc_module_parse(const char *line, size_t len, struct proc_module *ret_module);

/* One line of /proc/kallsyms. Returns 0 or -EINVAL. */
struct proc_symbol {
	uint64_t address;
	const char *name;
	size_t name_len;
};

int xp_proc_symbol_parse(const char *line, size_t len, struct proc_symbol *ret_symbol);

#endif
