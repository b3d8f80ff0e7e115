#include "terrain/engine.hpp"

#include <map>
#include <stdexcept>

#include <quarry/terrain/simd.hpp>

#include "jobs/engine_host.hpp"
#include "terrain/chunks.hpp"
#include "terrain/fields.hpp"
#include "terrain/real_worlds.hpp"
#include "terrain/rejection.hpp"
#include "terrain/rows.hpp"
#include "terrain/world.hpp"

namespace quarry::bench {
namespace {

class TerrainHost final : public EngineHost {
  public:
    const RowInfo* find(std::string_view row) const override {
        const TerrainRow* const found = find_terrain_row(row);
        return found == nullptr ? nullptr : &found->info;
    }

    // Told where it says something, beside what it is made of.
    bool tells_memory() const override { return false; }

    const char* unsupported(std::string_view, int) const override { return nullptr; }

    void run(std::string_view row, RowContext& context) override {
        switch (find_terrain_row(row)->part) {
            case TerrainPart::field:
                return measure_field(row, context.answer);
            case TerrainPart::chunk:
                return measure_lod(row, context.answer);
            case TerrainPart::real:
                return measure_real(row, context.answer);
            case TerrainPart::chunks:
                return measure_chunks(context.workers, context.answer);
            case TerrainPart::bounds:
                return measure_bounds(row, context.answer);
            case TerrainPart::world:
                return measure_world(context.workers, context.answer);
        }
    }

  private:
    void measure_lod(std::string_view row, Answer& answer) {
        const std::int32_t lod = row.back() - '0';
        lods_.try_emplace(lod, lod).first->second.measure(answer);
    }

    void measure_real(std::string_view row, Answer& answer) {
        const std::string name(row);
        real_worlds_.try_emplace(name, name).first->second.measure(answer);
    }

    void measure_bounds(std::string_view row, Answer& answer) {
        terrain::NoiseOptions options;
        if (row == "reject_hilly") {
            options.amplitude = 256;
            options.frequency = 0.005;
        }
        const std::string name(row);
        worlds_.try_emplace(name, name, options).first->second.measure(answer);
    }

    std::map<std::int32_t, SurfaceChunks> lods_;
    std::map<std::string, RealWorld> real_worlds_;
    std::map<std::string, Rejection> worlds_;
};

}  // namespace

int serve_terrain_engine(std::string_view target) {
    try {
        terrain::force_simd_target(terrain::simd_target_named(target));
    } catch (const std::invalid_argument&) {
        return 2;
    }
    TerrainHost host;
    return serve(host);
}

}  // namespace quarry::bench
