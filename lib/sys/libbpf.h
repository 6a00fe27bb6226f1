/* SPDX-License-Identifier: MIT */
/* Whether this process could load BPF programs: the library that does it. */
#ifndef SYS_LIBBPF_H
#define SYS_LIBBPF_H

enum xp_libbpf {
	XP_LIBBPF_FOUND,
	XP_LIBBPF_ABSENT,
	XP_LIBBPF_NOT_BUILT_IN, /* xperf was built without it */
};

/* libbpf.c; no-libbpf.c where the build has no libbpf. */
enum xp_libbpf xp_libbpf_look(void);

#endif
