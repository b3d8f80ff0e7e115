//! The peer of `quarry bench terrain` and `quarry bench stream`: the crates transvoxel, noise and rayon on the same chunks
//! and the same kind of field, or, for a world that a file lists, the very same field. Asked on standard input; the
//! requests and answers are described in bench/jobs/engine_host.hpp.

mod chunks;
mod field;
mod same_field;
mod world;

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

/// Row `world`: the chunks of a list, read once.
fn measure_world(list: Option<&str>, workers: usize, world: &mut Option<(usize, world::World)>) -> Result<(), String> {
    let list = list.ok_or("no list of chunks was given")?;
    if world.as_ref().is_none_or(|(for_workers, _)| *for_workers != workers) {
        *world = Some((workers, world::World::read(list, workers)?));
    }
    let Some((_, read)) = world else { return Ok(()) };
    let figures = read.measure();
    println!("value chunks chunks {}", figures.chunks);
    println!("value triangles triangles {}", figures.triangles);
    println!("value world ms {:.9}", figures.seconds * 1e3);
    println!("value world_meshing ms {:.9}", figures.meshing_seconds * 1e3);
    Ok(())
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
            println!("unsupported is measured in noise, chunks and world only");
            return;
        }
    }
    println!("done");
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).map(String::as_str) != Some(NAME) {
        println!("{NAME}");
        return;
    }
    let mut world = None;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", row, workers, _] => match workers.parse() {
                Ok(workers) if workers > 0 && row == "world" => {
                    match measure_world(arguments.get(2).map(String::as_str), workers, &mut world) {
                        Ok(()) => println!("done"),
                        Err(text) => println!("error {text}"),
                    }
                }
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
