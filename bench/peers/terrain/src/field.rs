//! The field of the benchmark world as the crate `noise` has it: 4 octaves of gradient noise of frequency 0.02, amplitude 32.

use noise::{Fbm, MultiFractal, NoiseFn, Perlin};
use std::hint::black_box;

const AMPLITUDE: f64 = 32.0;
const SIDE: i32 = 33;
pub const BLOCK_SAMPLES: usize = (SIDE * SIDE * SIDE) as usize;

pub struct Field {
    noise: Fbm<Perlin>,
}

impl Field {
    pub fn new() -> Self {
        let noise = Fbm::<Perlin>::new(42)
            .set_octaves(4)
            .set_frequency(0.02)
            .set_lacunarity(2.0)
            .set_persistence(0.5);
        Self { noise }
    }

    /// Above 0 where it is solid, as the crate `transvoxel` wants it: Quarry's density with the other sign.
    #[inline]
    pub fn density(&self, x: f32, y: f32, z: f32) -> f32 {
        let (x, y, z) = (f64::from(x), f64::from(y), f64::from(z));
        (self.noise.get([x, y, z]) * AMPLITUDE - y) as f32
    }
}

/// The block that Quarry's row of that name samples.
pub fn sample_block() {
    thread_local! { static FIELD: Field = Field::new(); }
    FIELD.with(|field| {
        for z in 40..40 + SIDE {
            for y in -16..-16 + SIDE {
                for x in -16..-16 + SIDE {
                    black_box(field.density(x as f32, y as f32, z as f32));
                }
            }
        }
    });
}
