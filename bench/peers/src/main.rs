//! Rust peers of the benchmark `quarry bench jobs`: one engine a process, asked for on standard input. The requests
//! and answers are described in bench/jobs/engine_host.hpp, the rows mirror bench/jobs/rows.

mod channel;
mod engines;
mod graph;
mod kernels;
mod measure;
#[path = "../ecs/src/random.rs"]
mod random;
mod submit;
mod wake;

use kernels::{Context, Data};
use measure::Answer;
use std::collections::HashSet;
use std::io::{BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

const LONG_ROWS: [&str; 6] = ["uts", "matmul", "sort", "wake", "burst60", "idle"];

fn print_answer(answer: &Answer) {
    for (name, unit, value) in &answer.values {
        println!("value {name} {unit} {value:.9}");
    }
    for (name, unit, values) in &answer.samples {
        print!("samples {name} {unit}");
        for value in values {
            print!(" {value:.3}");
        }
        println!();
    }
}

/// Serves requests with an engine that is kept from one to the next while the number of workers stays.
macro_rules! serve {
    ($engine:ident) => {{
        let mut data = Data::default();
        let mut warm = HashSet::new();
        let mut kept: Option<(engines::$engine::Engine, usize, bool)> = None;
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["run", row, workers, length] => {
                    let workers: usize = workers.parse().unwrap_or(1);
                    let quick = length == "quick";
                    let missing = match (row, stringify!($engine)) {
                        ("channel", engine) if engine != "crossbeam" => Some("has no channel"),
                        ("then", engine) if engine != "bevy_tasks" => Some("has no continuations"),
                        ("lanes", _) => Some("has no lanes"),
                        _ => None,
                    };
                    if let Some(reason) = missing.or_else(|| engines::$engine::unsupported(row, workers)) {
                        println!("unsupported {reason}");
                        continue;
                    }
                    let caller_apart = matches!(row, "wake" | "flood" | "submit_wait" | "then");
                    if kept.as_ref().map(|kept| (kept.1, kept.2)) != Some((workers, caller_apart)) {
                        drop(kept.take());
                        let engine = engines::$engine::Engine::new(workers, caller_apart);
                        kept = Some((engine, workers, caller_apart));
                    }
                    let Some((engine, _, _)) = &kept else { continue };
                    let mut measure = || {
                        let mut answer = Answer::default();
                        let mut context =
                            Context { quick, data: &mut data, answer: &mut answer };
                        engines::$engine::run(engine, row, &mut context);
                        answer
                    };
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        let first = warm.insert((row.to_string(), workers));
                        let skip = row == "idle" || row == "wake" || (quick && LONG_ROWS.contains(&row));
                        if first && !skip {
                            measure();
                        }
                        measure::reset_peak_memory();
                        let mut answer = measure();
                        answer.add(format!("{row}_memory"), "MiB", measure::peak_memory_mib());
                        answer
                    }));
                    match outcome {
                        Ok(answer) => {
                            print_answer(&answer);
                            println!("done");
                        }
                        Err(_) => println!("error the engine panicked"),
                    }
                }
                ["release"] => {
                    data = Data::default();
                    println!("done");
                }
                ["quit"] => break,
                _ => println!("error unknown request"),
            }
            let _ = std::io::stdout().flush();
        }
    }};
}

/// Serves requests for rows of one value in ns; the error is the line that answers instead.
fn requests(mut measure: impl FnMut(&str, usize, bool) -> Result<(String, f64), String>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", row, workers, length] => {
                let workers = workers.parse().unwrap_or(1);
                match catch_unwind(AssertUnwindSafe(|| measure(row, workers, length == "quick"))) {
                    Ok(Ok((name, value))) => println!("value {name} ns {value:.9}\ndone"),
                    Ok(Err(answer)) => println!("{answer}"),
                    Err(_) => println!("error the engine panicked"),
                }
            }
            ["release"] => println!("done"),
            ["quit"] => break,
            _ => println!("error unknown request"),
        }
        let _ = std::io::stdout().flush();
    }
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("graph") => graph::serve(&std::env::args().nth(2).unwrap_or_default()),
        Some("rayon") => serve!(rayon),
        Some("chili") => serve!(chili),
        Some("forte") => serve!(forte),
        Some("bevy_tasks") => serve!(bevy_tasks),
        Some("crossbeam") => serve!(crossbeam),
        Some("bare_rust") => serve!(bare),
        _ => println!("rayon\nchili\nforte\nbevy_tasks\ncrossbeam\nbare_rust"),
    }
}
