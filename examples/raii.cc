/* SPDX-License-Identifier: MIT */
/*
 * raii: objects of libxperf owned by C++.
 *
 *     raii COMMAND [ARGUMENT]...
 *
 * Every object has a function that frees it, and all of these accept NULL: std::unique_ptr with
 * that function as its deleter is all that is needed. Failures become exceptions with the sentence
 * of struct xp_diag.
 */
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <xperf/xperf.h>

namespace
{

template <typename T, void (*free_it)(T *)> struct Deleter {
	void operator()(T *object) const
	{
		free_it(object);
	}
};
template <typename T, void (*free_it)(T *)> using Owner = std::unique_ptr<T, Deleter<T, free_it>>;

using Context = Owner<xp_ctx, xp_ctx_free>;
using List = Owner<xp_evlist, xp_evlist_free>;
using Counts = Owner<xp_counts, xp_counts_free>;
using Workload = Owner<xp_workload, xp_workload_free>;
using Threads = Owner<xp_threads, xp_threads_unref>;

void check(int err, const xp_diag &diag)
{
	if (err < 0)
		throw std::runtime_error(diag.err ? diag.what : std::strerror(-err));
}

/* Calls a function whose last parameter but @diag is the object that it makes. */
template <typename O, typename Fn> O make(Fn fn)
{
	typename O::pointer made = nullptr;
	xp_diag diag = {};

	check(fn(&made, &diag), diag);
	return O(made);
}

void count(char **argv)
{
	/* Declared in the order in which they are made, and freed in the opposite one. */
	auto ctx = make<Context>([](xp_ctx **ret, xp_diag *) { return xp_ctx_new(nullptr, ret); });
	auto list = make<List>(
		[&](xp_evlist **ret, xp_diag *) { return xp_evlist_new(ctx.get(), ret); });
	auto work = make<Workload>([&](xp_workload **ret, xp_diag *diag) {
		return xp_workload_prepare(ctx.get(), argv, ret, diag);
	});
	auto threads = make<Threads>([&](xp_threads **ret, xp_diag *) {
		return xp_threads_one(ctx.get(), xp_workload_pid(work.get()), ret);
	});
	xp_open_opts where = {};
	xp_exit how;
	xp_diag diag = {};

	where.size = sizeof(where);
	where.threads = threads.get();
	where.inherit = true;
	where.enable_on_exec = true;
	check(xp_evlist_parse(list.get(), "page-faults,task-clock", &diag), diag);
	check(xp_evlist_open(list.get(), &where, &diag), diag);
	check(xp_workload_start(work.get(), &diag), diag);
	check(xp_workload_wait(work.get(), true, &how), diag);

	auto counts = make<Counts>([&](xp_counts **ret, xp_diag *) {
		return xp_counts_new(xp_evlist_nr(list.get()), 1, 1, ret);
	});
	check(xp_evlist_read(list.get(), nullptr, counts.get()), diag);
	for (int i = 0; i < xp_evlist_nr(list.get()); i++)
		std::printf("%15.0f  %s\n", xp_count_scale(xp_counts_at(counts.get(), i, 0, 0)),
			    xp_evsel_name(xp_evlist_at(list.get(), i)));
}

} // namespace

int main(int argc, char **argv)
{
	char nothing[] = "true";
	char *command[] = { nothing, nullptr };

	try {
		count(argc > 1 ? argv + 1 : command);
	} catch (const std::exception &failure) {
		std::fprintf(stderr, "raii: %s\n", failure.what());
		return 1;
	}
	return 0;
}
