#pragma once

#include <array>
#include <cstdint>

#include "quarry/terrain/extract.hpp"
#include "values.hpp"

namespace quarry::godot {

enum class DebugView : std::int64_t { off, lods, borders, wireframe };

// The built-in materials, one for each level of detail, so that the debug views can tell them apart.
class Shading {
  public:
    Shading();
    Shading(const Shading&) = delete;
    Shading& operator=(const Shading&) = delete;
    ~Shading();

    Rid material(std::int32_t lod) const noexcept {
        return own_.id != 0 ? own_ : materials_[static_cast<std::size_t>(lod)];
    }
    // Cells along an axis of a chunk, for the lines between chunks. A material of the host's is used for all, if it is
    // one.
    void set_up(DebugView view, std::int64_t cells, Rid own);
    // Of the four layers; none: a plain colour. Each covers so many metres.
    void set_textures(const std::array<Rid, 4>& textures, double size);

  private:
    void set(const char* parameter, const Variant& value);

    Variant server_;
    Rid shader_;
    std::array<Rid, terrain::kCoarsestLod + 1> materials_{};
    Rid own_;
    bool is_wireframe_ = false;
};

}  // namespace quarry::godot
