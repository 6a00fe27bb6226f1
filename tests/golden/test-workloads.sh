#!/bin/bash
# SPDX-License-Identifier: MIT
# Built-in workloads run, and the program has the symbols and line numbers that scripts look for.
set -u
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}

declare -A args=([brstack]=10 [callchain]=10 [deterministic]=10 [context_switch_loop]=10
	[named_threads]='3 0.01' [thloop]='0.01 3')
for name in $("$XPERF" test --list-workloads); do
	# shellcheck disable=SC2086
	"$XPERF" test -w "$name" ${args[$name]:-0.01} || fail "$name: status $?"
	"$XPERF" test -w "$name" x 2>/dev/null && fail "$name takes 'x' for a number"
done
"$XPERF" test -w noplop 2>&1 | grep -q "did you mean 'noploop'" || fail "no suggestion"
"$XPERF" test -w noplop 2>/dev/null && fail "an unknown workload is no failure"
"$XPERF" test nosuch 2>/dev/null && fail "an unknown check is no failure"

(($(grep -c . <("$XPERF" test --list-workloads)) > 8)) || fail "workloads are missing"

# Test scripts know these lines.
lines()
{
	sed -n "$2p" "$SOURCE_DIR/cli/workloads/$1"
}
(($(lines inlineloop.c 20,29 | grep -c 'sum += step;\|leaf(step);') == 2)) || fail "inlineloop.c, 20-29"
lines inlineloop.c 30,39 | grep -q 'middle(step);' || fail "inlineloop.c, 30-39"
for range in 9,11 16,18 24,26 30,32; do
	(($(lines deterministic.c $range | grep -c 'number = number') == 3)) ||
		fail "deterministic.c, $range"
done

"$XPERF" check -q feature libelf || { echo "no libelf: symbols are not checked"; exit $failed; }
symbols=$("$XPERF" test -vv -F Symbols) || fail "Symbols: status $?"
for name in noploop thloop test_loop leafloop leaf parent inlineloop sqrtloop brstack \
	brstack_bench brstack_foo brstack_bar callchain callchain_foo callchain_do_syscall datasym \
	buf1 deterministic context_switch_loop_proc1 context_switch_loop_proc2 \
	named_threads_thread1 named_threads_thread10; do
	grep -q "[[:space:]]$name$" <<<"$symbols" || fail "no symbol $name"
done
exit $failed
