//! Time from hand-over to the job's first instruction; the mirror of bench/jobs/rows/wake.hpp.

use crate::kernels::Context;
use crate::measure::{now_ns, process_cpu_ns, sleep_until_ns, spin_until_ns};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

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

const fn new_probe() -> Probe {
    Probe { started: AtomicI64::new(0), done: AtomicBool::new(false) }
}

static PROBE: Probe = new_probe();
// Handed over behind a job that does not start, to see whether it was lost or never will.
static NUDGE: Probe = new_probe();

const NUDGE_AFTER_NS: i64 = 100_000_000;
const GIVE_UP_AFTER_NS: i64 = 5_000_000_000;

#[derive(Default)]
struct Series {
    delays_us: Vec<f64>,
    cpu_us: f64,
    lost: u32,
}

fn series(quiet_ns: i64, busy: bool, count: usize, hand_over: &impl Fn(&'static Probe)) -> Series {
    let pass_quiet = || {
        let until = now_ns() + quiet_ns;
        if busy {
            spin_until_ns(until)
        } else {
            sleep_until_ns(until)
        }
    };
    let mut series = Series::default();
    pass_quiet();
    let cpu_start = process_cpu_ns();
    for _ in 0..count {
        PROBE.done.store(false, Ordering::Relaxed);
        let handed = now_ns();
        hand_over(&PROBE);
        let mut nudge_at = handed + NUDGE_AFTER_NS;
        loop {
            pass_quiet();
            if PROBE.done.load(Ordering::Acquire) {
                break;
            }
            assert!(now_ns() < handed + GIVE_UP_AFTER_NS, "a job handed over never started");
            if now_ns() >= nudge_at {
                series.lost += u32::from(nudge_at == handed + NUDGE_AFTER_NS);
                nudge_at += NUDGE_AFTER_NS;
                hand_over(&NUDGE);
            }
        }
        series.delays_us.push((PROBE.started.load(Ordering::Relaxed) - handed) as f64 / 1e3);
    }
    series.cpu_us = (process_cpu_ns() - cpu_start) as f64 / 1e3 / count as f64;
    series
}

pub fn wake_row(context: &mut Context, hand_over: impl Fn(&'static Probe)) {
    // SAFETY: plain calls that change only this thread's timer.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) };
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1u64, 0u64, 0u64, 0u64) };
    series(50_000, false, 20, &hand_over);
    let mut lost = 0;
    for (name, quiet, count, quick_count) in
        [("50us", 50_000, 1_000, 300), ("1ms", 1_000_000, 200, 60), ("16ms", 16_000_000, 60, 12)]
    {
        for busy in [false, true] {
            let count = if context.quick { quick_count } else { count };
            let waker = if busy { "busy" } else { "slept" };
            let series = series(quiet, busy, count, &hand_over);
            let name = format!("wake_{name}_{waker}");
            if !busy {
                context.answer.add(format!("{name}_cpu"), "us", series.cpu_us);
            }
            context.answer.samples.push((name, "us", series.delays_us));
            lost += series.lost;
        }
    }
    context.answer.add("wake_lost", "jobs", f64::from(lost));
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, slack as u64, 0u64, 0u64, 0u64) };
}
