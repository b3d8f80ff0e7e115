//! bevy_ecs as a peer of `quarry bench ecs`: one engine a process, asked for on standard input. The requests and answers
//! are described in bench/jobs/engine_host.hpp, the rows mirror bench/ecs.
//!
//! bevy's pool of threads is one of the process and cannot be exchanged: for each number of workers there is a process of
//! its own, to which the requests are handed on.

#[path = "../../src/measure.rs"]
#[allow(dead_code)]
mod measure;
mod random;
mod rows;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

const ENGINES: [&str; 2] = ["bevy_ecs", "bevy_ecs_single"];

fn serve(engine: &str, workers: usize) {
    let mut host = rows::Host::new(engine == "bevy_ecs", workers);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["run", row, _, length] => match host.run(row, length == "quick") {
                Some(answer) => {
                    for (name, unit, value) in &answer.values {
                        println!("value {name} {unit} {value:.9}");
                    }
                    println!("done");
                }
                None => println!("unsupported has no such row"),
            },
            ["release"] => println!("done"),
            ["quit"] => break,
            _ => println!("error unknown request"),
        }
        let _ = std::io::stdout().flush();
    }
}

struct Served {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Served {
    fn start(engine: &str, workers: &str) -> std::io::Result<Served> {
        let mut child = Command::new(std::env::current_exe()?)
            .args([engine, workers])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let answers = BufReader::new(child.stdout.take().ok_or(std::io::ErrorKind::Other)?);
        Ok(Served { child, answers })
    }

    fn ask(&mut self, line: &str) -> std::io::Result<()> {
        let input = self.child.stdin.as_mut().ok_or(std::io::ErrorKind::Other)?;
        writeln!(input, "{line}")?;
        let mut answer = String::new();
        while self.answers.read_line(&mut answer)? != 0 {
            print!("{answer}");
            if !answer.starts_with("value") {
                return std::io::stdout().flush();
            }
            answer.clear();
        }
        Err(std::io::ErrorKind::UnexpectedEof.into())
    }
}

fn hand_on(engine: &str) {
    let mut served: HashMap<String, Served> = HashMap::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let outcome = match words[..] {
            ["run", _, workers, _] => {
                if engine == "bevy_ecs_single" && workers != "1" {
                    println!("unsupported runs on one thread");
                    Ok(())
                } else {
                    let process = match served.remove(workers) {
                        Some(process) => Ok(process),
                        None => Served::start(engine, workers),
                    };
                    process.and_then(|mut process| {
                        process.ask(&line)?;
                        served.insert(workers.to_string(), process);
                        Ok(())
                    })
                }
            }
            ["release"] => {
                println!("done");
                Ok(())
            }
            ["quit"] => break,
            _ => {
                println!("error unknown request");
                Ok(())
            }
        };
        if let Err(error) = outcome {
            println!("error {error}");
        }
        let _ = std::io::stdout().flush();
    }
    for (_, mut process) in served {
        drop(process.child.stdin.take());
        let _ = process.child.wait();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [engine, workers] if ENGINES.contains(&engine) => {
            serve(engine, workers.parse().unwrap_or(1));
        }
        [engine] if ENGINES.contains(&engine) => hand_on(engine),
        _ => println!("{}", ENGINES.join("\n")),
    }
}
