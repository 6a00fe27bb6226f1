#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Go's compiler takes a recording as the profile that it optimises for: with lines of calls from where
# their functions begin, also of a program that was stripped.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
command -v go >/dev/null || skip "there is no go"

export GOFLAGS=-mod=mod GOTOOLCHAIN=local HOME=$dir
cat >go.mod <<'END'
module hot
go 1.21
END
cat >main.go <<'END'
package main

import "fmt"

type shape interface{ area(i int) int }
type square struct{ a int }
type circle struct{ r int }

func (s square) area(i int) int { return s.a*s.a + i }
func (c circle) area(i int) int { return 3*c.r*c.r + i }

//go:noinline
func pick(i int) shape {
	if i%100 == 0 {
		return circle{i}
	}
	return square{i}
}

func main() {
	s := 0
	for i := 0; i < 8000000; i++ {
		s += pick(i).area(i)
	}
	fmt.Println(s)
}
END
go build -o hot . >out 2>err || skip "go builds nothing here: $(head -n 1 err)"
go build -ldflags=-s -o stripped . >out 2>err || skip "go builds nothing here: $(head -n 1 err)"
for program in hot stripped; do
	record -g -F 2000 -o data ./$program
	"$XPERF" export -f pprof -i data -o profile >out 2>err || complain "$program: no profile"
	go build -pgo=profile -gcflags=-m=2 -o other . >out 2>err || complain "$program: go does not take it"
	cat out err | grep 'PGO devirtualizing interface call .* to square.area' >/dev/null ||
		complain "$program: go finds no hot call in it"
done
exit $failed
