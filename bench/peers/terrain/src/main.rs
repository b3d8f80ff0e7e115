//! The peer of `quarry bench terrain`: the crates transvoxel, noise and rayon on the same chunks and the same kind of
//! field. Asked on standard input; the requests and answers are described in bench/jobs/engine_host.hpp.

mod chunks;
mod field;

use std::io::{BufRead, Write};
use std::time::Instant;

const NAME: &str = "transvoxel";

/// Time of one call, from as many calls as fill `least`.
fn seconds_per_call(least: f64, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut calls = 0;
    loop {
        call();
        calls += 1;
        let elapsed = start.elapsed().as_secs_f64();
        if elapsed >= least {
            return elapsed / f64::from(calls);
        }
    }
}

fn answer(row: &str, workers: usize) {
    match row {
        "noise" => {
            let seconds = seconds_per_call(0.008, field::sample_block);
            println!("value noise_row ns {:.9}", seconds / field::BLOCK_SAMPLES as f64 * 1e9);
        }
        "chunks" => {
            let crew = chunks::Crew::new(workers);
            let (count, triangles) = crew.mesh_all();
            let seconds = seconds_per_call(0.1, || {
                crew.mesh_all();
            });
            println!("value chunks chunks/s {:.9}", count as f64 / seconds);
            println!("value chunks_triangles triangles {:.9}", triangles as f64 / count as f64);
        }
        _ => {
            println!("unsupported is measured in noise and chunks only");
            return;
        }
    }
    println!("done");
}

fn main() {
    if std::env::args().nth(1).as_deref() != Some(NAME) {
        println!("{NAME}");
        return;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", row, workers, _] => match workers.parse() {
                Ok(workers) if workers > 0 => answer(row, workers),
                _ => println!("error no such number of workers"),
            },
            ["release"] => println!("done"),
            ["quit"] => break,
            _ => println!("error unknown request"),
        }
        let _ = std::io::stdout().flush();
    }
}
