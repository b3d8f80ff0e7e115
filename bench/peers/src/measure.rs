//! Clocks, counters and the yardstick of work; the mirror of bench/jobs/measure.cpp.

use std::sync::OnceLock;

fn clock_ns(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

pub fn now_ns() -> i64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

pub fn process_cpu_ns() -> i64 {
    clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID)
}

pub fn thread_cpu_ns() -> i64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

pub fn sleep_until_ns(deadline: i64) {
    let time = libc::timespec {
        tv_sec: deadline / 1_000_000_000,
        tv_nsec: deadline % 1_000_000_000,
    };
    // SAFETY: `time` is valid for reading; no remainder is asked for.
    unsafe {
        while libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &time,
            std::ptr::null_mut(),
        ) != 0
        {}
    }
}

pub fn sleep_ns(duration: i64) {
    sleep_until_ns(now_ns() + duration);
}

pub fn spin_until_ns(deadline: i64) {
    while now_ns() < deadline {}
}

/// The compiler must take the value as computed here. Costs no instruction.
#[inline(always)]
pub fn pin(mut value: u64) -> u64 {
    // SAFETY: the assembly is empty.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) value, options(nomem, nostack, preserves_flags))
    };
    value
}

/// A chain of dependent multiplications that no compiler can shorten.
#[inline(never)]
pub fn chain(steps: u64, start: u64) -> u64 {
    let mut value = start;
    for _ in 0..steps {
        value = pin(value
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407));
    }
    value
}

pub fn chain_steps_per_us() -> u64 {
    static STEPS: OnceLock<u64> = OnceLock::new();
    *STEPS.get_or_init(|| {
        const COUNT: u64 = 200_000;
        let best = (0..15)
            .map(|attempt| {
                let start = thread_cpu_ns();
                std::hint::black_box(chain(COUNT, attempt));
                thread_cpu_ns() - start
            })
            .min();
        (COUNT * 1000 / best.unwrap_or(1).max(1) as u64).max(1)
    })
}

pub fn work_us(microseconds: u64) {
    std::hint::black_box(chain(microseconds * chain_steps_per_us(), microseconds));
}

pub fn reset_peak_memory() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

pub fn peak_memory_mib() -> f64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
            line.split_whitespace().nth(1)?.parse::<f64>().ok()
        })
        .map_or(0.0, |kib| kib / 1024.0)
}

/// Time of one call, from as many calls as fill `min_seconds`.
pub fn seconds_per_call(min_seconds: f64, mut f: impl FnMut()) -> f64 {
    let start = now_ns();
    let enough = (min_seconds * 1e9) as i64;
    let mut calls = 0;
    loop {
        f();
        calls += 1;
        let elapsed = now_ns() - start;
        if elapsed >= enough {
            return elapsed as f64 / 1e9 / f64::from(calls);
        }
    }
}

#[derive(Default)]
pub struct Answer {
    pub values: Vec<(String, &'static str, f64)>,
    pub samples: Vec<(String, &'static str, Vec<f64>)>,
}

impl Answer {
    pub fn add(&mut self, name: impl Into<String>, unit: &'static str, value: f64) {
        self.values.push((name.into(), unit, value));
    }
}
