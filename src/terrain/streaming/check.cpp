#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "quarry/terrain/shown_check.hpp"
#include "terrain/streaming/keys.hpp"

namespace quarry::terrain {
namespace {

std::string text_of(const ChunkKey& key) {
    return "(" + std::to_string(key.lod) + ": " + std::to_string(key.x) + ", " + std::to_string(key.y) + ", " +
           std::to_string(key.z) + ")";
}

// What lies where: chunks that are shown, places that are empty, and parts that are missing.
class ShownChecker {
  public:
    explicit ShownChecker(const ShownWorld& world) : world_(world) {
        places_.reserve(world.chunks.size() + world.empty.size() + world.missing.size());
        for (std::size_t i = 0; i < world.chunks.size(); ++i) add(world.chunks[i].key, Content::shown, i);
        for (const ChunkKey& key : world.empty) add(key, Content::empty, 0);
        for (std::size_t i = 0; i < world.missing.size(); ++i) add(world.missing[i], Content::missing, i);
    }

    ShownCheck run() {
        for (const ShownChunk& chunk : world_.chunks) {
            find_overlap(chunk.key);
            look_around(chunk);
        }
        find_holes();
        return result_;
    }

  private:
    enum class Content : std::uint8_t { shown, empty, missing };
    struct Place {
        Content content;
        std::size_t index;
    };

    void report(std::size_t& count, const std::string& what) {
        ++count;
        if (result_.first.empty()) result_.first = what;
    }

    void add(const ChunkKey& key, Content content, std::size_t index) {
        const auto [found, is_new] = places_.try_emplace(key, Place{content, index});
        if (is_new) return;
        if (found->second.content == Content::shown && content == Content::shown) {
            report(result_.overlaps, text_of(key) + " is shown twice");
        }
    }

    const Place* find(const ChunkKey& key) const {
        const auto found = places_.find(key);
        return found == places_.end() ? nullptr : &found->second;
    }
    const Place* find_above(ChunkKey& key) const {
        while (key.lod < world_.max_lod) {
            key = streaming::parent_of(key);
            if (const Place* const place = find(key)) return place;
        }
        return nullptr;
    }

    void find_overlap(const ChunkKey& key) {
        ChunkKey above = key;
        while (const Place* const place = find_above(above)) {
            if (place->content != Content::shown) continue;
            report(result_.overlaps, text_of(key) + " is shown within " + text_of(above));
        }
    }

    // Levels of all that touches; and the mask, which only has to fit what is shown.
    void look_around(const ShownChunk& chunk) {
        streaming::for_each_neighbour([&](std::int32_t dx, std::int32_t dy, std::int32_t dz) {
            const ChunkKey beside = streaming::moved(chunk.key, dx, dy, dz);
            ChunkKey above = beside;
            const Place* place = find(beside);
            if (place == nullptr) place = find_above(above);
            if (place != nullptr && place->content == Content::shown && above.lod > chunk.key.lod + 1) {
                report(result_.unbalanced, text_of(chunk.key) + " touches " + text_of(above));
            }
            if (!chunk.has_mesh || dx * dx + dy * dy + dz * dz != 1) return;
            const std::uint32_t axis = dx != 0 ? 0 : dy != 0 ? 1 : 2;
            const std::uint32_t bit = (dx + dy + dz < 0 ? 1u : 2u) << 2 * axis;
            const bool is_set = (chunk.mask & bit) != 0;
            const bool coarser = place != nullptr && place->content == Content::shown && above.lod > chunk.key.lod;
            const bool same = place != nullptr && place->content == Content::shown && above.lod == chunk.key.lod;
            if ((coarser && !is_set) || ((same || is_finer_shown(beside, bit)) && is_set)) {
                report(result_.wrong_masks,
                       text_of(chunk.key) + " has mask " + std::to_string(chunk.mask) + " beside " + text_of(above));
            }
        });
    }

    // Whether a chunk of the level below is shown on that side of `beside` which the bit looks at.
    bool is_finer_shown(const ChunkKey& beside, std::uint32_t bit) const {
        if (beside.lod == 0) return false;
        for (std::uint32_t child = 0; child < 8; ++child) {
            const std::uint32_t axis = bit < 4 ? 0 : bit < 16 ? 1 : 2;
            const bool upper = bit == 1u << 2 * axis;  // seen from a chunk above, the upper children are beside it
            if ((child >> axis & 1) != (upper ? 1u : 0u)) continue;
            const Place* const place = find(streaming::child_of(beside, child));
            if (place != nullptr && place->content == Content::shown) return true;
        }
        return false;
    }

    // From the missing parts that touch the outside of the plan, through missing parts that touch: what is not reached
    // is enclosed, and a hole if it lies between two chunks that are shown.
    void find_holes() {
        std::vector<bool> open(world_.missing.size());
        std::vector<std::vector<std::size_t>> beside(world_.missing.size());
        std::vector<std::size_t> reached;
        for (std::size_t i = 0; i < world_.missing.size(); ++i) {
            streaming::for_each_neighbour([&](std::int32_t dx, std::int32_t dy, std::int32_t dz) {
                const ChunkKey across = streaming::moved(world_.missing[i], dx, dy, dz);
                ChunkKey above = across;
                const Place* place = find(across);
                if (place == nullptr) place = find_above(above);
                if (place != nullptr && place->content == Content::missing) {
                    beside[i].push_back(place->index);
                    beside[place->index].push_back(i);
                }
                if (place == nullptr && !is_covered(across, streaming::children_touching(dx, dy, dz)) && !open[i]) {
                    open[i] = true;
                    reached.push_back(i);
                }
            });
        }
        while (!reached.empty()) {
            const std::size_t i = reached.back();
            reached.pop_back();
            for (const std::size_t next : beside[i]) {
                if (open[next]) continue;
                open[next] = true;
                reached.push_back(next);
            }
        }
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (!open[i] && is_between(world_.missing[i])) {
                report(result_.holes, text_of(world_.missing[i]) + " is missing inside");
            }
        }
    }

    // Whether all of those children of a place are there, of whatever kind, or parts of them.
    bool is_covered(const ChunkKey& key, std::uint32_t children) const {
        if (key.lod == 0) return false;
        for (std::uint32_t child = 0; child < 8; ++child) {
            if ((children >> child & 1) == 0) continue;
            const ChunkKey below = streaming::child_of(key, child);
            if (find(below) == nullptr && !is_covered(below, children)) return false;
        }
        return true;
    }

    // Whether chunks are shown on both sides of it, along some axis.
    bool is_between(const ChunkKey& key) const {
        const auto is_shown = [&](std::uint32_t side) {
            const ChunkKey across = streaming::beyond(key, side);
            ChunkKey above = across;
            const Place* place = find(across);
            if (place == nullptr) place = find_above(above);
            return place != nullptr ? place->content == Content::shown : is_finer_shown(across, 1u << side);
        };
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            if (is_shown(2 * axis) && is_shown(2 * axis + 1)) return true;
        }
        return false;
    }

    const ShownWorld& world_;
    std::unordered_map<ChunkKey, Place, streaming::KeyHash> places_;
    ShownCheck result_;
};

}  // namespace

ShownCheck check_shown(const ShownWorld& world) {
    return ShownChecker(world).run();
}

}  // namespace quarry::terrain
