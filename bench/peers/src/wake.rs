//! Time from hand-over to the job's first instruction; the mirror of bench/jobs/rows/wake.hpp.

use crate::kernels::Context;
use crate::measure::{now_ns, sleep_until_ns, spin_until_ns};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

#[derive(Default)]
pub struct Probe {
    started: AtomicI64,
    done: AtomicBool,
}

impl Probe {
    pub fn start(&self) {
        self.started.store(now_ns(), Ordering::Relaxed);
        self.done.store(true, Ordering::Release);
    }
}

static PROBE: Probe = Probe { started: AtomicI64::new(0), done: AtomicBool::new(false) };

fn samples(quiet_ns: i64, busy: bool, count: usize, hand_over: &impl Fn(&'static Probe)) -> Vec<f64> {
    let pass_quiet = || {
        let until = now_ns() + quiet_ns;
        if busy {
            spin_until_ns(until)
        } else {
            sleep_until_ns(until)
        }
    };
    pass_quiet();
    (0..count)
        .map(|_| {
            PROBE.done.store(false, Ordering::Relaxed);
            let handed = now_ns();
            hand_over(&PROBE);
            loop {
                pass_quiet();
                if PROBE.done.load(Ordering::Acquire) {
                    break;
                }
            }
            (PROBE.started.load(Ordering::Relaxed) - handed) as f64 / 1e3
        })
        .collect()
}

pub fn wake_row(context: &mut Context, hand_over: impl Fn(&'static Probe)) {
    // SAFETY: plain calls that change only this thread's timer.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) };
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1u64, 0u64, 0u64, 0u64) };
    samples(50_000, false, 20, &hand_over);
    for (name, quiet, count, quick_count) in
        [("50us", 50_000, 1_000, 300), ("1ms", 1_000_000, 200, 60), ("16ms", 16_000_000, 60, 12)]
    {
        for busy in [false, true] {
            let count = if context.quick { quick_count } else { count };
            let waker = if busy { "busy" } else { "slept" };
            let values = samples(quiet, busy, count, &hand_over);
            context.answer.samples.push((format!("wake_{name}_{waker}"), "us", values));
        }
    }
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack as u64, 0u64, 0u64, 0u64) };
}
