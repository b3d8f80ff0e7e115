//! Jobs that a thread outside the pool hands over one by one; the mirror of bench/jobs/rows/submit.hpp.

use crate::kernels::Context;
use crate::measure::{now_ns, seconds_per_call};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

const FLOOD_JOBS: usize = 200_000;
const FLOOD_PATIENCE_NS: i64 = 20_000_000_000;
const LINES: usize = 256;

#[repr(align(128))]
struct Line(AtomicU64);

static COUNTS: [Line; LINES] = [const { Line(AtomicU64::new(0)) }; LINES];
static NEXT_LINE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MY_LINE: &'static Line = &COUNTS[NEXT_LINE.fetch_add(1, Ordering::Relaxed)];
}

/// What a job of the flood does: it counts itself, in a line of its thread's own.
pub fn count_job() {
    MY_LINE.with(|line| line.0.store(line.0.load(Ordering::Relaxed) + 1, Ordering::Release));
}

fn jobs_run() -> u64 {
    COUNTS.iter().map(|line| line.0.load(Ordering::Acquire)).sum()
}

fn flood_once(flood: &impl Fn(usize)) {
    let wanted = jobs_run() + FLOOD_JOBS as u64;
    flood(FLOOD_JOBS);
    let give_up = now_ns() + FLOOD_PATIENCE_NS;
    while jobs_run() < wanted {
        assert!(now_ns() < give_up, "not all jobs of a flood have run");
        std::thread::yield_now();
    }
    assert_eq!(jobs_run(), wanted);
}

pub fn flood_row(context: &mut Context, flood: impl Fn(usize)) {
    let seconds = seconds_per_call(context.min_seconds(), || flood_once(&flood));
    context.answer.add("flood", "ns", seconds * 1e9 / FLOOD_JOBS as f64);
}

const THEN_LINKS: u64 = 1_000_000;

/// What a link of the row `then` makes of the value of the one before.
pub fn chain_link(value: u64, link: u64) -> u64 {
    value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(link)
}

pub fn then_row(context: &mut Context, then_chain: impl Fn(u64) -> u64) {
    let expected = (0..THEN_LINKS).fold(0, chain_link);
    let seconds = seconds_per_call(context.min_seconds(), || assert_eq!(then_chain(THEN_LINKS), expected));
    context.answer.add("then", "ns", seconds * 1e9 / THEN_LINKS as f64);
}

fn trips_ns(count: u64, trip: &impl Fn(u64) -> u64) -> Vec<f64> {
    for warm in 0..count / 10 {
        trip(warm);
    }
    (0..count)
        .map(|sample| {
            let start = now_ns();
            let answer = trip(sample);
            let elapsed = now_ns() - start;
            assert_eq!(answer, sample + 1);
            elapsed as f64
        })
        .collect()
}

pub fn submit_wait_row(
    context: &mut Context,
    submit_wait: impl Fn(u64) -> u64,
    submit_ready: impl Fn(u64) -> u64,
) {
    let count = if context.quick { 1_000 } else { 5_000 };
    let waited = trips_ns(count, &submit_wait);
    context.answer.samples.push(("submit_wait".into(), "ns", waited));
    let polled = trips_ns(count, &submit_ready);
    context.answer.samples.push(("submit_ready".into(), "ns", polled));
}

// The result of the one job that is on its way; 0: not there yet.
static ANSWER: AtomicU64 = AtomicU64::new(0);

/// What a job does whose engine has no handle to poll.
pub fn answer(input: u64) {
    ANSWER.store(input + 1, Ordering::Release);
}

/// Waits for the job that calls answer(), and takes what it left.
pub fn poll_answer() -> u64 {
    loop {
        let answer = ANSWER.load(Ordering::Acquire);
        if answer != 0 {
            ANSWER.store(0, Ordering::Relaxed);
            return answer;
        }
        std::hint::spin_loop();
    }
}
