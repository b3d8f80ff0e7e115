//! The chunks of a world, as a file lists them: what `quarry bench stream` has shown, meshed by the crate `transvoxel` on
//! as many threads as rayon is given, transition cells included.

use crate::same_field::{Points, SameField};
use rayon::prelude::*;
use std::cell::RefCell;
use std::time::Instant;
use transvoxel::prelude::*;
use transvoxel::structs::generic_mesh::Mesh;
use transvoxel::structs::voxel_index::VoxelIndex;
use transvoxel::traits::voxel_block::VoxelBlock;

const CELLS: isize = 32;
/// Samples along an axis: one beyond each side, for gradients.
const SIDE: usize = CELLS as usize + 3;
/// Of a face with twice as many cells along an axis.
const FACE_CELLS: isize = 2 * CELLS;
const FACE_SIDE: usize = FACE_CELLS as usize + 3;

const SIDES: [TransitionSide; 6] = [
    TransitionSide::LowX,
    TransitionSide::HighX,
    TransitionSide::LowY,
    TransitionSide::HighY,
    TransitionSide::LowZ,
    TransitionSide::HighZ,
];

struct Chunk {
    base: [f64; 3],
    step: f64,
    finer: Vec<usize>, // the sides whose neighbours have twice the resolution
}

fn block(base: [f64; 3], size: f64, cells: isize) -> Block<f32> {
    Block::new(base.map(|at| at as f32), size as f32, cells as usize)
}

struct Samples {
    block: Block<f32>,
    densities: Vec<f32>,
}

impl VoxelBlock<f32, f32> for Samples {
    fn block(&self) -> &Block<f32> {
        &self.block
    }
    #[inline]
    fn get(&self, index: VoxelIndex) -> f32 {
        self.densities[Samples::place(index.x, index.y, index.z)]
    }
}

impl Samples {
    fn new() -> Self {
        Self { block: block([0.0; 3], 1.0, CELLS), densities: vec![0.0; SIDE * SIDE * SIDE] }
    }

    #[inline]
    fn place(x: isize, y: isize, z: isize) -> usize {
        ((x + 1) as usize * SIDE + (y + 1) as usize) * SIDE + (z + 1) as usize
    }

    /// All that an extraction may ask for: edges and corners of the outer layer are not among them.
    fn fill(&mut self, field: &SameField, chunk: &Chunk) {
        self.block = block(chunk.base, chunk.step * CELLS as f64, CELLS);
        let whole = Points { origin: chunk.base, step: chunk.step, low: [0; 3], high: [CELLS; 3] };
        let densities = &mut self.densities;
        let mut take = |points: Points| field.sample(&points, |x, y, z, density| densities[Self::place(x, y, z)] = density);
        take(Points { low: [-1, 0, 0], high: [CELLS + 1, CELLS, CELLS], ..whole });
        for axis in [1, 2] {
            for layer in [-1, CELLS + 1] {
                let mut points = whole;
                (points.low[axis], points.high[axis]) = (layer, layer);
                take(points);
            }
        }
    }
}

/// What an extraction may ask of a neighbour of twice the resolution: the layer at the side, and one to either side of it.
struct Face {
    block: Block<f32>,
    axis: usize,
    layer: isize,
    densities: Vec<f32>,
}

impl VoxelBlock<f32, f32> for Face {
    fn block(&self) -> &Block<f32> {
        &self.block
    }
    #[inline]
    fn get(&self, index: VoxelIndex) -> f32 {
        self.densities[self.place(index.x, index.y, index.z)]
    }
}

impl Face {
    fn new() -> Self {
        let densities = vec![0.0; 3 * FACE_SIDE * FACE_SIDE];
        Self { block: block([0.0; 3], 1.0, FACE_CELLS), axis: 0, layer: 0, densities }
    }

    #[inline]
    fn place(&self, x: isize, y: isize, z: isize) -> usize {
        let (across, a, b) = match self.axis {
            0 => (x, y, z),
            1 => (y, x, z),
            _ => (z, x, y),
        };
        ((across - self.layer + 1) as usize * FACE_SIDE + (a + 1) as usize) * FACE_SIDE + (b + 1) as usize
    }

    fn fill(&mut self, field: &SameField, chunk: &Chunk, side: usize) {
        let size = chunk.step * CELLS as f64;
        let is_high = side % 2 == 1;
        self.axis = side / 2;
        self.layer = if is_high { 0 } else { FACE_CELLS };
        let mut origin = chunk.base;
        origin[self.axis] += if is_high { size } else { -size };
        self.block = block(origin, size, FACE_CELLS);
        for across in -1..=1 {
            // Beyond the face's edges only in its own layer.
            let beyond = if across == 0 { 1 } else { 0 };
            let mut points =
                Points { origin, step: chunk.step / 2.0, low: [-beyond; 3], high: [FACE_CELLS + beyond; 3] };
            (points.low[self.axis], points.high[self.axis]) = (self.layer + across, self.layer + across);
            let mut densities = std::mem::take(&mut self.densities);
            field.sample(&points, |x, y, z, density| densities[self.place(x, y, z)] = density);
            self.densities = densities;
        }
    }
}

/// The samples of one chunk.
struct Ground {
    samples: Samples,
    faces: Vec<Face>,
}

impl Ground {
    fn new() -> Self {
        Self { samples: Samples::new(), faces: Vec::new() }
    }

    fn fill(&mut self, field: &SameField, chunk: &Chunk) {
        self.samples.fill(field, chunk);
        while self.faces.len() < chunk.finer.len() {
            self.faces.push(Face::new());
        }
        for (face, side) in self.faces.iter_mut().zip(&chunk.finer) {
            face.fill(field, chunk, *side);
        }
    }

    fn mesh(&self, chunk: &Chunk) -> Mesh<f32> {
        let mut view = BlockStarView::<f32, f32, &Samples, &Face>::new_simple(&self.samples);
        for (face, side) in self.faces.iter().zip(&chunk.finer) {
            view = view.with_neighbour(face, SIDES[*side]);
        }
        extract(&view, 0.0, GenericMeshBuilder::new()).build()
    }
}

fn sample_and_mesh(field: &SameField, chunk: &Chunk) -> Mesh<f32> {
    thread_local! { static GROUND: RefCell<Ground> = RefCell::new(Ground::new()); }
    GROUND.with_borrow_mut(|ground| {
        ground.fill(field, chunk);
        ground.mesh(chunk)
    })
}

pub struct Figures {
    pub chunks: usize,
    pub triangles: usize,
    pub seconds: f64,
    pub meshing_seconds: f64, // of the same chunks, with all samples in memory
}

pub struct World {
    threads: rayon::ThreadPool,
    field: SameField,
    chunks: Vec<Chunk>,
    grounds: Vec<Ground>,
}

impl World {
    /// One chunk a line: level, x, y, z, and a bit for each side with a finer neighbour.
    pub fn read(path: &str, workers: usize) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let chunks = text.lines().map(parse).collect::<Option<Vec<_>>>().ok_or(format!("{path} is no list of chunks"))?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(workers).build().map_err(|error| error.to_string())?;
        let field = SameField::new();
        let fill = |chunk: &Chunk| {
            let mut ground = Ground::new();
            ground.fill(&field, chunk);
            ground
        };
        let grounds = threads.install(|| chunks.par_iter().map(fill).collect());
        let world = Self { threads, field, chunks, grounds };
        world.measure(); // so that the first one that counts finds warm threads and memory
        Ok(world)
    }

    /// Meshes all of it twice, and keeps all meshes to the end of each time.
    pub fn measure(&self) -> Figures {
        let start = Instant::now();
        let meshes = self.mesh_all(|(chunk, _)| sample_and_mesh(&self.field, chunk));
        let seconds = start.elapsed().as_secs_f64();
        let triangles = meshes.iter().map(|mesh| mesh.num_tris()).sum();
        drop(meshes);
        let start = Instant::now();
        let meshes = self.mesh_all(|(chunk, ground)| ground.mesh(chunk));
        let meshing_seconds = start.elapsed().as_secs_f64();
        drop(meshes);
        Figures { chunks: self.chunks.len(), triangles, seconds, meshing_seconds }
    }

    fn mesh_all(&self, mesh: impl Fn((&Chunk, &Ground)) -> Mesh<f32> + Sync) -> Vec<Mesh<f32>> {
        self.threads.install(|| {
            self.chunks.par_iter().with_max_len(1).zip(&self.grounds).map(|pair| mesh(pair)).collect()
        })
    }
}

fn parse(line: &str) -> Option<Chunk> {
    let numbers = line.split_whitespace().map(str::parse).collect::<Result<Vec<i64>, _>>().ok()?;
    let [lod @ 0..=30, x, y, z, sides @ 0..=63] = numbers[..] else { return None };
    let step = (1_i64 << lod) as f64;
    let base = [x, y, z].map(|at| at as f64 * step * CELLS as f64);
    Some(Chunk { base, step, finer: (0..6).filter(|side| sides >> side & 1 == 1).collect() })
}
