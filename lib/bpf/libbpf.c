/* SPDX-License-Identifier: MIT */
/*
 * BPF through libbpf, which is loaded here and not linked. Its name is its ABI's, libbpf.so.1.
 *
 * Source: bpf/libbpf.h and bpf/bpf.h of libbpf 1.1.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "libbpf-impl.h"
#include "loaded.h"
#include "vec.h"

#define ROW(name, field)                                                                           \
	{                                                                                          \
		name, offsetof(struct library, field)                                              \
	}

static const struct loaded_function functions[] = {
	ROW("bpf_object__open_mem", open_mem),
	ROW("bpf_object__close", close),
	ROW("bpf_object__load", load),
	ROW("bpf_object__find_map_by_name", find_map),
	ROW("bpf_object__find_program_by_name", find_program),
	ROW("bpf_object__next_map", next_map),
	ROW("bpf_object__next_program", next_program),
	ROW("bpf_map__name", map_name),
	ROW("bpf_map__fd", map_fd),
	ROW("bpf_map__set_max_entries", set_max_entries),
	ROW("bpf_map__reuse_fd", reuse_fd),
	ROW("bpf_map__initial_value", initial_value),
	ROW("bpf_program__fd", program_fd),
	ROW("bpf_program__insns", instructions),
	ROW("bpf_program__insn_cnt", nr_instructions),
	ROW("bpf_program__expected_attach_type", attach_type),
	ROW("bpf_program__set_autoload", set_autoload),
	ROW("bpf_program__set_attach_target", set_target),
	ROW("bpf_program__attach", attach),
	ROW("bpf_program__attach_perf_event", attach_event),
	ROW("bpf_link__destroy", destroy_link),
	ROW("bpf_link_create", create_link),
	ROW("bpf_prog_load", load_program),
	ROW("bpf_btf_get_next_id", next_btf),
	ROW("bpf_btf_get_fd_by_id", btf_by_id),
	ROW("bpf_prog_get_fd_by_id", program_by_id),
	ROW("bpf_obj_get_info_by_fd", info),
	ROW("btf__load_vmlinux_btf", kernel_btf),
	ROW("btf__load_from_kernel_by_id_split", module_btf),
	ROW("btf__free", free_btf),
	ROW("btf__type_cnt", nr_types),
	ROW("btf__type_by_id", type),
	ROW("btf__name_by_offset", name),
	ROW("bpf_map_lookup_elem", lookup),
	ROW("bpf_map_update_elem", update),
	ROW("bpf_map_delete_elem", delete),
	ROW("bpf_map_get_next_key", next_key),
	ROW("bpf_map_lookup_and_delete_batch", drain),
	ROW("bpf_prog_test_run_opts", run),
	ROW("libbpf_num_possible_cpus", possible_cpus),
	ROW("libbpf_set_print", set_print),
};

/* What the kernel's refusals mean, and what to do. 0: any other */
static const struct {
	int err;
	const char *why, *hint;
} refusals[] = {
	{ EPERM, "the kernel does not allow it",
	  "run as root, or give the program CAP_BPF and CAP_PERFMON" },
	{ ENOMEM, "there is not enough memory, or not enough may be locked",
	  "raise the limit of locked memory: ulimit -l unlimited" },
	{ ESRCH, "this kernel does not describe what the program looks at (BTF)",
	  "use a kernel with CONFIG_DEBUG_INFO_BTF=y" },
	{ ENOENT, "this kernel lacks what the program looks at", "use a newer kernel" },
	{ EINVAL, "this kernel lacks something that the program uses",
	  "use a newer kernel: Linux 6.12 can load all of these programs" },
	{ EACCES, "this kernel does not find out that the program is safe",
	  "use a newer kernel: Linux 6.12 can load all of these programs" },
	{ 0, NULL, NULL },
};

static int refused(const struct xp_bpf *bpf, const char *what, int err, struct xp_diag *diag)
{
	int row = 0;

	while (refusals[row].err && refusals[row].err != -err)
		row++;
	xp_diag_set(diag, err, "The BPF program '%s' cannot be %s: %s", bpf->name, what,
		    refusals[row].why ?: strerror(-err));
	if (refusals[row].hint)
		xp_diag_hint(diag, "%s", refusals[row].hint);
	return err;
}

int xp_bpf_open(const struct xp_bpf_code *code, struct xp_bpf **ret, struct xp_diag *diag)
{
	struct xp_bpf *bpf = calloc(1, sizeof(*bpf));
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "xperf");

	if (!bpf)
		return -ENOMEM;
	bpf->name = code->name;
	bpf->lib.handle = library_load("libbpf.so.1", 0, functions,
				       sizeof(functions) / sizeof(*functions), &bpf->lib);
	if (!bpf->lib.handle) {
		free(bpf);
		xp_diag_set(diag, -ENOSYS, "BPF programs cannot be used: there is no libbpf.so.1");
		xp_diag_hint(diag, "install libbpf1");
		return -ENOSYS;
	}
	/* It prints on stderr unless it is told not to; the library never prints. */
	bpf->lib.set_print(NULL);
	bpf->object = bpf->lib.open_mem(code->bytes, code->len, &opts);
	if (!bpf->object) {
		int err = refused(bpf, "read", -errno, diag);

		xp_bpf_close(bpf);
		return err;
	}
	*ret = bpf;
	return 0;
}

void xp_bpf_close(struct xp_bpf *bpf)
{
	if (!bpf)
		return;
	for (int i = 0; i < bpf->nr_links; i++)
		bpf->lib.destroy_link(bpf->links[i]);
	free(bpf->links);
	for (size_t i = 0; i < bpf->nr_probes; i++)
		close(bpf->probes[i]);
	free(bpf->probes);
	for (size_t i = 0; i < bpf->nr_copies; i++)
		close(bpf->copies[i]);
	free(bpf->copies);
	for (size_t i = 0; i < bpf->nr_memory; i++)
		munmap(bpf->memory[i].at, bpf->memory[i].len);
	free(bpf->memory);
	if (bpf->object)
		bpf->lib.close(bpf->object);
	dlclose(bpf->lib.handle);
	free(bpf);
}

int xp_bpf_resize(struct xp_bpf *bpf, const char *map, uint32_t entries)
{
	struct bpf_map *found = bpf->lib.find_map(bpf->object, map);

	return found ? bpf->lib.set_max_entries(found, entries) : -ENOENT;
}

int xp_bpf_share(struct xp_bpf *bpf, const char *map, int fd)
{
	struct bpf_map *found = bpf->lib.find_map(bpf->object, map);

	return found ? bpf->lib.reuse_fd(found, fd) : -ENOENT;
}

int xp_bpf_share_all(struct xp_bpf *bpf, struct xp_bpf *with)
{
	struct bpf_map *map = NULL;
	int err = 0;

	while (!err && (map = bpf->lib.next_map(bpf->object, map))) {
		int fd = xp_bpf_map_fd(with, bpf->lib.map_name(map));

		err = fd < 0 ? fd : bpf->lib.reuse_fd(map, fd);
	}
	return err;
}

int xp_bpf_leave_out(struct xp_bpf *bpf, const char *program)
{
	struct bpf_program *found = bpf->lib.find_program(bpf->object, program);

	return found ? bpf->lib.set_autoload(found, false) : -ENOENT;
}

int xp_bpf_set_target(struct xp_bpf *bpf, const char *program, int fd, const char *function)
{
	struct bpf_program *found = bpf->lib.find_program(bpf->object, program);

	return found ? bpf->lib.set_target(found, fd, function) : -ENOENT;
}

/* libbpf names the map after the object: "xperf.rodata" */
void *xp_bpf_constants(struct xp_bpf *bpf, size_t *ret_len)
{
	struct bpf_map *map = NULL;

	*ret_len = 0;
	while ((map = bpf->lib.next_map(bpf->object, map)))
		if (strcmp(bpf->lib.map_name(map), "xperf.rodata") == 0)
			return (void *)bpf->lib.initial_value(map, ret_len);
	return NULL;
}

int xp_bpf_load(struct xp_bpf *bpf, struct xp_diag *diag)
{
	int err = bpf->lib.load(bpf->object);

	return err ? refused(bpf, "loaded", err, diag) : 0;
}

/* Room for one more link, so that what was attached can be kept. */
static int make_room(struct xp_bpf *bpf)
{
	struct bpf_link **links = realloc(bpf->links, (bpf->nr_links + 1) * sizeof(*links));

	if (!links)
		return -ENOMEM;
	bpf->links = links;
	return 0;
}

static int keep(struct xp_bpf *bpf, struct bpf_link *link, struct xp_diag *diag)
{
	if (!link)
		return refused(bpf, "attached", -errno, diag);
	bpf->links[bpf->nr_links++] = link;
	return 0;
}

int xp_bpf_attach(struct xp_bpf *bpf, const char *program, struct xp_diag *diag)
{
	struct bpf_program *found = bpf->lib.find_program(bpf->object, program);
	int err = found ? make_room(bpf) : -ENOENT;

	return err ?: keep(bpf, bpf->lib.attach(found), diag);
}

/* The link closes its descriptor. */
int xp_bpf_attach_event(struct xp_bpf *bpf, const char *program, int event_fd, struct xp_diag *diag)
{
	struct bpf_program *found = bpf->lib.find_program(bpf->object, program);
	int err = found ? make_room(bpf) : -ENOENT;
	int fd = err ? -1 : fcntl(event_fd, F_DUPFD_CLOEXEC, 0);

	if (err || fd < 0)
		return err ?: -errno;
	err = keep(bpf, bpf->lib.attach_event(found, fd), diag);
	if (err)
		close(fd);
	return err;
}

int xp_bpf_attach_probe(struct xp_bpf *bpf, const char *program, int event_fd, uint64_t cookie,
			struct xp_diag *diag)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int err = vec_add(&bpf->probes, bpf->nr_probes, sizeof(*bpf->probes));
	int fd = err ? err : xp_bpf_program_fd(bpf, program);

	if (fd >= 0)
		fd = bpf->lib.create_link(fd, event_fd, BPF_PERF_EVENT, &opts);
	if (fd == -EINVAL)
		return xp_diag_set(diag, -EOPNOTSUPP,
				   "The BPF program '%s' cannot be attached to a probe: this needs "
				   "Linux 5.15",
				   bpf->name);
	if (fd < 0)
		return refused(bpf, "attached", fd, diag);
	bpf->probes[bpf->nr_probes++] = fd;
	return 0;
}

int xp_bpf_program_fd(struct xp_bpf *bpf, const char *program)
{
	struct bpf_program *found = bpf->lib.find_program(bpf->object, program);

	return found ? bpf->lib.program_fd(found) : -ENOENT;
}

int xp_bpf_map_fd(struct xp_bpf *bpf, const char *map)
{
	struct bpf_map *found = bpf->lib.find_map(bpf->object, map);

	return found ? bpf->lib.map_fd(found) : -ENOENT;
}

void *xp_bpf_memory(struct xp_bpf *bpf, const char *map, size_t len)
{
	int fd = xp_bpf_map_fd(bpf, map);

	if (fd < 0 || vec_add(&bpf->memory, bpf->nr_memory, sizeof(*bpf->memory)))
		return NULL;
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return NULL;
	bpf->memory[bpf->nr_memory++] = (struct mapped){ at, len };
	return at;
}

int xp_bpf_lookup(struct xp_bpf *bpf, int map_fd, const void *key, void *ret_value)
{
	return bpf->lib.lookup(map_fd, key, ret_value);
}

int xp_bpf_update(struct xp_bpf *bpf, int map_fd, const void *key, const void *value)
{
	return bpf->lib.update(map_fd, key, value, BPF_ANY);
}

int xp_bpf_delete(struct xp_bpf *bpf, int map_fd, const void *key)
{
	return bpf->lib.delete(map_fd, key);
}

int xp_bpf_next_key(struct xp_bpf *bpf, int map_fd, const void *key, void *ret_next)
{
	return bpf->lib.next_key(map_fd, key, ret_next);
}

int xp_bpf_drain(struct xp_bpf *bpf, int map_fd, const struct xp_bpf_room *room,
		 xp_bpf_drained_fn fn, void *data)
{
	uint32_t place, nr;
	bool is_first = true;
	int err, given = 0;

	do {
		nr = room->nr;
		err = bpf->lib.drain(map_fd, is_first ? NULL : &place, &place, room->keys,
				     room->values, &nr, NULL);
		is_first = false;
		/* -ENOENT: these are the last ones. */
		if ((!err || err == -ENOENT) && nr)
			given = fn(data, nr);
	} while (!err && !given);
	return err && err != -ENOENT ? err : given;
}

int xp_bpf_possible_cpus(struct xp_bpf *bpf)
{
	return bpf->lib.possible_cpus();
}

int xp_bpf_run_on(struct xp_bpf *bpf, int program_fd, int cpu)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .flags = BPF_F_TEST_RUN_ON_CPU, .cpu = (uint32_t)cpu);

	return bpf->lib.run(program_fd, &opts);
}
