#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
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

    // Holes are missing parts that are surrounded, but for those that were so `before`.
    ShownCheck run(const ShownChecker* before) {
        for (const ShownChunk& chunk : world_.chunks) {
            find_overlap(chunk.key);
            look_around(chunk);
        }
        find_open();
        for (std::size_t i = 0; i < open_.size(); ++i) {
            if (open_[i]) continue;
            ++result_.surrounded;
            if (before != nullptr && before->is_surrounded(world_.missing[i])) continue;
            report(result_.holes, text_of(world_.missing[i]) + " is missing inside");
        }
        return result_;
    }

    // From the missing parts that lie at the outside of the plan, through missing parts that share faces.
    void find_open() {
        open_.assign(world_.missing.size(), false);
        std::vector<std::vector<std::size_t>> beside(world_.missing.size());
        std::vector<std::size_t> reached;
        for (std::size_t i = 0; i < world_.missing.size(); ++i) {
            for (std::uint32_t side = 0; side < side::count; ++side) {
                const ChunkKey across = streaming::beyond(world_.missing[i], side);
                ChunkKey above = across;
                const Place* place = find(across);
                if (place == nullptr) place = find_above(above);
                if (place != nullptr && place->content == Content::missing) {
                    beside[i].push_back(place->index);
                    beside[place->index].push_back(i);
                }
                const bool at_outside =
                    place == nullptr && !is_covered(across, streaming::children_at(streaming::opposite(side)));
                if (!at_outside || open_[i]) continue;
                open_[i] = true;
                reached.push_back(i);
            }
        }
        while (!reached.empty()) {
            const std::size_t i = reached.back();
            reached.pop_back();
            for (const std::size_t next : beside[i]) {
                if (open_[next]) continue;
                open_[next] = true;
                reached.push_back(next);
            }
        }
    }

    bool is_surrounded(const ChunkKey& key) const {
        const Place* const place = find(key);
        return place != nullptr && place->content == Content::missing && !open_[place->index];
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
        for (ChunkKey above = streaming::parent_of(key); above.lod <= world_.max_lod;
             above = streaming::parent_of(above)) {
            if (!divided_.insert(above).second) break;
        }
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

    // Whether all of those children of a place are there, of whatever kind, or parts of them.
    bool is_covered(const ChunkKey& key, std::uint32_t children) const {
        if (!divided_.contains(key)) return false;
        for (std::uint32_t child = 0; child < 8; ++child) {
            if ((children >> child & 1) == 0) continue;
            const ChunkKey below = streaming::child_of(key, child);
            if (find(below) == nullptr && !is_covered(below, children)) return false;
        }
        return true;
    }

    const ShownWorld& world_;
    std::unordered_map<ChunkKey, Place, streaming::KeyHash> places_;
    std::unordered_set<ChunkKey, streaming::KeyHash> divided_;  // places that have others within them
    std::vector<bool> open_;                                    // of the missing parts
    ShownCheck result_;
};

}  // namespace

ShownCheck check_shown(const ShownWorld& world) {
    return ShownChecker(world).run(nullptr);
}

ShownCheck check_shown(const ShownWorld& world, const ShownWorld& planned) {
    ShownChecker before(planned);
    before.find_open();
    return ShownChecker(world).run(&before);
}

}  // namespace quarry::terrain
