// SPDX-License-Identifier: MIT
//
// Stacks of C++ for samples of the clock, as those of kinds.c: of templates, and while exceptions
// are on their way.
#include "frames.h"
#include "truth.h"

#include <cstdlib>
#include <ctime>

namespace
{

volatile int one = 1;

template <int depth> struct Works {
	template <typename T> TRUTH_NOINLINE static T call(T value)
	{
		TRUTH_ENTER_SCOPE();
		return Works<depth - 1>::template call<T>(value) + one;
	}
};

template <> struct Works<0> {
	template <typename T> TRUTH_NOINLINE static T call(T value)
	{
		TRUTH_ENTER_SCOPE();
		kind_works("kind-template");
		return value;
	}
};

TRUTH_NOINLINE void throws(const volatile long &i)
{
	TRUTH_ENTER_SCOPE();
	if (i == 0)
		TRUTH_POINT("kind-throws");
	throw i + one;
}

struct Destroyed {
	const volatile long &i;

	TRUTH_NOINLINE ~Destroyed()
	{
		TRUTH_ENTER_SCOPE();
		if (i == 0)
			TRUTH_POINT("kind-destroys");
	}
};

// Is passed by exceptions, with something to destroy.
TRUTH_NOINLINE void passes(const volatile long &i)
{
	TRUTH_ENTER_SCOPE();
	Destroyed destroyed{ i };
	throws(i);
}

} // namespace

extern "C" void kind_templates(void)
{
	TRUTH_ENTER_SCOPE();
	one = Works<6>::call(1.5) > 0;
}

extern "C" void kind_exceptions(void)
{
	const char *ms = getenv("TRUTH_MS");
	const clock_t until = clock() + (ms ? std::atol(ms) : 0) * (CLOCKS_PER_SEC / 1000);

	TRUTH_ENTER_SCOPE();
	for (volatile long i = 0; i == 0 || clock() < until; i = i + 1)
		try {
			passes(i);
		} catch (long thrown) {
			if (i == 0)
				TRUTH_POINT("kind-catches");
		}
}
