// SPDX-License-Identifier: MIT
//
// Points while exceptions are on their way, and in code that C++ compilers make.
#include "frames.h"
#include "truth.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

volatile int one = 1;

TRUTH_NOINLINE int inner(const char *name)
{
	TRUTH_ENTER_SCOPE();
	TRUTH_POINT(name);
	return one;
}

struct Local {
	const char *name;

	TRUTH_NOINLINE ~Local()
	{
		TRUTH_ENTER_SCOPE();
		TRUTH_POINT(name);
		inner(name);
	}
};

[[noreturn]] TRUTH_NOINLINE void throws(const char *text)
{
	TRUTH_ENTER_SCOPE();
	std::string local(text + std::string(100 * one, 'x'));
	throw std::runtime_error(local);
}

TRUTH_NOINLINE int passes_on(const char *name)
{
	TRUTH_ENTER_SCOPE();
	Local local{ name };
	throws("passed on");
	return inner(name);
}

TRUTH_NOINLINE int catches(const char *in_destructor, const char *in_catch)
{
	TRUTH_ENTER_SCOPE();
	std::vector<int> numbers(one * 5, 2);
	try {
		return passes_on(in_destructor);
	} catch (const std::exception &error) {
		TRUTH_POINT(in_catch);
		return inner(in_catch) + (int)numbers.size() + error.what()[0];
	}
}

// Thrown and caught within a destructor that runs because of another exception.
struct Nested {
	TRUTH_NOINLINE ~Nested()
	{
		TRUTH_ENTER_SCOPE();
		catches("nested-destructor", "nested-catch");
	}
};

TRUTH_NOINLINE int nests()
{
	TRUTH_ENTER_SCOPE();
	Nested nested;
	throws("outer");
	return one;
}

TRUTH_NOINLINE int rethrows()
{
	TRUTH_ENTER_SCOPE();
	try {
		return nests();
	} catch (...) {
		inner("before-rethrow");
		throw;
	}
}

TRUTH_NOINLINE void catches_all()
{
	TRUTH_ENTER_SCOPE();
	try {
		rethrows();
	} catch (...) {
		inner("after-rethrow");
	}
}

struct Shape {
	virtual ~Shape() = default;
	virtual int area(int by) const = 0;
};

struct Other {
	virtual ~Other() = default;
	virtual int other(int by) const = 0;
	volatile char size[80];
};

// Called through Other, by way of a thunk that moves the object's address.
struct Square : Shape, Other {
	TRUTH_NOINLINE int area(int by) const override
	{
		TRUTH_ENTER_SCOPE();
		TRUTH_POINT("virtual");
		return by + inner("virtual");
	}

	TRUTH_NOINLINE int other(int by) const override
	{
		TRUTH_ENTER_SCOPE();
		TRUTH_POINT("virtual-thunk");
		return by + inner("virtual-thunk");
	}
};

template <int depth> struct Template {
	template <typename T> TRUTH_NOINLINE static T call(T value)
	{
		TRUTH_ENTER_SCOPE();
		return Template<depth - 1>::template call<T>(value) + one;
	}
};

template <> struct Template<0> {
	template <typename T> TRUTH_NOINLINE static T call(T value)
	{
		TRUTH_ENTER_SCOPE();
		TRUTH_POINT("template");
		return value;
	}
};

TRUTH_NOINLINE int calls_function(const std::function<int(int)> &function)
{
	TRUTH_ENTER_SCOPE();
	return function(one) + one;
}

TRUTH_NOINLINE void uses_objects(const Shape &shape, const Other &other)
{
	TRUTH_ENTER_SCOPE();
	std::string captured("captured");
	std::vector<int> numbers{ 5, 3, 8, 1, 9, 2 };
	bool first = true;

	one = shape.area(1) > 0 && other.other(1) > 0;
	one = Template<6>::call(1.5) > 0;
	calls_function([&](int value) __attribute__((noinline)) {
		TRUTH_ENTER_SCOPE();
		TRUTH_POINT("lambda-in-function");
		return value + (int)captured.size();
	});
	std::sort(
		numbers.begin(), numbers.end(), [&](int a, int b) __attribute__((noinline)) {
			TRUTH_ENTER_SCOPE();
			if (first)
				TRUTH_POINT("lambda-in-sort");
			first = false;
			return a < b;
		});
	std::thread([&] {
		static struct truth_stack stack;
		truth_stack = &stack;
		TRUTH_ENTER_SCOPE();
		inner("std-thread");
	}).join();
}

// Initialized when it is used first, below the guard of libstdc++.
struct Late {
	TRUTH_NOINLINE Late()
	{
		TRUTH_ENTER_SCOPE();
		TRUTH_POINT("static-constructor");
	}
};

TRUTH_NOINLINE void uses_late()
{
	TRUTH_ENTER_SCOPE();
	static Late late;
	static std::map<std::string, std::unique_ptr<Late>> others;
	others["one"] = nullptr;
}

} // namespace

extern "C" void group_exceptions(void)
{
	TRUTH_ENTER_SCOPE();
	catches("destructor-in-flight", "catch-block");
	catches_all();
}

extern "C" void group_objects(void)
{
	TRUTH_ENTER_SCOPE();
	Square square;
	uses_objects(square, square);
	uses_late();
}
