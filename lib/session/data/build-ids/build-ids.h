/* SPDX-License-Identifier: MIT */
/* What the recorder needs of the set of files, besides <xperf/synth.h>. */
#ifndef SESSION_BUILD_IDS_H
#define SESSION_BUILD_IDS_H

#include <xperf/api.h>

struct xp_build_ids;
struct xp_record;

/* Starts the thread that reads files, which else the first file does. */
void xp_build_ids_start_thread(struct xp_build_ids *ids);

/*
 * Adds the file of an MMAP or MMAP2 record.
 *
 * A file that is new is looked at by a thread in the background: its build id is read, through
 * /proc/PID/root, or the map itself, where the file of that name is another one by device and
 * inode; and it is held open if it may not be there at the end. Files without a build id, and what
 * is no file, are passed over.
 *
 * Returns 0 or -ENOMEM.
 */
int xp_build_ids_add(struct xp_build_ids *ids, const struct xp_record *record);

#endif
