/* SPDX-License-Identifier: MIT */
/* A program for live/lines-truth: templates, lambdas and virtual functions, inlined in each other.
 */
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace shapes
{
template <class T> struct box {
	T value;
	T twice() const
	{
		return value + value;
	}
	template <class F> auto map(F function) const
	{
		return function(value);
	}
};

struct base {
	virtual ~base()
	{
	}
	virtual int go(int x) = 0;
};

struct derived : base {
	int factor;
	explicit derived(int factor) : factor(factor)
	{
	}
	int go(int x) override
	{
		return box<int>{ x }.map([this](int y) { return y * factor + 1; });
	}
};
} // namespace shapes

static std::map<std::string, int> known;

static int work(int n)
{
	std::vector<int> numbers;
	int sum = 0;

	for (int i = 0; i < n; i++)
		numbers.push_back((i * 7919) % 1009);
	std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a % 10 < b % 10; });
	for (auto x : numbers) {
		sum += shapes::box<int>{ x }.twice();
		known[std::to_string(x)] += sum;
	}
	std::function<int(int)> add = [&](int x) { return x + sum; };
	if (sum == 12345)
		throw std::runtime_error("a sum that does not occur");
	return add(sum);
}

int main(int argc, char **)
{
	std::unique_ptr<shapes::base> shape = std::make_unique<shapes::derived>(3);
	int sum = 0;

	for (int i = 0; i < 30; i++)
		sum += work(500 * argc) + shape->go(i);
	return sum == 1 && known.empty();
}
