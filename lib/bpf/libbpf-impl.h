/* SPDX-License-Identifier: MIT */
/* libbpf, and an object of it, from inside: libbpf.c and libbpf-*.c. */
#ifndef BPF_LIBBPF_IMPL_H
#define BPF_LIBBPF_IMPL_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "bpf.h"

struct library {
	void *handle;
	__typeof__(bpf_object__open_mem) *open_mem;
	__typeof__(bpf_object__close) *close;
	__typeof__(bpf_object__load) *load;
	__typeof__(bpf_object__find_map_by_name) *find_map;
	__typeof__(bpf_object__find_program_by_name) *find_program;
	__typeof__(bpf_object__next_map) *next_map;
	__typeof__(bpf_object__next_program) *next_program;
	__typeof__(bpf_map__name) *map_name;
	__typeof__(bpf_map__fd) *map_fd;
	__typeof__(bpf_map__set_max_entries) *set_max_entries;
	__typeof__(bpf_map__reuse_fd) *reuse_fd;
	__typeof__(bpf_map__initial_value) *initial_value;
	__typeof__(bpf_program__fd) *program_fd;
	__typeof__(bpf_program__insns) *instructions;
	__typeof__(bpf_program__insn_cnt) *nr_instructions;
	__typeof__(bpf_program__expected_attach_type) *attach_type;
	__typeof__(bpf_program__set_autoload) *set_autoload;
	__typeof__(bpf_program__set_attach_target) *set_target;
	__typeof__(bpf_program__attach) *attach;
	__typeof__(bpf_program__attach_perf_event) *attach_event;
	__typeof__(bpf_link__destroy) *destroy_link;
	__typeof__(bpf_link_create) *create_link;
	__typeof__(bpf_prog_load) *load_program;
	__typeof__(bpf_btf_get_next_id) *next_btf;
	__typeof__(bpf_btf_get_fd_by_id) *btf_by_id;
	__typeof__(bpf_prog_get_fd_by_id) *program_by_id;
	__typeof__(bpf_obj_get_info_by_fd) *info;
	__typeof__(btf__load_vmlinux_btf) *kernel_btf;
	__typeof__(btf__load_from_kernel_by_id_split) *module_btf;
	__typeof__(btf__free) *free_btf;
	__typeof__(btf__type_cnt) *nr_types;
	__typeof__(btf__type_by_id) *type;
	__typeof__(btf__name_by_offset) *name;
	__typeof__(bpf_map_lookup_elem) *lookup;
	__typeof__(bpf_map_update_elem) *update;
	__typeof__(bpf_map_delete_elem) *delete;
	__typeof__(bpf_map_get_next_key) *next_key;
	__typeof__(bpf_map_lookup_and_delete_batch) *drain;
	__typeof__(bpf_prog_test_run_opts) *run;
	__typeof__(libbpf_num_possible_cpus) *possible_cpus;
	__typeof__(libbpf_set_print) *set_print;
};

/* Elements of an array. */
struct mapped {
	void *at;
	size_t len;
};

struct xp_bpf {
	struct library lib;
	const char *name;
	struct bpf_object *object;
	struct bpf_link **links;
	int nr_links;
	int *probes; /* links without an object of libbpf: one descriptor each, not two */
	size_t nr_probes;
	int *copies; /* links of copies of programs */
	size_t nr_copies;
	struct mapped *memory;
	size_t nr_memory;
};

#endif
