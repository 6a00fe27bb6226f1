// SPDX-License-Identifier: MIT
//
// Stacks of Rust for samples of the clock: by functions, trait objects and closures, in a thread, and while
// a panic is on its way. The first call of the innermost function writes the names of the functions that
// called each other to the file that NOTES names: innermost first, one stack a line. It works until it has
// used TRUTH_MS milliseconds in each.
use std::cell::RefCell;
use std::fs::OpenOptions;
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

thread_local! {
    static STACK: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

struct Entered;

impl Entered {
    #[inline(always)]
    fn new(name: &'static str) -> Entered {
        STACK.with(|stack| stack.borrow_mut().push(name));
        Entered
    }
}

impl Drop for Entered {
    #[inline(always)]
    fn drop(&mut self) {
        STACK.with(|stack| stack.borrow_mut().pop());
    }
}

#[inline(never)]
fn note() {
    let line = STACK.with(|stack| stack.borrow().iter().rev().copied().collect::<Vec<_>>().join(" "));
    let path = std::env::var("NOTES").unwrap();
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

fn until() -> Instant {
    let ms = std::env::var("TRUTH_MS").ok().and_then(|ms| ms.parse().ok()).unwrap_or(0);
    Instant::now() + Duration::from_millis(ms)
}

#[inline(never)]
fn leaf(i: u64, a: u64) -> u64 {
    if i == 0 {
        let _entered = Entered::new("leaf");
        note();
    }
    let mut sum = a;
    for n in 0..20 {
        sum = black_box(sum ^ (n * a + i));
    }
    sum
}

#[inline(never)]
fn works(a: u64) -> u64 {
    let _entered = Entered::new("works");
    let end = until();
    let (mut i, mut sum) = (0, 0);
    while i == 0 || i % 1000 != 0 || Instant::now() < end {
        sum ^= leaf(i, a);
        i += 1;
    }
    sum
}

trait Shape {
    fn area(&self) -> u64;
}

struct Square(u64);

impl Shape for Square {
    #[inline(never)]
    fn area(&self) -> u64 {
        let _entered = Entered::new("area");
        works(self.0) + 1
    }
}

#[inline(never)]
fn recursion(depth: u32, shape: &dyn Shape) -> u64 {
    let _entered = Entered::new("recursion");
    if depth > 0 {
        recursion(black_box(depth - 1), shape) + 1
    } else {
        shape.area() + 1
    }
}

#[inline(never)]
fn sorts() -> usize {
    let _entered = Entered::new("sorts");
    let mut two = vec![black_box(2u64), 1];
    two.sort_by_key(|n| if *n == 1 { works(1) & 1 } else { *n });
    two.len()
}

#[inline(never)]
fn in_thread() -> u64 {
    let _entered = Entered::new("in_thread");
    works(3) + 1
}

#[inline(never)]
fn panics(i: u64) {
    let _entered = Entered::new("panics");
    if i == 0 {
        works(5);
    }
    std::panic::resume_unwind(Box::new(i));
}

#[inline(never)]
fn catches() -> u64 {
    let _entered = Entered::new("catches");
    let end = until() + Duration::from_millis(20);
    let mut i = 0;
    while i == 0 || Instant::now() < end {
        i += u64::from(std::panic::catch_unwind(|| panics(black_box(i))).is_err());
    }
    i
}

fn main() {
    let _entered = Entered::new("main");
    let mut sum = recursion(20, &Square(black_box(7)));
    sum += sorts() as u64;
    sum += std::thread::spawn(in_thread).join().unwrap();
    sum += catches();
    black_box(sum);
}
