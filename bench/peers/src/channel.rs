//! The row `channel` with crossbeam's bounded channel, which is that and nothing else. Mirrors bench/jobs/rows/channel.hpp.

use crate::kernels::Context;
use crate::measure::now_ns;
use crossbeam_channel::bounded;
use std::sync::Barrier;

const CAPACITY: usize = 1024;

pub struct Engine;

impl Engine {
    pub fn new(_workers: usize, _caller_apart: bool) -> Self {
        Engine
    }
}

pub fn unsupported(row: &str, _workers: usize) -> Option<&'static str> {
    (row != "channel").then_some("is a channel only")
}

/// Time per value from the start of all threads to the end of the last one.
fn channel_ns(senders: usize, receivers: usize, values: usize) -> f64 {
    let (sender, receiver) = bounded::<u64>(CAPACITY);
    let start_together = Barrier::new(senders + receivers + 1);
    let (start, sum) = std::thread::scope(|scope| {
        for first in 0..senders {
            let (sender, start_together) = (&sender, &start_together);
            scope.spawn(move || {
                start_together.wait();
                for value in (first..values).step_by(senders) {
                    sender.send(value as u64).expect("nobody closes the channel");
                }
            });
        }
        let sums: Vec<_> = (0..receivers)
            .map(|_| {
                let (receiver, start_together) = (&receiver, &start_together);
                scope.spawn(move || {
                    start_together.wait();
                    (0..values / receivers).map(|_| receiver.recv().expect("nobody closes the channel")).sum::<u64>()
                })
            })
            .collect();
        start_together.wait();
        let start = now_ns();
        (start, sums.into_iter().map(|thread| thread.join().expect("a receiver panicked")).sum::<u64>())
    });
    let elapsed = (now_ns() - start) as f64;
    assert_eq!(sum, (values as u64) * (values as u64 - 1) / 2);
    elapsed / values as f64
}

pub fn run(_engine: &Engine, _row: &str, context: &mut Context) {
    let values = if context.quick { 100_000 } else { 400_000 };
    for (name, senders, receivers) in [("channel_1_1", 1, 1), ("channel_4_4", 4, 4), ("channel_8_1", 8, 1)] {
        context.answer.add(name, "ns", channel_ns(senders, receivers, values));
    }
}
