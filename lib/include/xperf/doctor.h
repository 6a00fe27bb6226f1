/* SPDX-License-Identifier: MIT */
/* What this machine allows a profiler to do, and what would change it. */
#ifndef XPERF_DOCTOR_H
#define XPERF_DOCTOR_H

#include <stddef.h>
#include <stdint.h>
#include <xperf/api.h>

struct xp_ctx;

XP_BEGIN_DECLS

/** enum xp_check_state - how a check came out */
enum xp_check_state {
	XP_CHECK_OK,     /* nothing is in the way */
	XP_CHECK_LIMITS, /* something works less well or not for everything */
	XP_CHECK_OFF,    /* something does not work at all */
};

/**
 * struct xp_check - one setting or property of the machine
 * @name:   stable, for scripts: "perf_event_paranoid"
 * @value:  what was found
 * @effect: a clause without full stop: what does not work; "" if @state is XP_CHECK_OK
 * @fix:    one command that changes it, in which PROGRAM stands for the file of the program; "" if
 *          none does
 *
 * Valid during the callback.
 */
struct xp_check {
	const char *name;
	enum xp_check_state state;
	const char *value;
	const char *effect;
	const char *fix;
};

/**
 * xp_check_fn - called once per check
 * Return 0 to go on; any other value stops the walk and becomes its result.
 */
typedef int (*xp_check_fn)(const struct xp_check *check, void *data);

/**
 * xp_doctor_examine - check everything that decides what can be counted and sampled here
 *
 * Reads files of /proc and /sys and opens one software event; changes nothing. DEBUGINFOD_URLS is
 * read from the environment.
 *
 * Returns 0, what @fn returned, or -ENOMEM.
 *
 * Source: Documentation/admin-guide/perf-security.rst, Documentation/admin-guide/sysctl/kernel.rst.
 */
XP_API int xp_doctor_examine(struct xp_ctx *ctx, xp_check_fn fn, void *data);

/** xp_ability_fn - called once per ability. @what: a clause without full stop that follows "You
 * can" or "You cannot": "count cycles". Return 0 to go on; any other value stops the walk and
 * becomes its result. */
typedef int (*xp_ability_fn)(const char *what, bool can, void *data);

/**
 * xp_doctor_abilities - what this user can do on this machine, as a summary of the checks
 *
 * Reads the same as xp_doctor_examine(). Returns 0 or what @fn returned.
 */
XP_API int xp_doctor_abilities(struct xp_ctx *ctx, xp_ability_fn fn, void *data);

/**
 * struct xp_disturbance - what changes the speed of programs from outside, of all online CPUs
 * @size:         sizeof(struct xp_disturbance), lets the struct grow
 * @steal_ns:     time since boot in which a hypervisor ran something else, nanoseconds; UINT64_MAX:
 *                not known
 * @nr_throttled: how often since boot cores were slowed down because of heat; UINT64_MAX: not known
 * @turbo:        1: the processor may exceed its nominal frequency, 0: it may not, -1: not known
 * @governor:     what chooses the frequency: "performance"; "different ones"; "": not known
 */
struct xp_disturbance {
	size_t size;
	uint64_t steal_ns;
	uint64_t nr_throttled;
	int32_t turbo;
	char governor[28];
};

/**
 * xp_disturbance_read - read it now
 * @ret_disturbance: its @size is set by the caller
 *
 * Returns 0, or -EINVAL (@size is too small). What cannot be read is not known.
 */
XP_API int xp_disturbance_read(struct xp_ctx *ctx, struct xp_disturbance *ret_disturbance);

XP_END_DECLS

#endif
