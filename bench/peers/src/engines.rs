//! One module an engine: how it is set up, and its best way to fork, loop, sort, spawn and hand over.

/// Loops of engines that only know `join`: halving down to a grain.
macro_rules! range_by_join {
    () => {
        fn halve<B: Fn(usize, usize) + Sync>(
            c: Ctx<'_, '_>,
            first: usize,
            last: usize,
            grain: usize,
            body: &B,
        ) {
            if last - first <= grain {
                return body(first, last);
            }
            let middle = first + (last - first) / 2;
            join(c, |c| halve(c, first, middle, grain, body), |c| halve(c, middle, last, grain, body));
        }

        fn for_range<B: Fn(usize, usize) + Sync>(
            c: Ctx<'_, '_>,
            count: usize,
            cost: LoopCost,
            body: &B,
        ) {
            let grain = if cost == LoopCost::Rising { 1 } else { (count / 1024).max(64) };
            halve(c, 0, count, grain, body);
        }
    };
}

macro_rules! fork_by_join {
    () => {
        #[inline(always)]
        fn fork_n<F>(c: Ctx<'_, '_>, first: usize, last: usize, f: &F) -> u64
        where
            F: Fn(Ctx<'_, '_>, usize) -> u64 + Sync,
        {
            if last <= first {
                0
            } else {
                fork_some(c, first, last, f)
            }
        }

        fn fork_some<F>(c: Ctx<'_, '_>, first: usize, last: usize, f: &F) -> u64
        where
            F: Fn(Ctx<'_, '_>, usize) -> u64 + Sync,
        {
            if last - first == 1 {
                return f(c, first);
            }
            let middle = first + (last - first) / 2;
            let (left, right) =
                join(c, |c| fork_some(c, first, middle, f), |c| fork_some(c, middle, last, f));
            left + right
        }
    };
}

pub(crate) use crate::channel as crossbeam;

/// Plain Rust without any engine, to tell the compilers apart.
pub mod bare {
    use std::marker::PhantomData;
    type Ctx<'a, 'b> = PhantomData<(&'a (), &'b ())>;

    pub struct Engine;

    pub fn unsupported(row: &str, _workers: usize) -> Option<&'static str> {
        matches!(row, "wake" | "flood" | "submit_wait" | "idle" | "tick" | "burst60" | "spawn").then_some("the C++ baseline has it")
    }

    #[inline(always)]
    fn join<RA, RB>(
        c: Ctx<'_, '_>,
        a: impl FnOnce(Ctx<'_, '_>) -> RA,
        b: impl FnOnce(Ctx<'_, '_>) -> RB,
    ) -> (RA, RB) {
        (a(c), b(c))
    }

    #[inline(always)]
    fn fork_n<F: Fn(Ctx<'_, '_>, usize) -> u64>(c: Ctx<'_, '_>, first: usize, last: usize, f: &F) -> u64 {
        (first..last).map(|index| f(c, index)).sum()
    }

    fn for_range<B: Fn(usize, usize)>(_: Ctx<'_, '_>, count: usize, _: LoopCost, body: &B) {
        body(0, std::hint::black_box(count));
    }

    fn spawn_empty(_: Ctx<'_, '_>, _: usize) {}

    fn sort(_: Ctx<'_, '_>, keys: &mut [u64]) {
        keys.sort_unstable();
    }

    impl Engine {
        pub fn new(_workers: usize, _caller_apart: bool) -> Self {
            Engine
        }
        fn enter<R>(&self, f: impl FnOnce(Ctx<'_, '_>) -> R) -> R {
            f(PhantomData)
        }
        fn batch<J: Fn(usize)>(&self, count: usize, job: &J) {
            (0..count).for_each(job);
        }
        fn flood(&self, _: usize) {}
        fn submit_wait(&self, input: u64) -> u64 {
            input + 1
        }
        fn submit_ready(&self, input: u64) -> u64 {
            input + 1
        }
        fn then_chain(&self, _: u64) -> u64 {
            unreachable!("has no continuations")
        }
        fn hand_over(&self, probe: &'static crate::wake::Probe) {
            probe.start();
        }
    }

    include!("rows.rs");
}

pub mod rayon {
    use rayon::prelude::*;
    use std::marker::PhantomData;
    type Ctx<'a, 'b> = PhantomData<(&'a (), &'b ())>;

    pub struct Engine(rayon::ThreadPool);

    pub fn unsupported(_row: &str, _workers: usize) -> Option<&'static str> {
        None
    }

    #[inline(always)]
    fn join<RA: Send, RB: Send>(
        _: Ctx<'_, '_>,
        a: impl FnOnce(Ctx<'_, '_>) -> RA + Send,
        b: impl FnOnce(Ctx<'_, '_>) -> RB + Send,
    ) -> (RA, RB) {
        rayon::join(|| a(PhantomData), || b(PhantomData))
    }

    fork_by_join!();

    fn for_range<B: Fn(usize, usize) + Sync>(_: Ctx<'_, '_>, count: usize, _: LoopCost, body: &B) {
        (0..count).into_par_iter().for_each(|index| body(index, index + 1));
    }

    fn spawn_empty(_: Ctx<'_, '_>, count: usize) {
        rayon::scope(|scope| {
            for _ in 0..count {
                scope.spawn(|_| {});
            }
        });
    }

    fn sort(_: Ctx<'_, '_>, keys: &mut [u64]) {
        keys.par_sort_unstable();
    }

    impl Engine {
        pub fn new(workers: usize, _caller_apart: bool) -> Self {
            Engine(rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("rayon"))
        }
        fn enter<R: Send>(&self, f: impl FnOnce(Ctx<'_, '_>) -> R + Send) -> R {
            self.0.install(|| f(PhantomData))
        }
        fn batch<J: Fn(usize) + Sync>(&self, count: usize, job: &J) {
            self.0.scope(|scope| {
                for index in 0..count {
                    scope.spawn(move |_| job(index));
                }
            });
        }
        fn flood(&self, count: usize) {
            for _ in 0..count {
                self.0.spawn(crate::submit::count_job);
            }
        }
        fn submit_wait(&self, input: u64) -> u64 {
            self.0.install(move || input + 1)
        }
        fn submit_ready(&self, input: u64) -> u64 {
            self.0.spawn(move || crate::submit::answer(input));
            crate::submit::poll_answer()
        }
        fn then_chain(&self, _: u64) -> u64 {
            unreachable!("has no continuations")
        }
        fn hand_over(&self, probe: &'static crate::wake::Probe) {
            self.0.spawn(|| probe.start());
        }
    }

    include!("rows.rs");
}

pub mod chili {
    type Ctx<'a, 'b> = &'a mut chili::Scope<'b>;

    pub struct Engine(chili::ThreadPool);

    pub fn unsupported(row: &str, _workers: usize) -> Option<&'static str> {
        match row {
            "sort" => Some("has no sort"),
            "spawn" | "flood" | "submit_wait" | "wake" => Some("cannot hand a job over, only join"),
            _ => None,
        }
    }

    #[inline(always)]
    fn join<RA: Send, RB: Send>(
        c: Ctx<'_, '_>,
        a: impl FnOnce(Ctx<'_, '_>) -> RA + Send,
        b: impl FnOnce(Ctx<'_, '_>) -> RB + Send,
    ) -> (RA, RB) {
        c.join(a, b)
    }

    fork_by_join!();
    range_by_join!();

    fn spawn_empty(_: Ctx<'_, '_>, _: usize) {}
    fn sort(_: Ctx<'_, '_>, _: &mut [u64]) {}

    impl Engine {
        pub fn new(workers: usize, _caller_apart: bool) -> Self {
            Engine(chili::ThreadPool::with_config(chili::Config {
                thread_count: std::num::NonZero::new(workers),
                ..Default::default()
            }))
        }
        fn enter<R>(&self, f: impl FnOnce(Ctx<'_, '_>) -> R) -> R {
            f(&mut self.0.scope())
        }
        // A scope keeps the heartbeat thread running, so it lives no longer than the burst.
        fn batch<J: Fn(usize) + Sync>(&self, count: usize, job: &J) {
            halve(&mut self.0.scope(), 0, count, 1, &|first, _| job(first));
        }
        fn flood(&self, _: usize) {}
        fn submit_wait(&self, input: u64) -> u64 {
            input + 1
        }
        fn submit_ready(&self, input: u64) -> u64 {
            input + 1
        }
        fn then_chain(&self, _: u64) -> u64 {
            unreachable!("has no continuations")
        }
        fn hand_over(&self, probe: &'static crate::wake::Probe) {
            probe.start();
        }
    }

    include!("rows.rs");
}

pub mod forte {
    use forte::Worker;
    use std::marker::PhantomData;

    #[derive(Clone, Copy)]
    pub struct Here<'a, 'b>(&'a Worker, PhantomData<&'b ()>);
    type Ctx<'a, 'b> = Here<'a, 'b>;

    static POOL: forte::ThreadPool = forte::ThreadPool::new();
    pub struct Engine;

    pub fn unsupported(row: &str, _workers: usize) -> Option<&'static str> {
        (row == "sort").then_some("has no sort")
    }

    #[inline(always)]
    fn join<RA: Send, RB: Send>(
        c: Ctx<'_, '_>,
        a: impl FnOnce(Ctx<'_, '_>) -> RA + Send,
        b: impl FnOnce(Ctx<'_, '_>) -> RB + Send,
    ) -> (RA, RB) {
        c.0.join(|worker| a(Here(worker, PhantomData)), |worker| b(Here(worker, PhantomData)))
    }

    fork_by_join!();
    range_by_join!();

    fn spawn_empty(c: Ctx<'_, '_>, count: usize) {
        c.0.scope(|scope| {
            for _ in 0..count {
                scope.spawn(|_: &Worker| {});
            }
        });
    }

    fn sort(_: Ctx<'_, '_>, _: &mut [u64]) {}

    impl Engine {
        // The calling thread is a member of the pool while it works.
        pub fn new(workers: usize, caller_apart: bool) -> Self {
            POOL.resize_to(if caller_apart { workers } else { workers - 1 });
            Engine
        }
        fn enter<R>(&self, f: impl FnOnce(Ctx<'_, '_>) -> R) -> R {
            POOL.with_worker(|worker| f(Here(worker, PhantomData)))
        }
        fn batch<J: Fn(usize) + Sync>(&self, count: usize, job: &J) {
            POOL.with_worker(|worker| {
                worker.scope(|scope| {
                    for index in 0..count {
                        scope.spawn(move |_: &Worker| job(index));
                    }
                })
            });
        }
        fn flood(&self, count: usize) {
            for _ in 0..count {
                POOL.spawn(|_: &Worker| crate::submit::count_job());
            }
        }
        // It has no handle to a closure's result; the nearest is a scope of one.
        fn submit_wait(&self, input: u64) -> u64 {
            let mut result = 0;
            POOL.with_worker(|worker| {
                worker.scope(|scope| scope.spawn(|_: &Worker| result = input + 1));
            });
            result
        }
        fn submit_ready(&self, input: u64) -> u64 {
            POOL.spawn(move |_: &Worker| crate::submit::answer(input));
            crate::submit::poll_answer()
        }
        fn then_chain(&self, _: u64) -> u64 {
            unreachable!("has no continuations")
        }
        fn hand_over(&self, probe: &'static crate::wake::Probe) {
            POOL.spawn(|_: &Worker| probe.start());
        }
    }

    impl Drop for Engine {
        fn drop(&mut self) {
            POOL.depopulate();
        }
    }

    include!("rows.rs");
}

pub mod bevy_tasks {
    use bevy_tasks::{TaskPool, TaskPoolBuilder};

    type Ctx<'a, 'b> = Here<'a, 'b>;
    #[derive(Clone, Copy)]
    pub struct Here<'a, 'b>(&'a TaskPool, std::marker::PhantomData<&'b ()>);

    pub struct Engine(TaskPool);

    pub fn unsupported(row: &str, _workers: usize) -> Option<&'static str> {
        match row {
            "sort" => Some("has no sort"),
            "fib" | "tree_sum" | "nqueens" | "uts" | "skynet" => {
                Some("nested scopes run each other's tasks until the stack overflows")
            }
            _ => None,
        }
    }

    // The first closure runs here, the second is a task of a scope.
    #[inline(always)]
    fn join<RA: Send, RB: Send + 'static>(
        c: Ctx<'_, '_>,
        a: impl FnOnce(Ctx<'_, '_>) -> RA + Send,
        b: impl FnOnce(Ctx<'_, '_>) -> RB + Send,
    ) -> (RA, RB) {
        let pool = c.0;
        let mut left = None;
        let mut right = pool.scope(|scope| {
            scope.spawn(async move { b(Here(pool, std::marker::PhantomData)) });
            left = Some(a(c));
        });
        (left.expect("set above"), right.pop().expect("one task"))
    }

    #[inline(always)]
    fn fork_n<F>(c: Ctx<'_, '_>, first: usize, last: usize, f: &F) -> u64
    where
        F: Fn(Ctx<'_, '_>, usize) -> u64 + Sync,
    {
        if last <= first {
            return 0;
        }
        let pool = c.0;
        let mut sum = 0;
        let others = pool.scope(|scope| {
            for index in first + 1..last {
                scope.spawn(async move { f(Here(pool, std::marker::PhantomData), index) });
            }
            sum = f(c, first);
        });
        sum + others.iter().sum::<u64>()
    }

    // As its own slice helpers do: a task a chunk, one chunk a thread; more where costs differ.
    fn for_range<B: Fn(usize, usize) + Sync>(c: Ctx<'_, '_>, count: usize, cost: LoopCost, body: &B) {
        let threads = c.0.thread_num() + 1;
        let parts = threads * if cost == LoopCost::Rising { 16 } else { 1 };
        c.0.scope(|scope| {
            for part in 1..parts {
                scope.spawn(async move { body(count * part / parts, count * (part + 1) / parts) });
            }
            body(0, count / parts);
        });
    }

    fn spawn_empty(c: Ctx<'_, '_>, count: usize) {
        c.0.scope(|scope| {
            for _ in 0..count {
                scope.spawn(async {});
            }
        });
    }

    fn sort(_: Ctx<'_, '_>, _: &mut [u64]) {}

    impl Engine {
        // The thread that opened a scope runs its tasks too.
        pub fn new(workers: usize, caller_apart: bool) -> Self {
            let threads = if caller_apart { workers } else { workers - 1 };
            Engine(TaskPoolBuilder::new().num_threads(threads).build())
        }
        fn enter<R>(&self, f: impl FnOnce(Ctx<'_, '_>) -> R) -> R {
            f(Here(&self.0, std::marker::PhantomData))
        }
        fn batch<J: Fn(usize) + Sync>(&self, count: usize, job: &J) {
            self.0.scope(|scope| {
                for index in 0..count {
                    scope.spawn(async move { job(index) });
                }
            });
        }
        fn flood(&self, count: usize) {
            for _ in 0..count {
                self.0.spawn(async { crate::submit::count_job() }).detach();
            }
        }
        fn submit_wait(&self, input: u64) -> u64 {
            bevy_tasks::block_on(self.0.spawn(async move { input + 1 }))
        }
        fn submit_ready(&self, input: u64) -> u64 {
            let task = self.0.spawn(async move { input + 1 });
            while !task.is_finished() {
                std::hint::spin_loop();
            }
            bevy_tasks::block_on(task)
        }
        // Every link is a task that awaits the one before.
        fn then_chain(&self, links: u64) -> u64 {
            let mut task = self.0.spawn(async { 0 });
            for link in 0..links {
                let before = task;
                task = self.0.spawn(async move { crate::submit::chain_link(before.await, link) });
            }
            bevy_tasks::block_on(task)
        }
        fn hand_over(&self, probe: &'static crate::wake::Probe) {
            self.0.spawn(async { probe.start() }).detach();
        }
    }

    include!("rows.rs");
}
