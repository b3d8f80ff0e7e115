//! Graphs of tasks for `quarry bench graph`; the shapes mirror bench/graph/shapes.cpp. Neither bevy_tasks nor rayon has
//! graphs: a node counts what it waits for, and whoever brings the count to zero goes on with the first such node itself
//! and spawns the others in the scope of the run.

use crate::measure::{chain, chain_steps_per_us, seconds_per_call};
use crate::random::Random;
use bevy_tasks::{Scope, TaskPool, TaskPoolBuilder};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

struct Shape {
    before: Vec<Vec<u32>>,
    after: Vec<Vec<u32>>,
}

impl Shape {
    fn new(before: Vec<Vec<u32>>) -> Shape {
        let mut after = vec![Vec::new(); before.len()];
        for (node, others) in before.iter().enumerate() {
            for other in others {
                after[*other as usize].push(node as u32);
            }
        }
        Shape { before, after }
    }
}

fn linear_chain() -> Shape {
    Shape::new((0..8192u32).map(|i| if i == 0 { vec![] } else { vec![i - 1] }).collect())
}

fn binary_tree() -> Shape {
    Shape::new((0..8191u32).map(|i| if i == 0 { vec![] } else { vec![(i - 1) / 2] }).collect())
}

fn wavefront() -> Shape {
    const SIDE: u32 = 90;
    let cell = |i: u32| {
        let left = (i % SIDE > 0).then(|| i - 1);
        let above = (i >= SIDE).then(|| i - SIDE);
        left.into_iter().chain(above).collect()
    };
    Shape::new((0..SIDE * SIDE).map(cell).collect())
}

fn random_graph() -> Shape {
    let mut random = Random::new(1);
    let mut before = vec![Vec::new(); 8192];
    for i in 1..before.len() {
        let count = random.below(5);
        let mut others: Vec<u32> =
            (0..count).map(|_| (i - 1 - random.below(i.min(256))) as u32).collect();
        others.sort_unstable();
        others.dedup();
        before[i] = others;
    }
    Shape::new(before)
}

struct Graph {
    shape: Shape,
    steps: u64,
    values: Vec<AtomicU64>,
    waiting: Vec<AtomicU32>,
}

impl Graph {
    fn new(shape: Shape, nanoseconds: u64) -> Graph {
        let values = shape.before.iter().map(|_| AtomicU64::new(0)).collect();
        let waiting = shape.before.iter().map(|others| AtomicU32::new(others.len() as u32)).collect();
        Graph { shape, steps: nanoseconds * chain_steps_per_us() / 1000, values, waiting }
    }

    fn first(&self) -> impl Iterator<Item = u32> + '_ {
        let nodes = self.shape.before.iter().enumerate();
        nodes.filter(|(_, others)| others.is_empty()).map(|(node, _)| node as u32)
    }

    fn work(&self, node: u32) {
        let mut value = 1u64;
        for other in &self.shape.before[node as usize] {
            value = value.wrapping_add(self.values[*other as usize].load(Ordering::Relaxed));
        }
        if self.steps != 0 {
            std::hint::black_box(chain(self.steps, value));
        }
        self.values[node as usize].store(value, Ordering::Relaxed);
    }

    /// Runs the node and what follows it without a choice; `spawn` gets the rest.
    fn run_from(&self, mut node: u32, mut spawn: impl FnMut(u32)) {
        loop {
            // For the next run: nobody counts this node down before it has ended.
            let waits_for = self.shape.before[node as usize].len() as u32;
            self.waiting[node as usize].store(waits_for, Ordering::Relaxed);
            self.work(node);
            let mut next = None;
            for after in &self.shape.after[node as usize] {
                if self.waiting[*after as usize].fetch_sub(1, Ordering::AcqRel) == 1 {
                    match next {
                        None => next = Some(*after),
                        Some(_) => spawn(*after),
                    }
                }
            }
            match next {
                Some(after) => node = after,
                None => return,
            }
        }
    }

    fn result(&self) -> u64 {
        let values = self.values.iter().map(|value| value.load(Ordering::Relaxed));
        values.fold(0, |sum, value| sum.wrapping_mul(31).wrapping_add(value))
    }

    fn expected(&self) -> u64 {
        for node in 0..self.values.len() {
            self.work(node as u32);
        }
        self.result()
    }

    fn clear(&self) {
        self.values.iter().for_each(|value| value.store(0, Ordering::Relaxed));
    }
}

trait Engine {
    fn new(workers: usize) -> Self;
    fn run(&self, graph: &Graph);
}

// The thread that waits for a scope of bevy_tasks takes part.
impl Engine for TaskPool {
    fn new(workers: usize) -> Self {
        TaskPoolBuilder::new().num_threads(workers - 1).build()
    }

    fn run(&self, graph: &Graph) {
        fn spawn<'scope>(scope: &'scope Scope<'scope, '_, ()>, graph: &'scope Graph, node: u32) {
            scope.spawn(async move { graph.run_from(node, |other| spawn(scope, graph, other)) });
        }
        self.scope(|scope| graph.first().for_each(|node| spawn(scope, graph, node)));
    }
}

// The thread that calls `install` sleeps meanwhile.
impl Engine for ThreadPool {
    fn new(workers: usize) -> Self {
        ThreadPoolBuilder::new().num_threads(workers).build().expect("threads")
    }

    fn run(&self, graph: &Graph) {
        fn spawn<'scope>(scope: &rayon::Scope<'scope>, graph: &'scope Graph, node: u32) {
            scope.spawn(move |scope| graph.run_from(node, |other| spawn(scope, graph, other)));
        }
        self.scope(|scope| graph.first().for_each(|node| spawn(scope, graph, node)));
    }
}

fn make(row: &str) -> Option<Graph> {
    let (name, nanoseconds) = match row.strip_suffix("_1us") {
        Some(name) => (name, 1000),
        None => (row, 0),
    };
    let shape = match name {
        "chain" => linear_chain(),
        "tree" => binary_tree(),
        "wavefront" => wavefront(),
        "random" => random_graph(),
        _ => return None,
    };
    Some(Graph::new(shape, nanoseconds))
}

fn serve_with<E: Engine>() {
    crate::requests(|row, workers, quick| {
        let Some(graph) = make(row) else { return Err("unsupported no such row".to_string()) };
        let expected = graph.expected();
        graph.clear();
        let engine = E::new(workers.max(1));
        engine.run(&graph);
        if graph.result() != expected {
            return Err("error a wrong result".to_string());
        }
        let seconds = seconds_per_call(if quick { 0.01 } else { 0.03 }, || engine.run(&graph));
        Ok((row.to_string(), seconds * 1e9 / graph.values.len() as f64))
    });
}

pub fn serve(engine: &str) {
    match engine {
        "bevy_tasks" => serve_with::<TaskPool>(),
        "rayon" => serve_with::<ThreadPool>(),
        _ => println!("bevy_tasks\nrayon"),
    }
}
