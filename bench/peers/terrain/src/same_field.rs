//! Quarry's own noise field with its defaults, after src/terrain/noise/README.md: the same bits, so that both programs mesh
//! the same surface. Row by row, and what a row has in common is computed once, as Quarry does it. There are no SIMD kernels,
//! but the loops have no branches where the compiler can make vectors of them, for AVX2 where the processor has it.

const OCTAVES: usize = 4;
const SEED: u64 = 42;
const FREQUENCY: f64 = 0.02;
const AMPLITUDE: f64 = 32.0;
/// Between two samples: where it is more, cells have next to nothing in common.
const MOST_OF_A_CELL: f64 = 0.3;

struct Octave {
    frequency: f64,
    weight: f32,
    seed: u32,
}

/// A coordinate within the noise's lattice.
#[derive(Clone, Copy)]
struct Place {
    cell: u32,
    rest: f32,
    faded: f32,
}

/// What the lattice points of one x have to say along a row: noise = slope * distance + height.
#[derive(Clone, Copy)]
struct Column {
    slope: f32,
    height: f32,
}

#[inline(always)]
fn mix(mut h: u32) -> u32 {
    h = (h ^ (h >> 16)).wrapping_mul(0x7FEB_352D);
    h = (h ^ (h >> 15)).wrapping_mul(0x846C_A68B);
    h ^ (h >> 16)
}

#[inline(always)]
fn gradient(octave: &Octave, x: u32, y: u32, z: u32) -> [f32; 3] {
    let place = x.wrapping_mul(0x9E37_79B1).wrapping_add(y.wrapping_mul(0x85EB_CA77));
    let h = mix(place.wrapping_add(z.wrapping_mul(0xC2B2_AE3D)).wrapping_add(octave.seed));
    let choice = h & 0xFFFF;
    let part = |is_short: bool, sign: u32| {
        let length = if is_short { 0.383_f32 } else { 0.766 };
        f32::from_bits(length.to_bits() | (sign & 0x8000_0000))
    };
    let (not_x, is_z) = (choice >= 21_846, choice >= 43_691);
    [part(!not_x, h), part(not_x & !is_z, h << 1), part(is_z, h << 2)]
}

#[inline(always)]
fn lerp(t: f32, a: f32, b: f32) -> f32 {
    a + t * (b - a)
}

#[inline(always)]
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[inline(always)]
fn column(octave: &Octave, x: u32, y: Place, z: Place) -> Column {
    let edge = |y: u32| {
        let low = gradient(octave, x, y, z.cell);
        let high = gradient(octave, x, y, z.cell.wrapping_add(1));
        let along_z = lerp(z.faded, low[2] * z.rest, high[2] * (z.rest - 1.0));
        [lerp(z.faded, low[0], high[0]), lerp(z.faded, low[1], high[1]), along_z]
    };
    let low = edge(y.cell);
    let high = edge(y.cell.wrapping_add(1));
    let slope = lerp(y.faded, low[0], high[0]);
    let height = lerp(y.faded, low[1] * y.rest + low[2], high[1] * (y.rest - 1.0) + high[2]);
    Column { slope, height }
}

/// Points of a lattice: origin + index * step, for the indices from low to high.
#[derive(Clone, Copy)]
pub struct Points {
    pub origin: [f64; 3],
    pub step: f64,
    pub low: [isize; 3],
    pub high: [isize; 3],
}

impl Points {
    fn along(&self, axis: usize, octave: &Octave) -> Vec<Place> {
        (self.low[axis]..=self.high[axis])
            .map(|index| {
                let at = (self.origin[axis] + index as f64 * self.step) * octave.frequency;
                let rest = (at - at.floor()) as f32;
                Place { cell: at.floor() as i64 as u32, rest, faded: fade(rest) }
            })
            .collect()
    }
}

pub struct SameField {
    octaves: [Octave; OCTAVES],
}

impl SameField {
    pub fn new() -> Self {
        let total: f64 = (0..OCTAVES).map(|i| 0.5_f64.powi(i as i32)).sum();
        let octaves = std::array::from_fn(|i| Octave {
            frequency: FREQUENCY * 2.0_f64.powi(i as i32),
            weight: (AMPLITUDE * 0.5_f64.powi(i as i32) / total) as f32,
            seed: mix(mix(mix(SEED as u32).wrapping_add((SEED >> 32) as u32)).wrapping_add(i as u32)),
        });
        Self { octaves }
    }

    /// Calls put(x, y, z, density) for each of the points; above 0 is solid, which is Quarry's density with the other sign.
    pub fn sample(&self, points: &Points, put: impl FnMut(isize, isize, isize, f32)) {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { self.sample_avx2(points, put) };
        }
        self.sample_rows(points, put);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn sample_avx2(&self, points: &Points, put: impl FnMut(isize, isize, isize, f32)) {
        self.sample_rows(points, put);
    }

    #[inline(always)]
    fn sample_rows(&self, points: &Points, mut put: impl FnMut(isize, isize, isize, f32)) {
        let axes: Vec<[Vec<Place>; 3]> =
            self.octaves.iter().map(|octave| std::array::from_fn(|axis| points.along(axis, octave))).collect();
        let mut sums = vec![0.0_f32; axes[0][0].len()];
        for z in points.low[2]..=points.high[2] {
            for y in points.low[1]..=points.high[1] {
                let (row_y, row_z) = ((y - points.low[1]) as usize, (z - points.low[2]) as usize);
                sums.fill(0.0);
                for (octave, [along_x, along_y, along_z]) in self.octaves.iter().zip(&axes) {
                    if octave.frequency * points.step < MOST_OF_A_CELL {
                        add_row(octave, along_x, along_y[row_y], along_z[row_z], &mut sums);
                    } else {
                        add_points(octave, along_x, along_y[row_y], along_z[row_z], &mut sums);
                    }
                }
                let height = (points.origin[1] + y as f64 * points.step) as f32;
                for (x, sum) in (points.low[0]..).zip(&sums) {
                    put(x, y, z, sum - height);
                }
            }
        }
    }
}

#[inline(always)]
fn blend(at: Place, low: Column, high: Column) -> f32 {
    let near = low.slope * at.rest + low.height;
    let rise = (high.slope - low.slope) * at.rest + ((high.height - high.slope) - low.height);
    near + at.faded * rise
}

/// Several samples lie in a cell.
#[inline(always)]
fn add_row(octave: &Octave, row: &[Place], y: Place, z: Place, sums: &mut [f32]) {
    let mut cell = row[0].cell;
    let mut low = column(octave, cell, y, z);
    let mut high = column(octave, cell.wrapping_add(1), y, z);
    for (at, sum) in row.iter().zip(sums) {
        if at.cell != cell {
            low = if at.cell == cell.wrapping_add(1) { high } else { column(octave, at.cell, y, z) };
            cell = at.cell;
            high = column(octave, cell.wrapping_add(1), y, z);
        }
        *sum += octave.weight * blend(*at, low, high);
    }
}

/// Each sample has a cell of its own.
#[inline(always)]
fn add_points(octave: &Octave, row: &[Place], y: Place, z: Place, sums: &mut [f32]) {
    for (at, sum) in row.iter().zip(sums) {
        let low = column(octave, at.cell, y, z);
        let high = column(octave, at.cell.wrapping_add(1), y, z);
        *sum += octave.weight * blend(*at, low, high);
    }
}
