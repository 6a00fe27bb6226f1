// SPDX-License-Identifier: MIT
//
// Stacks of Go for samples of the clock: by functions, interfaces and closures, and of goroutines. The first
// call of the innermost function writes what Go's runtime says of the stack to the file that NOTES names:
// functions, innermost first, one stack a line. It works until it has used TRUTH_MS milliseconds in each.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"
)

var one = uint64(1)

func note() {
	pcs := make([]uintptr, 200)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	names := []string{}
	for {
		frame, more := frames.Next()
		names = append(names, frame.Function)
		if !more {
			break
		}
	}
	file, err := os.OpenFile(os.Getenv("NOTES"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(file, strings.Join(names, " "))
	file.Close()
}

//go:noinline
func leaf(i, a uint64) uint64 {
	sum := a
	for n := uint64(0); n < 20; n++ {
		sum ^= n*a + i*one
	}
	return sum
}

//go:noinline
func middle(i, a uint64) uint64 {
	var array [64]uint64

	array[i&63] = a
	if i == 0 {
		note()
	}
	return leaf(i, a+array[one&63]) + array[i&63]
}

//go:noinline
func works(a uint64) uint64 {
	ms, _ := strconv.Atoi(os.Getenv("TRUTH_MS"))
	until := time.Now().Add(time.Duration(ms) * time.Millisecond)
	sum := uint64(0)
	for i := uint64(0); i == 0 || i%1000 != 0 || time.Now().Before(until); i++ {
		sum ^= middle(i, a)
	}
	return sum
}

type shape interface{ area() uint64 }
type square struct{ side uint64 }

//go:noinline
func (s *square) area() uint64 { return works(s.side) + one }

//go:noinline
func recursion(depth int, s shape) uint64 {
	if depth > 0 {
		return recursion(depth-1, s) + one
	}
	return s.area() + one
}

//go:noinline
func sorts() int {
	two := []uint64{2, 1}
	done := false
	sort.Slice(two, func(i, j int) bool {
		if !done {
			done = true
			two[i] += works(3) & 1
		}
		return two[i] < two[j]
	})
	return len(two)
}

//go:noinline
func inGoroutine(result chan uint64) { result <- works(5) + one }

func main() {
	sum := recursion(20, &square{one + 6})
	sum += uint64(sorts())
	result := make(chan uint64)
	go inGoroutine(result)
	sum += <-result
	one = sum & 1
}
