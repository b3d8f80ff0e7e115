#pragma once

namespace quarry::terrain {

class Field;
class NoiseField;
struct Box;
struct Gradient;
struct Interval;
struct Lattice;
struct LatticePoint;
struct NoiseOptions;
struct Position;
struct SampleBlock;

}  // namespace quarry::terrain
