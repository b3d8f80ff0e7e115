//! The Mersenne twister of C++'s std::mt19937, so that all engines get equal rows.

const SIZE: usize = 624;

pub struct Random {
    state: [u32; SIZE],
    at: usize,
}

impl Random {
    pub fn new(seed: u32) -> Random {
        let mut state = [seed; SIZE];
        for i in 1..SIZE {
            let before = state[i - 1];
            state[i] = 1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(i as u32);
        }
        Random { state, at: SIZE }
    }

    fn refill(&mut self) {
        for i in 0..SIZE {
            let joined = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % SIZE] & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + 397) % SIZE] ^ (joined >> 1) ^ odd;
        }
        self.at = 0;
    }

    pub fn next(&mut self) -> u32 {
        if self.at == SIZE {
            self.refill();
        }
        let mut value = self.state[self.at];
        self.at += 1;
        value ^= value >> 11;
        value ^= (value << 7) & 0x9d2c_5680;
        value ^= (value << 15) & 0xefc6_0000;
        value ^ (value >> 18)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn ten_thousandth_of_the_default_seed_is_as_the_standard_says() {
        let mut random = super::Random::new(5489);
        let last = (0..10_000).map(|_| random.next()).last();
        assert_eq!(last, Some(4_123_659_995));
    }
}
