#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "quarry/export.hpp"
#include "quarry/terrain/edit.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

namespace edits {
class Store;
}

// Programs that apply the same edits to equal fields with equal options have equal worlds.
struct EditWorldOptions {
    Lattice lattice{};  // edits are kept at its points; meshes are made on it
    // Of what undo needs; the oldest strokes are forgotten first. 64 KiB to 64 GiB.
    std::size_t undo_bytes = std::size_t{64} << 20;
};

// What an edit has changed.
struct EditReport {
    bool done = false;  // false: an undo or redo of a stroke that is unknown, forgotten or in that state already
    std::uint64_t samples = 0;  // densities that have changed
    std::uint64_t painted = 0;  // samples of paint that have changed
    Box changed{};              // holds all of both, where there are any

    // Whether any mesh can have changed.
    constexpr bool any() const noexcept { return samples + painted != 0; }
};

// What an EditWorld holds.
struct EditWorldStats {
    std::uint64_t applied = 0;     // edits
    std::size_t bricks = 0;        // of 16 x 16 x 16 densities
    std::size_t paint_bricks = 0;  // over as much space; one sample of paint for 2 x 2 x 2 of densities
    std::size_t brick_bytes = 0;   // of both, and of what finds them
    std::size_t undo_bytes = 0;    // of what can be undone and redone
    std::size_t strokes = 0;       // that are remembered
};

// Ground that can be changed: edits over a field.
//
// Densities that edits have changed are kept as fixed-point numbers in steps of 1/128 voxel, up to 255 voxels from the
// surface, in bricks of 16 x 16 x 16 lattice points. Every other point keeps the bits of the field. The result of an
// edit depends on the edits before it and on nothing else.
//
// One thread at a time changes it. What `field()` gives does not change any more: workers read it while the host goes
// on editing.
class EditWorld {
  public:
    // Throws std::invalid_argument for no field and options out of range.
    QUARRY_API explicit EditWorld(std::shared_ptr<const Field> ground, const EditWorldOptions& options = {});
    EditWorld(const EditWorld&) = delete;
    EditWorld& operator=(const EditWorld&) = delete;
    QUARRY_API ~EditWorld();

    // Throws std::invalid_argument, and changes nothing, for numbers that are not finite or out of range, a stamp that
    // is not there, and a brush of more than kMostEditSamples lattice points; the message has the number.
    QUARRY_API EditReport apply(const Edit& edit);

    // The last stroke of an editor that can be undone or redone, as the edit that does it; nothing is changed yet.
    // Nothing can be redone once the editor has made another edit.
    QUARRY_API std::optional<Edit> undo_of(std::uint16_t editor) const;
    QUARRY_API std::optional<Edit> redo_of(std::uint16_t editor) const;

    // A field as a brush: solid where its density is negative. `radius` is how far it reaches from (0, 0, 0) along each
    // axis; what lies beyond is cut off. An edit places it at `at`, scaled by edit.radius / radius. Gives the number
    // for Edit::stamp, from 0 up. Throws std::invalid_argument for no field, a radius outside 1e-3 .. 1e6, and more
    // than 65,536 stamps.
    QUARRY_API std::uint16_t add_stamp(std::shared_ptr<const Field> stamp, double radius);

    // The ground as it is now, and the materials as they are now, over others. Neither changes any more.
    QUARRY_API std::shared_ptr<const EditedField> field();
    QUARRY_API std::shared_ptr<const EditedMaterials> materials(std::shared_ptr<const Materials> below);

    // As given to the constructor.
    QUARRY_API const EditWorldOptions& options() const noexcept;
    // What it holds now.
    QUARRY_API EditWorldStats stats() const;
    // Of all that edits have changed. Equal for equal edits, on any machine.
    QUARRY_API std::uint64_t content_hash() const;

  private:
    friend class WorldFile;

    std::unique_ptr<edits::Store> store_;
};

}  // namespace quarry::terrain
