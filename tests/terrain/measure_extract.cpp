// Prints what extracting a surface chunk of R3's world costs, and how that splits into sampling, normals and meshing.
#include <chrono>
#include <cstdio>
#include <vector>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"

namespace {

using quarry::terrain::ChunkContent;
using quarry::terrain::ChunkKey;
using quarry::terrain::ChunkMesh;
using quarry::terrain::Field;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Adds up the time that is spent in the field.
class Timed : public Field {
  public:
    explicit Timed(const Field& field) : field_(field) {}

    void sample(const quarry::terrain::SampleBlock& block, float* out) const override {
        const Clock::time_point start = Clock::now();
        field_.sample(block, out);
        sampling += microseconds_since(start);
    }
    void densities(std::span<const quarry::terrain::Position> points, std::span<float> out) const override {
        field_.densities(points, out);
    }
    quarry::terrain::Interval bounds(const quarry::terrain::Box& box) const override { return field_.bounds(box); }
    void gradients(std::span<const quarry::terrain::Position> points, double spacing,
                   std::span<quarry::terrain::Gradient> out) const override {
        const Clock::time_point start = Clock::now();
        field_.gradients(points, spacing, out);
        normals += microseconds_since(start);
    }

    mutable double sampling = 0;
    mutable double normals = 0;

  private:
    const Field& field_;
};

void measure(const Field& field, std::int32_t lod) {
    std::vector<ChunkKey> keys;
    std::size_t vertices = 0;
    for (std::int32_t z = -12; z < 12; ++z) {
        for (std::int32_t y = -2; y < 2; ++y) {
            for (std::int32_t x = -12; x < 12; ++x) {
                const ChunkMesh mesh = extract(field, {lod, x, y, z});
                if (mesh.content != ChunkContent::surface) continue;
                keys.push_back(mesh.key);
                vertices += mesh.positions.size();
            }
        }
    }
    const Timed timed(field);
    std::size_t triangles = 0;
    const Clock::time_point start = Clock::now();
    for (const ChunkKey& key : keys) triangles += extract(timed, key).regular.count / 3;
    const double all = microseconds_since(start);
    const auto count = static_cast<double>(keys.size());
    std::printf("LOD %d: %4.0f chunks of %4.0f vertices, %4.0f triangles: %6.1f us each = %5.0f/s", lod, count,
                static_cast<double>(vertices) / count, static_cast<double>(triangles) / count, all / count,
                1e6 * count / all);
    std::printf(" (sampling %.1f, normals %.1f, meshing %.1f)\n", timed.sampling / count, timed.normals / count,
                (all - timed.sampling - timed.normals) / count);
}

}  // namespace

int main() {
    const quarry::terrain::NoiseField field{quarry::terrain::NoiseOptions{}};
    for (std::int32_t lod = 0; lod < 5; ++lod) measure(field, lod);
    return 0;
}
