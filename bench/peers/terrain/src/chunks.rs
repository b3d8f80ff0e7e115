//! Chunks by the crate `transvoxel`, on as many threads as rayon is given. Samples go into a block of our own, which each
//! thread uses again and again, as the crate's documentation advises: its own block is allocated for each chunk.

use crate::field::Field;
use rayon::prelude::*;
use std::cell::RefCell;
use transvoxel::prelude::*;
use transvoxel::structs::generic_mesh::Mesh;
use transvoxel::structs::voxel_index::VoxelIndex;
use transvoxel::traits::voxel_block::VoxelBlock;

const CELLS: usize = 32;
const WIDTH: f32 = 32.0;
/// Samples along an axis: one beyond each side, for gradients.
const SIDE: usize = CELLS + 3;

struct Samples {
    block: Block<f32>,
    densities: Vec<f32>,
}

fn place(x: isize, y: isize, z: isize) -> usize {
    ((x + 1) as usize * SIDE + (y + 1) as usize) * SIDE + (z + 1) as usize
}

impl VoxelBlock<f32, f32> for Samples {
    fn block(&self) -> &Block<f32> {
        &self.block
    }
    #[inline]
    fn get(&self, index: VoxelIndex) -> f32 {
        self.densities[place(index.x, index.y, index.z)]
    }
}

impl Samples {
    fn new() -> Self {
        Self { block: Block::new([0.0; 3], WIDTH, CELLS), densities: vec![0.0; SIDE * SIDE * SIDE] }
    }

    fn take(&mut self, field: &Field, x: isize, y: isize, z: isize) {
        let base = self.block.base;
        let density = field.density(base[0] + x as f32, base[1] + y as f32, base[2] + z as f32);
        self.densities[place(x, y, z)] = density;
    }

    /// All samples that an extraction may ask for: edges and corners of the outer layer are not among them.
    fn fill(&mut self, field: &Field, base: [f32; 3]) {
        self.block.base = base;
        let last = CELLS as isize;
        for x in 0..=last {
            for y in 0..=last {
                for z in 0..=last {
                    self.take(field, x, y, z);
                }
            }
        }
        for a in 0..=last {
            for b in 0..=last {
                for outside in [-1, last + 1] {
                    self.take(field, outside, a, b);
                    self.take(field, a, outside, b);
                    self.take(field, a, b, outside);
                }
            }
        }
    }
}

fn mesh(field: &Field, base: [f32; 3]) -> Mesh<f32> {
    thread_local! { static SAMPLES: RefCell<Samples> = RefCell::new(Samples::new()); }
    SAMPLES.with_borrow_mut(|samples| {
        samples.fill(field, base);
        let view = BlockStarView::<f32, f32, &Samples, &Samples>::new_simple(samples);
        extract(&view, 0.0, GenericMeshBuilder::new()).build()
    })
}

pub struct Crew {
    threads: rayon::ThreadPool,
    field: Field,
    bases: Vec<[f32; 3]>,
}

impl Crew {
    /// The chunks of bench/terrain/chunks.cpp that have a surface in this field.
    pub fn new(workers: usize) -> Self {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("threads");
        let field = Field::new();
        let bases = (0..64)
            .map(|i| [6 * (i % 8) - 21, i % 2 - 1, 6 * (i / 8) - 21].map(|place| place as f32 * WIDTH))
            .filter(|base| mesh(&field, *base).num_tris() > 0)
            .collect();
        Self { threads, field, bases }
    }

    /// How many chunks, and how many triangles they have.
    pub fn mesh_all(&self) -> (usize, usize) {
        let triangles = self.threads.install(|| {
            self.bases.par_iter().with_max_len(1).map(|base| mesh(&self.field, *base).num_tris()).sum()
        });
        (self.bases.len(), triangles)
    }
}
