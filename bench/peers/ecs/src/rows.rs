//! The rows of bench/ecs, as a user of bevy_ecs would write them.

use crate::measure::{chain, chain_steps_per_us, now_ns, seconds_per_call, Answer};
use crate::random::Random;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
use bevy_ecs::system::System;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use std::hint::black_box;

pub struct Host {
    parallel: bool,
}

impl Host {
    /// Workers are threads that compute at the same time: bevy's own. The thread that runs a schedule waits.
    pub fn new(parallel: bool, workers: usize) -> Host {
        ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(workers).build());
        Host { parallel }
    }

    fn schedule(&self) -> Schedule {
        let mut schedule = Schedule::default();
        if self.parallel {
            schedule.set_executor(MultiThreadedExecutor::new());
        } else {
            schedule.set_executor(SingleThreadedExecutor::new());
        }
        schedule
    }

    pub fn run(&mut self, row: &str, quick: bool) -> Option<Answer> {
        let min_seconds = if quick { 0.01 } else { 0.03 };
        let mut answer = Answer::default();
        match row {
            "empty" => self.empty(min_seconds, &mut answer),
            "conflicts" => self.conflicts(min_seconds, &mut answer),
            "heavy" => self.ranges("heavy", heavy(), min_seconds, &mut answer),
            "skewed" => self.ranges("skewed", skewed(), min_seconds, &mut answer),
            "commands" => commands(&mut answer),
            _ => return None,
        }
        Some(answer)
    }

    fn empty(&self, min_seconds: f64, answer: &mut Answer) {
        const SYSTEMS: usize = 6000;
        let mut world = World::new();
        let mut schedule = self.schedule();
        for _ in 0..SYSTEMS {
            schedule.add_systems(|| {});
        }
        for _ in 0..70 {
            schedule.run(&mut world);
        }
        let seconds = seconds_per_call(min_seconds, || schedule.run(&mut world));
        answer.add("empty", "ns", seconds * 1e9 / SYSTEMS as f64);
    }

    fn conflicts(&self, min_seconds: f64, answer: &mut Answer) {
        let mut world = World::new();
        let mut schedule = self.schedule();
        add_conflicts(&mut world, &mut schedule);
        for _ in 0..3 {
            schedule.run(&mut world);
        }
        let seconds = seconds_per_call(min_seconds, || schedule.run(&mut world));
        answer.add("conflicts", "us", seconds * 1e6);
    }

    fn ranges(&self, name: &str, steps: Vec<u32>, min_seconds: f64, answer: &mut Answer) {
        let mut world = World::new();
        world.spawn_batch(steps.into_iter().map(|steps| Load { steps, value: 0 }));
        let mut schedule = self.schedule();
        if self.parallel {
            schedule.add_systems(|mut loads: Query<&mut Load>| {
                loads.par_iter_mut().for_each(|mut load| load.visit());
            });
        } else {
            schedule.add_systems(|mut loads: Query<&mut Load>| {
                for mut load in &mut loads {
                    load.visit();
                }
            });
        }
        for _ in 0..2 {
            schedule.run(&mut world);
        }
        let seconds = seconds_per_call(min_seconds, || schedule.run(&mut world));
        answer.add(name, "us", seconds * 1e6);
    }
}

// ---- conflicts

#[derive(Resource)]
struct Thing<const NUMBER: usize>;

/// Microseconds, two things that are read, and one that is written.
macro_rules! systems {
    ($world:ident, $schedule:ident, $($time:literal $first:literal $second:literal $written:literal,)*) => { $({
        $world.insert_resource(Thing::<$first>);
        $world.insert_resource(Thing::<$second>);
        $world.insert_resource(Thing::<$written>);
        let steps = $time * chain_steps_per_us();
        $schedule.add_systems(
            move |_: Res<Thing<$first>>, _: Res<Thing<$second>>, _: ResMut<Thing<$written>>| {
                black_box(chain(steps, 1));
            },
        );
    })* };
}

/// What make_load of bench/ecs/systems.cpp draws. Number 40 stands where a system would read what it writes.
fn add_conflicts(world: &mut World, schedule: &mut Schedule) {
    systems!(world, schedule,
            48 12 1 6, 167 27 7 39, 36 1 38 31, 50 17 22 10, 171 32 23 38, 39 0 15 31, 138 8 3 7,
            34 38 11 20, 134 23 5 16, 175 7 5 0, 33 21 24 2, 92 1 14 38, 194 22 9 39, 198 3 0 27,
            178 25 40 32, 166 7 13 12, 187 20 23 39, 193 9 11 32, 87 15 7 12, 111 16 13 28, 136 1 11 35,
            93 9 19 27, 133 19 9 3, 174 40 37 33, 167 17 23 7, 74 27 26 18, 25 15 27 19, 91 39 0 20,
            131 35 25 17, 131 19 14 38, 108 28 21 36, 43 19 3 0, 49 35 0 34, 112 22 11 31, 69 29 34 7,
            182 5 36 12, 63 5 16 38, 39 5 22 37, 57 27 31 17, 85 31 29 36, 93 9 25 29, 98 16 12 30,
            107 2 4 30, 158 18 19 2, 69 36 33 29, 66 34 1 29, 170 1 30 20, 40 8 28 30, 74 37 33 39,
            126 40 35 28, 80 35 22 24, 107 5 21 6, 113 12 0 35, 187 7 17 4, 117 21 28 23, 35 26 33 30,
            24 35 35 26, 142 4 16 21, 66 37 32 29, 71 31 25 29, 124 12 27 22, 136 25 26 0, 53 39 16 15,
            84 10 40 9, 29 13 11 17, 75 14 8 32, 131 25 14 33, 174 27 7 34, 132 5 34 10, 171 20 34 19,
            26 16 23 17, 118 33 20 14, 199 6 10 36, 57 17 23 8, 135 31 4 8, 110 12 17 6, 129 10 24 39,
            27 5 5 0, 101 11 10 32, 78 36 13 28, 152 21 1 37, 38 34 4 32, 94 7 20 31, 71 10 0 14, 66 6 6 21,
            112 9 13 0, 112 23 25 10, 128 17 11 19, 164 14 31 5, 159 33 37 6, 117 28 19 36, 27 33 2 34,
            174 20 27 17, 91 20 6 9, 136 14 8 37, 190 40 4 20, 188 36 11 25, 88 16 21 2, 130 6 10 37,
            171 31 40 29,
    );
}

// ---- ranges

#[derive(Component)]
struct Load {
    steps: u32,
    value: u64,
}

impl Load {
    fn visit(&mut self) {
        self.value = chain(u64::from(self.steps), self.value);
    }
}

fn light() -> u32 {
    (chain_steps_per_us() / 20).max(1) as u32
}

fn heavy() -> Vec<u32> {
    vec![light(); 1_000_000]
}

fn skewed() -> Vec<u32> {
    const ENTITIES: usize = 20_000;
    let mut steps = vec![light(); ENTITIES];
    let mut random = Random::new(3);
    for i in 0..ENTITIES / 100 {
        let half = i % 2 * (ENTITIES / 2);
        steps[half + random.below(ENTITIES / 2)] = light() * 1000;
    }
    steps
}

// ---- commands

#[derive(Component, Clone, Copy, Default)]
#[allow(dead_code)]
struct Position(f32, f32, f32);

#[derive(Component, Clone, Copy, Default)]
#[allow(dead_code)]
struct Velocity(f32, f32, f32);

enum Change {
    Set(Entity, Position),
    Spawn,
    Despawn(Entity),
    Add(Entity, Velocity),
}

#[derive(Resource)]
struct Plan(Vec<Change>);

const COMMANDS: usize = 1_000_000;

fn make_plan(entities: &[Entity]) -> Vec<Change> {
    let mut random = Random::new(5);
    let mut doomed = vec![false; entities.len()];
    let mut plan = Vec::with_capacity(COMMANDS);
    while plan.len() < COMMANDS {
        let draw = random.below(10);
        let at = random.below(entities.len());
        let number = plan.len() as f32;
        match draw {
            0..=4 => plan.push(Change::Set(entities[at], Position(number, 1.0, 2.0))),
            5..=6 => plan.push(Change::Spawn),
            7..=8 if doomed[at] => continue,
            7..=8 => {
                doomed[at] = true;
                plan.push(Change::Despawn(entities[at]));
            }
            _ => plan.push(Change::Add(entities[at], Velocity(number, 1.0, 2.0))),
        }
    }
    plan
}

fn new_world() -> World {
    let mut world = World::new();
    let entities: Vec<Entity> = (0..400_000)
        .map(|i| {
            if i % 2 == 0 {
                world.spawn((Position::default(), Velocity::default())).id()
            } else {
                world.spawn(Position::default()).id()
            }
        })
        .collect();
    world.insert_resource(Plan(make_plan(&entities)));
    world
}

fn record(plan: Res<Plan>, mut commands: Commands) {
    for change in &plan.0 {
        match *change {
            Change::Set(entity, position) => {
                commands.entity(entity).try_insert(position);
            }
            Change::Spawn => {
                commands.spawn_empty();
            }
            Change::Despawn(entity) => commands.entity(entity).try_despawn(),
            Change::Add(entity, velocity) => {
                commands.entity(entity).try_insert(velocity);
            }
        }
    }
}

/// Recorded and applied apart, on the thread of the world: that is how bevy applies.
fn commands(answer: &mut Answer) {
    let mut system = IntoSystem::into_system(record);
    let mut times = (0, 0);
    // The first time makes the buffers.
    for _ in 0..2 {
        let mut world = new_world();
        system.initialize(&mut world);
        let start = now_ns();
        // SAFETY: nothing else uses the world.
        let _ = system.run_without_applying_deferred((), &mut world);
        let recorded = now_ns();
        system.apply_deferred(&mut world);
        times = (recorded - start, now_ns() - recorded);
        system = IntoSystem::into_system(record);
    }
    answer.add("commands", "ns", times.1 as f64 / COMMANDS as f64);
    answer.add("commands_record", "ns", times.0 as f64 / COMMANDS as f64);
}
