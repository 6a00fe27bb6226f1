/* SPDX-License-Identifier: MIT */
/*
 * What each BPF program begins with. Structures of the kernel are described in the programs, with
 * IN_KERNEL and the members that are used alone: libbpf looks up where the running kernel has them.
 */
#ifndef BPF_KERNEL_BPF_H
#define BPF_KERNEL_BPF_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* What is compared is what is used then: of copies of 32 bits, verifiers up to that of Linux 6.1
 * know nothing. */
static __always_inline __u64 one_copy(__u64 value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

#define IN_KERNEL __attribute__((preserve_access_index))

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#endif
