/* SPDX-License-Identifier: MIT */
/* The tables of stack-rules.h: each object that uses them has these maps, and all share one set. */
#ifndef BPF_RULE_MAPS_BPF_H
#define BPF_RULE_MAPS_BPF_H

#include "kernel.bpf.h"
#include "stack-rules.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RULE_ROWS_MAX);
	__type(key, __u32);
	__type(value, struct rule_row);
} rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RULE_MAPS_MAX);
	__type(key, __u32);
	__type(value, struct rule_map);
} maps SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RULE_FILES_MAX);
	__type(key, __u32);
	__type(value, struct rule_file);
} files SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rule_control);
} control SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RULE_PROCESSES_MAX);
	__type(key, __u32);
	__type(value, struct rule_process);
} processes SEC(".maps");

/* When a process began a program, by its number: those that share a place are as new as the
 * newest. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RULE_CHANGES);
	__type(key, __u32);
	__type(value, __u64);
} changes SEC(".maps");

static __always_inline __u64 *change_of(__u32 pid)
{
	__u32 place = pid & (RULE_CHANGES - 1);

	return bpf_map_lookup_elem(&changes, &place);
}

#endif
