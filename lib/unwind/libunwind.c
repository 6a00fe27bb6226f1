/* SPDX-License-Identifier: MIT */
/*
 * libunwind, which is loaded when it is asked for and not linked: the library of this machine, used
 * for memory that is not this process's.
 *
 * Source: libunwind(3), unw_create_addr_space(3), unw_step(3); libunwind-dynamic.h. The library's
 * name is its ABI's.
 */
#define UNW_REMOTE_ONLY
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <libunwind.h>
#include <stdlib.h>

#include "cleanup.h"
#include "loaded.h"
#include "remote.h"

#define TEXT_OF(name) TEXT(name)
#define TEXT(name)    #name

/* Its functions are named by the machine; there is no declaration of the last. */
struct libunwind {
	void *handle;
	__typeof__(unw_create_addr_space) *create;
	__typeof__(unw_destroy_addr_space) *destroy;
	__typeof__(unw_init_remote) *init;
	__typeof__(unw_step) *step;
	__typeof__(unw_get_reg) *get_reg;
	__typeof__(unw_is_signal_frame) *is_signal;
	int (*search)(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table,
		      unw_proc_info_t *info, int need_info, void *data);
};

#define FUNCTION(name, member)                                                                     \
	{                                                                                          \
		TEXT_OF(name), offsetof(struct libunwind, member)                                  \
	}
static const struct loaded_function functions[] = {
	FUNCTION(unw_create_addr_space, create),
	FUNCTION(unw_destroy_addr_space, destroy),
	FUNCTION(unw_init_remote, init),
	FUNCTION(unw_step, step),
	FUNCTION(unw_get_reg, get_reg),
	FUNCTION(unw_is_signal_frame, is_signal),
	FUNCTION(UNW_ARCH_OBJ(dwarf_search_unwind_table), search),
};
#undef FUNCTION

struct xp_remote {
	struct libunwind lib;
	unw_addr_space_t space;
	const struct remote_thread *thread;
};

static int find_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info, int need_info,
		     void *data)
{
	struct xp_remote *remote = data;
	struct remote_table found;

	if (!remote->thread->find_table(remote->thread->data, ip, &found))
		return -UNW_ENOINFO;
	/* An entry has two numbers of 4 bytes. */
	unw_dyn_info_t table = { .start_ip = (unw_word_t)found.start,
				 .end_ip = (unw_word_t)found.end,
				 .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	table.u.rti.segbase = (unw_word_t)found.base;
	table.u.rti.table_data = (unw_word_t)found.entries;
	table.u.rti.table_len = (unw_word_t)(found.nr * 8 / sizeof(unw_word_t));
	return remote->lib.search(space, ip, &table, info, need_info, data);
}

static void put_info(unw_addr_space_t space, unw_proc_info_t *info, void *data)
{
	(void)space, (void)info, (void)data;
}

static int no_list(unw_addr_space_t space, unw_word_t *ret_address, void *data)
{
	(void)space, (void)ret_address, (void)data;
	return -UNW_ENOINFO;
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write,
			 void *data)
{
	const struct remote_thread *thread = ((struct xp_remote *)data)->thread;
	uint64_t word;

	(void)space;
	if (write || !thread->read(thread->data, address, sizeof(*value), &word))
		return -UNW_EINVAL;
	*value = (unw_word_t)word;
	return 0;
}

static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value,
			   int write, void *data)
{
	const struct remote_thread *thread = ((struct xp_remote *)data)->thread;

	(void)space;
	if (number == UNW_REG_IP)
		*value = (unw_word_t)thread->frame->pc;
	else if (!write && number >= 0 && frame_knows(thread->frame, (unsigned int)number))
		*value = (unw_word_t)thread->frame->regs[number];
	else
		return -UNW_EBADREG;
	return write ? -UNW_EREADONLYREG : 0;
}

static int no_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int write,
		    void *data)
{
	(void)space, (void)number, (void)value, (void)write, (void)data;
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *data)
{
	(void)space, (void)cursor, (void)data;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t address, char *name, size_t len,
		   unw_word_t *offset, void *data)
{
	(void)space, (void)address, (void)name, (void)len, (void)offset, (void)data;
	return -UNW_EINVAL;
}

int xp_remote_open(struct xp_remote **ret_remote)
{
	unw_accessors_t accessors = {
		.find_proc_info = find_info,
		.put_unwind_info = put_info,
		.get_dyn_info_list_addr = no_list,
		.access_mem = access_memory,
		.access_reg = access_register,
		.access_fpreg = no_float,
		.resume = no_resume,
		.get_proc_name = no_name,
	};
	struct xp_remote *remote = calloc(1, sizeof(*remote));

	if (!remote)
		return -ENOMEM;
	remote->lib.handle = library_load("libunwind-" TEXT_OF(UNW_TARGET) ".so.8", RTLD_NODELETE,
					  functions, XP_ARRAY_LEN(functions), &remote->lib);
	if (remote->lib.handle)
		remote->space = remote->lib.create(&accessors, 0);
	if (remote->space) {
		*ret_remote = remote;
		return 0;
	}
	xp_remote_close(remote);
	return -ENOSYS;
}

void xp_remote_close(struct xp_remote *remote)
{
	if (!remote)
		return;
	if (remote->space)
		remote->lib.destroy(remote->space);
	if (remote->lib.handle)
		dlclose(remote->lib.handle);
	free(remote);
}

int xp_remote_machine(const struct xp_remote *remote)
{
	/* Of the program itself. Source: elf.h */
	static const struct {
		const char *name;
		int machine;
	} machines[] = { { "x86_64", EM_X86_64 }, { "x86", EM_386 }, { "aarch64", EM_AARCH64 } };
	const char *target = TEXT_OF(UNW_TARGET);

	(void)remote;
	for (size_t i = 0; i < XP_ARRAY_LEN(machines); i++)
		if (!__builtin_strcmp(machines[i].name, target))
			return machines[i].machine;
	return EM_NONE;
}

enum remote_end xp_remote_walk(struct xp_remote *remote, const struct remote_thread *thread)
{
	unw_cursor_t cursor;
	unw_word_t pc, sp;
	int more = 1;
	bool was_signal = false;

	remote->thread = thread;
	if (remote->lib.init(&cursor, remote->space, remote))
		return REMOTE_BAD;
	while (more > 0) {
		if (remote->lib.get_reg(&cursor, UNW_REG_IP, &pc) ||
		    remote->lib.get_reg(&cursor, UNW_REG_SP, &sp))
			return REMOTE_BAD;
		if (!pc)
			return REMOTE_COMPLETE;
		if (!thread->add(thread->data, pc, sp, was_signal))
			return REMOTE_ENOUGH;
		was_signal = remote->lib.is_signal(&cursor) > 0;
		more = remote->lib.step(&cursor);
	}
	return !more ? REMOTE_COMPLETE : more == -UNW_ENOINFO ? REMOTE_NO_INFO : REMOTE_BAD;
}
