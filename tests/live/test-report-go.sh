#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions and lines of stripped programs in Go, by Go's own table: static, as PIE, with C code before
# Go's, and without a list of sections.
set -u
# shellcheck source=tests/live/record.sh
. "$SOURCE_DIR/tests/live/record.sh"
"$XPERF" check -q feature libelf || skip 'this xperf reads no ELF files'
command -v go >/dev/null || skip 'there is no go'
need_record
export GOCACHE=$dir/cache GOFLAGS=-mod=mod GOTOOLCHAIN=local GO111MODULE=on

printf 'module hot\n\ngo 1.18\n' >go.mod
cat >hot.go <<'END'
package main

import (
	"os"
	"time"
)

var sink uint64

type point struct{ x uint64 }

//go:noinline
func (p *point) hotMethod(n int) {
	for i := 0; i < n; i++ {
		p.x = p.x*31 + uint64(i)
	}
}

//go:noinline
func hotFunction(n int) {
	for i := 0; i < n; i++ {
		sink = sink*7 + uint64(i)
	}
}

func main() {
	p := point{}
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		p.hotMethod(200000)
		hotFunction(100000)
	}
	if p.x+sink == 1 {
		os.Exit(1)
	}
}
END
cat >with-c.txt <<'END'
package main

// static int more(int a) { return a + 1; }
import "C"

func init() { sink = uint64(C.more(1)) }
END
CGO_ENABLED=0 go build -ldflags '-s -w' -o static . 2>err || skip "go builds nothing: $(head -n 1 err)"
programs=static
CGO_ENABLED=0 go build -ldflags '-s -w' -buildmode=pie -o pie . 2>err && programs+=' pie'
cp with-c.txt with-c.go
CGO_ENABLED=1 go build -ldflags '-s -w' -o with-c . 2>err && programs+=' with-c'
CGO_ENABLED=1 go build -ldflags '-s -w' -buildmode=pie -o with-c-pie . 2>err && programs+=' with-c-pie'
# Without the list of sections: 64-bit files of this byte order.
for program in $programs; do
	cp "$program" "$program-bare"
	dd if=/dev/zero of="$program-bare" bs=1 seek=40 count=8 conv=notrunc status=none
	dd if=/dev/zero of="$program-bare" bs=1 seek=58 count=6 conv=notrunc status=none
	programs+=" $program-bare"
done

for program in $programs; do
	record -o data "./$program"
	"$XPERF" report -i data -q --stdio -s symbol,srcline >out 2>>err
	head -n 4 out | grep -q ' main\.(\*point)\.hotMethod  *hot\.go:1[45]' &&
		head -n 4 out | grep -q ' main\.hotFunction  *hot\.go:2[12]' ||
		complain "$program: functions or lines are missing"
done
exit "$failed"
