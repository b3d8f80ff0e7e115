#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "quarry/terrain/chunk_state.hpp"
#include "quarry/terrain/extract.hpp"
#include "values.hpp"

namespace quarry::godot {

enum class DebugView : std::int64_t { off, lods, borders, wireframe, states };

// What a chunk does in a cross-fade.
enum class FadeWay : std::uint8_t { coming, going };
inline constexpr std::size_t kFadeWays = 2;

// The built-in materials, one for each level of detail, so that the debug views can tell them apart, and others of
// their looks for chunks that fade: only those are dithered, so that the rest costs what it always does.
class Shading {
  public:
    Shading();
    Shading(const Shading&) = delete;
    Shading& operator=(const Shading&) = delete;
    ~Shading();

    Rid material(std::int32_t lod) const noexcept {
        return own_.id != 0 ? own_ : materials_[static_cast<std::size_t>(lod)];
    }
    // For the view of states; set_up has made it.
    Rid state_material(terrain::ChunkState state) const noexcept {
        return state_materials_[static_cast<std::size_t>(state)];
    }
    // Cells along an axis of a chunk, for the lines between chunks. A material of the host's is used for all, if it is
    // one.
    void set_up(DebugView view, std::int64_t cells, Rid own);
    // Of the four materials; a Rid of 0 is none, and its colour is used. Metres that a texture covers.
    void set_textures(const std::array<Rid, 4>& textures, double size);

    // A material of the host's cannot be dithered from here.
    bool can_fade() const noexcept { return own_.id == 0; }
    // A dithered material for chunks of a level that come or go. Whoever takes it gives it back.
    Rid take_fading(std::int32_t lod, FadeWay way);
    void give_back(Rid material, std::int32_t lod, FadeWay way);
    // 0: what goes is drawn, 1: what comes. In between each pixel shows one of them.
    void set_fade(Rid material, double share) const;
    // That there are, in use or not.
    std::size_t fading_materials() const noexcept { return fading_.size(); }

    // A Shader's text for ground that is no longer part of the terrain: its pattern moves with it.
    static std::string code_of_loose_ground();

  private:
    using Parameter = std::pair<const char*, Variant>;

    void set(const char* parameter, const Variant& value);
    Rid new_material(Rid shader, const Color& color) const;
    void make_state_materials();

    Variant server_;
    Rid shader_;
    Rid fade_shader_;  // made when it is first needed
    Rid own_;          // of the host's
    std::array<Rid, terrain::kCoarsestLod + 1> materials_;
    std::array<Rid, terrain::kChunkStates> state_materials_{};  // made when they are first needed
    std::vector<Rid> fading_;                                   // all of them
    std::array<std::array<std::vector<Rid>, kFadeWays>, terrain::kCoarsestLod + 1> spare_;
    std::vector<Parameter> parameters_;  // that all materials have, for new ones
    bool is_wireframe_ = false;
};

}  // namespace quarry::godot
