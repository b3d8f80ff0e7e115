//! Data and leaf work of the rows; the mirror of bench/jobs/rows.

use crate::measure::{pin, Answer};

pub struct Context<'a> {
    pub quick: bool,
    pub data: &'a mut Data,
    pub answer: &'a mut Answer,
}

impl Context<'_> {
    pub fn min_seconds(&self) -> f64 {
        if self.quick {
            0.01
        } else {
            0.03
        }
    }
}

#[derive(Default)]
pub struct Data {
    pub small_tree: Vec<TreeNode>,
    pub large_tree: Vec<TreeNode>,
    pub matrices: Vec<f32>,
    pub small_cells: Vec<u64>,
    pub large_cells: Vec<u64>,
    pub keys: Vec<u64>,
}

/// Children are indices into one array in depth-first order; 0, the root, stands for "no child".
pub struct TreeNode {
    pub left: u32,
    pub right: u32,
    pub value: u32,
}

pub fn make_tree(levels: u32) -> Vec<TreeNode> {
    fn build(nodes: &mut Vec<TreeNode>, levels: u32) -> u32 {
        let index = nodes.len();
        nodes.push(TreeNode { left: 0, right: 0, value: 1 });
        if levels > 1 {
            let left = build(nodes, levels - 1);
            let right = build(nodes, levels - 1);
            nodes[index].left = left;
            nodes[index].right = right;
        }
        index as u32
    }
    let mut nodes = Vec::with_capacity((1 << levels) - 1);
    build(&mut nodes, levels);
    nodes
}

pub const UTS_NODES: u32 = 4_130_071;

#[derive(Clone, Copy)]
pub struct UtsNode {
    state: [u32; 5],
    depth: u32,
}

impl UtsNode {
    pub fn root() -> Self {
        UtsNode { state: sha1(&[0, 0, 0, 0, 19]), depth: 0 }
    }

    #[inline(never)]
    pub fn children(&self) -> usize {
        if self.depth >= 10 {
            return 0;
        }
        let uniform = f64::from(self.state[4] & 0x7FFF_FFFF) / 2147483648.0;
        let count = ((1.0 - uniform).ln() / (1.0f64 - 1.0 / 5.0).ln()).floor();
        (count as usize).min(100)
    }

    #[inline(never)]
    pub fn child(&self, number: usize) -> Self {
        let [a, b, c, d, e] = self.state;
        UtsNode { state: sha1(&[a, b, c, d, e, number as u32]), depth: self.depth + 1 }
    }
}

/// SHA-1 of a message of big-endian words that fits one block.
#[inline(always)]
fn sha1<const WORDS: usize>(message: &[u32; WORDS]) -> [u32; 5] {
    const START: [u32; 5] = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0];
    let mut window = [0u32; 16];
    window[..WORDS].copy_from_slice(message);
    window[WORDS] = 0x8000_0000;
    window[15] = (WORDS * 32) as u32;
    let [mut a, mut b, mut c, mut d, mut e] = START;
    macro_rules! round {
        ($index:expr, $mixed:expr, $constant:expr) => {
            if $index >= 16 {
                window[$index % 16] = (window[($index + 13) % 16]
                    ^ window[($index + 8) % 16]
                    ^ window[($index + 2) % 16]
                    ^ window[$index % 16])
                    .rotate_left(1);
            }
            let sum = a
                .rotate_left(5)
                .wrapping_add(e)
                .wrapping_add(window[$index % 16])
                .wrapping_add($mixed)
                .wrapping_add($constant);
            e = d;
            d = c;
            c = b.rotate_left(30);
            b = a;
            a = sum;
        };
    }
    macro_rules! twenty {
        ($start:expr, $mixed:expr, $constant:expr) => {
            round!($start, $mixed, $constant);
            round!($start + 1, $mixed, $constant);
            round!($start + 2, $mixed, $constant);
            round!($start + 3, $mixed, $constant);
            round!($start + 4, $mixed, $constant);
            round!($start + 5, $mixed, $constant);
            round!($start + 6, $mixed, $constant);
            round!($start + 7, $mixed, $constant);
            round!($start + 8, $mixed, $constant);
            round!($start + 9, $mixed, $constant);
            round!($start + 10, $mixed, $constant);
            round!($start + 11, $mixed, $constant);
            round!($start + 12, $mixed, $constant);
            round!($start + 13, $mixed, $constant);
            round!($start + 14, $mixed, $constant);
            round!($start + 15, $mixed, $constant);
            round!($start + 16, $mixed, $constant);
            round!($start + 17, $mixed, $constant);
            round!($start + 18, $mixed, $constant);
            round!($start + 19, $mixed, $constant);
        };
    }
    twenty!(0, d ^ (b & (c ^ d)), 0x5A827999);
    twenty!(20, b ^ c ^ d, 0x6ED9EBA1);
    twenty!(40, (b & c) | (d & (b | c)), 0x8F1BBCDC);
    twenty!(60, b ^ c ^ d, 0xCA62C1D6);
    [
        START[0].wrapping_add(a),
        START[1].wrapping_add(b),
        START[2].wrapping_add(c),
        START[3].wrapping_add(d),
        START[4].wrapping_add(e),
    ]
}

pub const MATRIX: usize = 1024;
pub const MATRIX_LEAF: usize = 64;

/// A pointer into data whose parts are handed to different threads, never the same part to two.
pub struct Shared<T>(*mut T);
// SAFETY: every row splits its data into disjoint parts.
unsafe impl<T> Send for Shared<T> {}
unsafe impl<T> Sync for Shared<T> {}
impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}

impl<T> Shared<T> {
    pub fn new(pointer: *mut T) -> Self {
        Shared(pointer)
    }
}

/// A square block of a row-major matrix of MATRIX columns.
pub type Block = Shared<f32>;

pub fn quarter(block: Block, size: usize, down: usize, right: usize) -> Block {
    let half = size / 2;
    // SAFETY: the quarter lies inside the block.
    Shared(unsafe { block.0.add(down * half * MATRIX + right * half) })
}

/// c += a * b on blocks of MATRIX_LEAF rows and columns.
#[inline(never)]
pub fn multiply_leaf(c: Block, a: Block, b: Block) {
    // SAFETY: the blocks are in bounds, and no other thread writes this block of c.
    unsafe {
        for row in 0..MATRIX_LEAF {
            let out: &mut [f32; MATRIX_LEAF] = &mut *c.0.add(row * MATRIX).cast();
            for inner in 0..MATRIX_LEAF {
                let factor = *a.0.add(row * MATRIX + inner);
                let input: &[f32; MATRIX_LEAF] = &*b.0.add(inner * MATRIX).cast();
                for column in 0..MATRIX_LEAF {
                    out[column] += factor * input[column];
                }
            }
        }
    }
}

pub fn fill_matrices(matrices: &mut Vec<f32>) {
    *matrices = vec![0.0; 3 * MATRIX * MATRIX];
    let mut state = 1u32;
    for value in &mut matrices[..2 * MATRIX * MATRIX] {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        *value = (state >> 16) as f32 / 65536.0 - 0.5;
    }
}

pub fn product_element(matrices: &[f32], row: usize, column: usize) -> f32 {
    let (a, b) = matrices.split_at(MATRIX * MATRIX);
    (0..MATRIX).fold(0.0, |sum, inner| sum + a[row * MATRIX + inner] * b[inner * MATRIX + column])
}

#[derive(Clone, Copy, PartialEq)]
pub enum LoopCost {
    Even,
    Rising,
}

pub const SMALL_LOOP: usize = 1_000;
pub const LARGE_LOOP: usize = 10_000_000;
pub const SKEWED_LOOP: usize = 10_000;
pub const KEYS: usize = 10_000_000;
pub const SPAWNED_JOBS: usize = 100_000;

#[inline(always)]
pub fn touch_cells(cells: Shared<u64>, first: usize, last: usize) {
    // SAFETY: the range is in bounds and no other thread has it.
    let cells = unsafe { std::slice::from_raw_parts_mut(cells.0.add(first), last - first) };
    for (offset, cell) in cells.iter_mut().enumerate() {
        let value = pin((*cell ^ (*cell >> 31)).wrapping_mul(0x9E3779B97F4A7C15));
        *cell = value.wrapping_add((first + offset) as u64);
    }
}

pub fn fill_keys(keys: &mut Vec<u64>) {
    let mut state = 42u64;
    *keys = (0..KEYS)
        .map(|_| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state ^ (state >> 33)).wrapping_mul(0xFF51AFD7ED558CCD)
        })
        .collect();
}

/// A series of bursts of jobs with serial stretches between them.
pub struct FrameLoad {
    pub bursts: usize,
    pub jobs: usize,
    pub job_us: fn(usize) -> u64,
    pub serial_us: u64,
}

pub const TICK: FrameLoad =
    FrameLoad { bursts: 12, jobs: 32, job_us: |job| (1 + job * 7 % 5) as u64, serial_us: 200 };
pub const BURST60: FrameLoad = FrameLoad { bursts: 1, jobs: 200, job_us: |_| 10, serial_us: 0 };

impl FrameLoad {
    pub fn serial_cpu_ns(&self) -> i64 {
        let start = crate::measure::thread_cpu_ns();
        for _ in 0..self.bursts {
            for job in 0..self.jobs {
                crate::measure::work_us((self.job_us)(job));
            }
            if self.serial_us != 0 {
                crate::measure::work_us(self.serial_us);
            }
        }
        crate::measure::thread_cpu_ns() - start
    }
}
