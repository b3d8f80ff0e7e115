// The rows, included by each engine's module, which provides before:
//   type Ctx<'a, 'b>       what a call inside the pool carries along
//   join(c, a, b)          both closures, perhaps at the same time
//   for_range(c, count, cost, body), batch(c, count, job), spawn_empty(c, count), sort(c, keys)
// It is textual inclusion because chili's and forte's contexts are tied to lifetimes that no trait can name.

use crate::kernels::*;
use crate::measure::*;

#[inline(never)]
fn fib(c: Ctx<'_, '_>, n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (left, right) = join(c, |c| fib(c, n - 1), |c| fib(c, n - 2));
    pin(left) + pin(right)
}

#[inline(never)]
fn tree_sum(c: Ctx<'_, '_>, nodes: &[TreeNode], index: u32) -> u64 {
    // SAFETY: make_tree() only makes indices in bounds.
    let node = unsafe { nodes.get_unchecked(index as usize) };
    let value = u64::from(node.value);
    if node.left == 0 {
        return value;
    }
    let (left, right) =
        join(c, |c| tree_sum(c, nodes, node.left), |c| tree_sum(c, nodes, node.right));
    value + pin(left) + pin(right)
}

#[inline(never)]
fn place_queens(c: Ctx<'_, '_>, columns: u32, falling: u32, rising: u32) -> u32 {
    const ALL: u32 = (1 << 12) - 1;
    if columns == ALL {
        return 1;
    }
    let mut places = [0u32; 12];
    let mut count = 0;
    let mut free = ALL & !(columns | falling | rising);
    while free != 0 {
        places[count] = free & free.wrapping_neg();
        count += 1;
        free &= free - 1;
    }
    let places = &places;
    fork_n(c, 0, count, &move |c, index| {
        let place = places[index];
        u64::from(place_queens(c, columns | place, (falling | place) << 1, (rising | place) >> 1))
    }) as u32
}

fn count_uts(c: Ctx<'_, '_>, node: &UtsNode) -> u64 {
    let children = node.children();
    if children == 0 {
        return 1;
    }
    1 + fork_n(c, 0, children, &|c, index| count_uts(c, &node.child(index)))
}

#[inline(never)]
fn skynet(c: Ctx<'_, '_>, first: u64, size: u64) -> u64 {
    if size == 1 {
        return first;
    }
    let part = size / 10;
    fork_n(c, 0, 10, &|c, index| skynet(c, first + index as u64 * part, part))
}

fn multiply(c: Ctx<'_, '_>, out: Block, a: Block, b: Block, size: usize) {
    if size == MATRIX_LEAF {
        return multiply_leaf(out, a, b);
    }
    // The halves of the inner dimension add to the same block, so one follows the other.
    for inner in 0..2 {
        let part = move |c: Ctx<'_, '_>, down: usize, right: usize| {
            multiply(
                c,
                quarter(out, size, down, right),
                quarter(a, size, down, inner),
                quarter(b, size, inner, right),
                size / 2,
            )
        };
        join(
            c,
            |c| join(c, |c| part(c, 0, 0), |c| part(c, 0, 1)),
            |c| join(c, |c| part(c, 1, 0), |c| part(c, 1, 1)),
        );
    }
}

fn measure_tree(c: Ctx<'_, '_>, context: &mut Context, large: bool) {
    let tree = if large { &context.data.large_tree } else { &context.data.small_tree };
    let name = if large { "tree_sum_large" } else { "tree_sum_small" };
    let seconds = seconds_per_call(context.min_seconds(), || {
        assert_eq!(tree_sum(c, std::hint::black_box(tree), 0), tree.len() as u64);
    });
    context.answer.add(name, "ns", seconds * 1e9 / tree.len() as f64);
}

fn fork_row(c: Ctx<'_, '_>, row: &str, context: &mut Context) {
    use std::hint::black_box;
    let min = context.min_seconds();
    match row {
        "fib" => {
            let seconds = seconds_per_call(min, || assert_eq!(fib(c, black_box(30)), 832_040));
            context.answer.add("fib", "ns", seconds * 1e9 / 2_692_537.0);
        }
        "tree_sum" => {
            if context.data.small_tree.is_empty() {
                context.data.small_tree = make_tree(10);
                context.data.large_tree = make_tree(24);
            }
            measure_tree(c, context, false);
            measure_tree(c, context, true);
        }
        "nqueens" => {
            let seconds =
                seconds_per_call(min, || assert_eq!(place_queens(c, black_box(0), 0, 0), 14_200));
            context.answer.add("nqueens", "ms", seconds * 1e3);
        }
        "uts" => {
            let seconds = seconds_per_call(0.0, || {
                assert_eq!(count_uts(c, &UtsNode::root()), u64::from(UTS_NODES))
            });
            context.answer.add("uts", "ms", seconds * 1e3);
        }
        "skynet" => {
            let seconds = seconds_per_call(min, || {
                assert_eq!(skynet(c, black_box(0), 1_000_000), 499_999_500_000)
            });
            context.answer.add("skynet", "ms", seconds * 1e3);
        }
        _ => matmul_row(c, context),
    }
}

fn matmul_row(c: Ctx<'_, '_>, context: &mut Context) {
    let matrices = &mut context.data.matrices;
    if matrices.is_empty() {
        fill_matrices(matrices);
    }
    const ELEMENTS: usize = MATRIX * MATRIX;
    matrices[2 * ELEMENTS..].fill(0.0);
    let first = matrices.as_mut_ptr();
    // SAFETY: three matrices lie one after the other.
    let (a, b, out) = unsafe {
        (Shared::new(first), Shared::new(first.add(ELEMENTS)), Shared::new(first.add(2 * ELEMENTS)))
    };
    let seconds = seconds_per_call(0.0, || multiply(c, out, a, b, MATRIX));
    assert_eq!(matrices[2 * ELEMENTS + 777 * MATRIX + 333], product_element(matrices, 777, 333));
    context.answer.add("matmul", "ms", seconds * 1e3);
}

fn loop_row(c: Ctx<'_, '_>, row: &str, context: &mut Context) {
    let min = context.min_seconds();
    match row {
        "loop_small" => {
            context.data.small_cells.resize(SMALL_LOOP, 1);
            let cells = Shared::new(context.data.small_cells.as_mut_ptr());
            let body = move |first, last| touch_cells(cells, first, last);
            for _ in 0..100 {
                for_range(c, SMALL_LOOP, LoopCost::Even, &body);
            }
            let hot = seconds_per_call(min, || for_range(c, SMALL_LOOP, LoopCost::Even, &body));
            let mut parked: Vec<f64> = (0..if context.quick { 15 } else { 31 })
                .map(|_| {
                    sleep_ns(5_000_000);
                    seconds_per_call(0.0, || for_range(c, SMALL_LOOP, LoopCost::Even, &body))
                })
                .collect();
            parked.sort_by(f64::total_cmp);
            context.answer.add("loop_small_hot", "us", hot * 1e6);
            context.answer.add("loop_small_parked", "us", parked[parked.len() / 2] * 1e6);
        }
        "loop_large" => {
            context.data.large_cells.resize(LARGE_LOOP, 1);
            let cells = Shared::new(context.data.large_cells.as_mut_ptr());
            let body = move |first, last| touch_cells(cells, first, last);
            let seconds = seconds_per_call(min, || for_range(c, LARGE_LOOP, LoopCost::Even, &body));
            context.answer.add("loop_large", "ms", seconds * 1e3);
        }
        "loop_skewed" => {
            let body = |first: usize, last: usize| {
                for index in first as u64..last as u64 {
                    std::hint::black_box(chain(index / 2, index));
                }
            };
            let seconds =
                seconds_per_call(min, || for_range(c, SKEWED_LOOP, LoopCost::Rising, &body));
            context.answer.add("loop_skewed", "ms", seconds * 1e3);
        }
        "sort" => {
            if context.data.keys.is_empty() {
                fill_keys(&mut context.data.keys);
            }
            let mut keys = context.data.keys.clone();
            let seconds = seconds_per_call(0.0, || sort(c, &mut keys));
            assert!(keys.is_sorted());
            context.answer.add("sort", "ms", seconds * 1e3);
        }
        _ => {
            let seconds = seconds_per_call(min, || spawn_empty(c, SPAWNED_JOBS));
            context.answer.add("spawn", "ns", seconds * 1e9 / SPAWNED_JOBS as f64);
        }
    }
}

fn run_frame(engine: &Engine, load: &FrameLoad) {
    for _ in 0..load.bursts {
        let job = |index: usize| work_us((load.job_us)(index));
        engine.batch(load.jobs, &job);
        if load.serial_us != 0 {
            work_us(load.serial_us);
        }
    }
}

// CPU over the work itself, and seconds a frame without the pause.
fn measure_frames(
    engine: &Engine,
    load: &FrameLoad,
    frames: i64,
    mut pause: impl FnMut(i64),
) -> (f64, f64) {
    run_frame(engine, load);
    let work_before = load.serial_cpu_ns();
    let mut busy = 0;
    pause(0);
    let cpu_start = process_cpu_ns();
    for frame in 0..frames {
        let start = now_ns();
        run_frame(engine, load);
        busy += now_ns() - start;
        pause(frame + 1);
    }
    let cpu = process_cpu_ns() - cpu_start;
    let work = (work_before + load.serial_cpu_ns()) as f64 / 2.0 * frames as f64;
    (cpu as f64 / work, busy as f64 / 1e9 / frames as f64)
}

fn frame_row(engine: &Engine, row: &str, context: &mut Context) {
    match row {
        "tick" => {
            let frames = if context.quick { 15 } else { 40 };
            let (ratio, seconds) = measure_frames(engine, &TICK, frames, |_| sleep_ns(3_000_000));
            context.answer.add("tick", "x", ratio);
            context.answer.add("tick_time", "ms", seconds * 1e3);
        }
        "burst60" => {
            let mut start = 0;
            let frames = if context.quick { 30 } else { 60 };
            let (ratio, seconds) = measure_frames(engine, &BURST60, frames, |frame| {
                if frame == 0 {
                    start = now_ns();
                }
                sleep_until_ns(start + (frame + 1) * 16_666_667);
            });
            context.answer.add("burst60", "x", ratio);
            context.answer.add("burst60_time", "us", seconds * 1e6);
        }
        "idle" => {
            engine.batch(64, &|_| work_us(10));
            sleep_ns(200_000_000);
            let cpu_start = process_cpu_ns();
            let start = now_ns();
            sleep_ns(if context.quick { 2_000_000_000 } else { 10_000_000_000 });
            let cpu = (process_cpu_ns() - cpu_start) as f64;
            context.answer.add("idle", "%", 100.0 * cpu / (now_ns() - start) as f64);
        }
        _ => panic!("a row that this program does not know"),
    }
}

pub fn run(engine: &Engine, row: &str, context: &mut Context) {
    match row {
        "fib" | "tree_sum" | "nqueens" | "uts" | "skynet" | "matmul" => {
            engine.enter(|c| fork_row(c, row, context))
        }
        "loop_small" | "loop_large" | "loop_skewed" | "sort" | "spawn" => {
            engine.enter(|c| loop_row(c, row, context))
        }
        "flood" => crate::submit::flood_row(context, |count| engine.flood(count)),
        "submit_wait" => crate::submit::submit_wait_row(
            context,
            |input| engine.submit_wait(input),
            |input| engine.submit_ready(input),
        ),
        "then" => crate::submit::then_row(context, |links| engine.then_chain(links)),
        "wake" => crate::wake::wake_row(context, |probe| engine.hand_over(probe)),
        _ => frame_row(engine, row, context),
    }
}
