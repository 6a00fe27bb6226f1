/* SPDX-License-Identifier: MIT */
/*
 * Vendor event names through libpfm4, which is loaded here when the first such name is met and not
 * linked: a command that counts by other names does not pay for it. It stays loaded, since its
 * strings are handed out and setting it up takes longer than all the rest.
 *
 * Source: libpfm(3), pfm_get_os_event_encoding(3), pfm_get_perf_event_encoding(3), and their
 * headers; the library's name is its ABI's, libpfm.so.4.
 */
#include "pfm.h"

#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "loaded.h"

/* The functions used, by the types the header gives them. */
struct libpfm {
	void *handle;
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_get_pmu_info) *pmu_info;
	__typeof__(pfm_get_event_next) *event_next;
	__typeof__(pfm_get_event_info) *event_info;
	__typeof__(pfm_get_event_attr_info) *attr_info;
	__typeof__(pfm_get_os_event_encoding) *encode;
};

static const struct loaded_function functions[] = {
	{ "pfm_initialize", offsetof(struct libpfm, initialize) },
	{ "pfm_get_pmu_info", offsetof(struct libpfm, pmu_info) },
	{ "pfm_get_event_next", offsetof(struct libpfm, event_next) },
	{ "pfm_get_event_info", offsetof(struct libpfm, event_info) },
	{ "pfm_get_event_attr_info", offsetof(struct libpfm, attr_info) },
	{ "pfm_get_os_event_encoding", offsetof(struct libpfm, encode) },
};

/*
 * Events of other machines' PMUs are encoded, too: libpfm(3), "ENVIRONMENT VARIABLES". The library
 * reads this once, when it is initialised; later calls change nothing.
 */
static int initialize(const struct libpfm *lib)
{
	static const char inactive[] = "LIBPFM_ENCODE_INACTIVE";
	bool is_set = getenv(inactive);

	if (!is_set)
		setenv(inactive, "1", 1);
	int err = lib->initialize();
	if (!is_set)
		unsetenv(inactive);
	return err == PFM_SUCCESS ? 0 : -ENOSYS;
}

static void unload(const struct libpfm *lib)
{
	dlclose(lib->handle);
}

static int load(struct libpfm *lib, struct xp_diag *diag)
{
	lib->handle =
		library_load("libpfm.so.4", RTLD_NODELETE, functions, XP_ARRAY_LEN(functions), lib);
	if (lib->handle && !initialize(lib))
		return 0;
	if (lib->handle)
		unload(lib);
	xp_diag_set(diag, -ENOSYS, "vendor event names are unknown: libpfm.so.4 cannot be loaded");
	xp_diag_hint(diag, "Install the package libpfm4");
	return -ENOSYS;
}

static int walk_pmus(const struct libpfm *lib, bool present, xp_vendor_pmu_fn fn, void *data)
{
	int err = 0;

	for (int id = PFM_PMU_NONE; id < PFM_PMU_MAX && !err; id++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (lib->pmu_info((pfm_pmu_t)id, &info) != PFM_SUCCESS)
			continue;
		bool is_generic = info.type == PFM_PMU_TYPE_OS_GENERIC;
		if ((info.is_present || is_generic) != present)
			continue;
		const struct xp_vendor_pmu pmu = {
			.name = info.name,
			.desc = info.desc,
			.nr_events = info.nevents,
			.id = id,
			.is_present = present,
			.is_core = info.type == PFM_PMU_TYPE_CORE,
			.is_generic = is_generic,
		};

		err = fn(&pmu, data);
	}
	return err;
}

int xp_vendor_walk_pmus(xp_vendor_pmu_fn fn, void *data, struct xp_diag *diag)
{
	struct libpfm lib;
	int err = load(&lib, diag);

	if (err)
		return err;
	err = walk_pmus(&lib, true, fn, data) ?: walk_pmus(&lib, false, fn, data);
	unload(&lib);
	return err;
}

static int walk_events(const struct libpfm *lib, int first, xp_vendor_event_fn fn, void *data)
{
	int err = 0;

	for (int id = first; id != -1 && !err; id = lib->event_next(id)) {
		pfm_event_info_t info = { .size = sizeof(info) };

		if (lib->event_info(id, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
			continue;
		const struct xp_vendor_event event = { info.name, info.desc, id };
		err = fn(&event, data);
	}
	return err;
}

int xp_vendor_walk_events(const struct xp_vendor_pmu *pmu, xp_vendor_event_fn fn, void *data,
			  struct xp_diag *diag)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };
	struct libpfm lib;
	int err = load(&lib, diag);

	if (err)
		return err;
	if (lib.pmu_info((pfm_pmu_t)pmu->id, &info) == PFM_SUCCESS && info.nevents)
		err = walk_events(&lib, info.first_event, fn, data);
	unload(&lib);
	return err;
}

/* The event another one is a second name of, or itself: unit masks are the first one's. */
static int original_of(const struct libpfm *lib, int event)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

	if (lib->event_info(event, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS || !info.equiv ||
	    lib->pmu_info(info.pmu, &pmu) != PFM_SUCCESS)
		return event;
	for (int id = pmu.first_event; id != -1; id = lib->event_next(id)) {
		pfm_event_info_t other = { .size = sizeof(other) };

		if (lib->event_info(id, PFM_OS_PERF_EVENT_EXT, &other) == PFM_SUCCESS &&
		    !strcmp(other.name, info.equiv))
			return id;
	}
	return event;
}

int xp_vendor_walk_attrs(const struct xp_vendor_event *event, xp_vendor_attr_fn fn, void *data,
			 struct xp_diag *diag)
{
	struct libpfm lib;
	int err = load(&lib, diag);

	if (err)
		return err;
	int id = original_of(&lib, event->id);
	for (int i = 0; !err; i++) {
		pfm_event_attr_info_t info = { .size = sizeof(info) };

		if (lib.attr_info(id, i, PFM_OS_PERF_EVENT_EXT, &info) != PFM_SUCCESS)
			break;
		const struct xp_vendor_attr attr = {
			.name = info.name,
			.desc = info.desc,
			.is_umask = info.type == PFM_ATTR_UMASK,
			.is_default = info.type == PFM_ATTR_UMASK && info.is_dfl,
			.is_flag = info.type == PFM_ATTR_MOD_BOOL,
		};
		err = fn(&attr, data);
	}
	unload(&lib);
	return err;
}

/* The answers that have a cause in what the user wrote. */
static const struct {
	int code;
	const char *why;
} refusals[] = {
	{ PFM_ERR_FEATCOMB, "these unit masks or modifiers cannot be combined" },
	{ PFM_ERR_UMASK, "the event needs a unit mask, or another combination of them" },
	{ PFM_ERR_ATTR, "the event does not have this unit mask or modifier" },
	{ PFM_ERR_ATTR_VAL, "the modifier cannot have this value" },
	{ PFM_ERR_ATTR_SET, "this modifier is given twice" },
	{ PFM_ERR_TOOMANY, "too many unit masks" },
};

static int refused(int code, const char **ret_why)
{
	if (code == PFM_ERR_NOTSUPP)
		return -ENOTSUP;
	if (code == PFM_ERR_NOMEM)
		return -ENOMEM;
	*ret_why = "libpfm4 cannot encode this event";
	for (size_t i = 0; i < XP_ARRAY_LEN(refusals); i++)
		if (refusals[i].code == code)
			*ret_why = refusals[i].why;
	return -EINVAL;
}

static struct xp_attr attr_of(const struct perf_event_attr *a)
{
	return (struct xp_attr){
		.type = a->type,
		.config = a->config,
		.config1 = a->config1,
		.config2 = a->config2,
		.sample_period = a->sample_period,
		.freq = a->freq,
		.exclude_user = a->exclude_user,
		.exclude_kernel = a->exclude_kernel,
		.exclude_hv = a->exclude_hv,
		.exclude_host = a->exclude_host,
		.exclude_guest = a->exclude_guest,
		.pinned = a->pinned,
		.exclusive = a->exclusive,
		.precise_ip = a->precise_ip,
	};
}

int xp_pfm_encode(const char *text, struct xp_attr *ret_attr, const char **ret_why)
{
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	struct libpfm lib;
	int err = load(&lib, NULL);

	if (err)
		return err;
	/* All rings, unless modifiers say otherwise. */
	int code = lib.encode(text, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT_EXT, &arg);
	unload(&lib);
	if (code != PFM_SUCCESS)
		return refused(code, ret_why);
	*ret_attr = attr_of(&attr);
	return 0;
}
