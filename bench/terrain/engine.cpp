#include "terrain/engine.hpp"

#include <map>
#include <stdexcept>
#include <string>

#include <quarry/terrain/simd.hpp>

#include "jobs/engine_host.hpp"
#include "terrain/rows.hpp"

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

  private:
    void measure(std::string_view row, RowContext& context) override {
        const TerrainRow* const found = find_terrain_row(row);
        TerrainMeasure& measure = made_[found];
        if (measure == nullptr) measure = found->make(std::string(row));
        measure(context);
    }

    std::map<const TerrainRow*, TerrainMeasure> made_;
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
