/* SPDX-License-Identifier: MIT */
/* Structures that can grow, with their size first: those of an older or newer caller become those
 * of this library, and the other way round. */
#ifndef BASE_OPTS_H
#define BASE_OPTS_H

#include <stddef.h>
#include <xperf/arch.h>
#include <xperf/bpf-samples.h>
#include <xperf/evlist.h>
#include <xperf/export.h>
#include <xperf/regions.h>
#include <xperf/symtab.h>
#include <xperf/synth.h>

struct xp_diag;

/*
 * Copies the options of a caller, which begin with their size, into @ret_opts. Fields that the
 * caller does not have are 0; @opts may be NULL: all fields are 0.
 * @type: the structure, for the message
 * @least: bytes of the structure in its first version
 * @known: bytes of the structure in this version
 * @diag: may be NULL
 *
 * Returns 0, -EINVAL (the caller's size is less than @least), or -E2BIG (a field that this library
 * does not have is not 0, or the size is over 4096). Then @ret_opts is unchanged.
 */
int xp_opts_copy(void *ret_opts, const void *opts, const char *type, size_t least, size_t known,
		 struct xp_diag *diag);

/* @last: the last field of the first version of @type */
#define XP_OPTS_COPY(ret_opts, opts, type, last, diag)                                             \
	xp_opts_copy(ret_opts, opts, #type, offsetof(type, last) + sizeof(((type *)0)->last),      \
		     sizeof(type), diag)

/*
 * Copies a structure of this library into that of a caller, which begins with its size. Fields that
 * the caller does not have are left out, fields that this library does not have become 0.
 *
 * Returns 0, -EINVAL (the caller's size is less than @least), -E2BIG (it is over 4096); nothing is
 * written then.
 */
int xp_output_copy(void *ret_output, const void *output, size_t least, size_t known);

/* As above: of a type and the last field of its first version. */
#define XP_OUTPUT_COPY(ret_output, output, type, last)                                             \
	xp_output_copy(ret_output, output, offsetof(type, last) + sizeof(((type *)0)->last),       \
		       sizeof(type))

#endif
