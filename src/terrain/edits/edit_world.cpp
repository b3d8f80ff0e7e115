#include "quarry/terrain/edit_world.hpp"

#include <utility>

#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/edited_materials.hpp"
#include "terrain/edits/store.hpp"

namespace quarry::terrain {
namespace {

std::optional<Edit> edit_of(EditKind kind, const std::optional<edits::StrokeKey>& stroke) {
    if (!stroke) return std::nullopt;
    return Edit{.kind = kind, .editor = stroke->editor, .stroke = stroke->stroke};
}

}  // namespace

EditWorld::EditWorld(std::shared_ptr<const Field> ground, const EditWorldOptions& options)
    : store_(std::make_unique<edits::Store>(std::move(ground), options)) {}
EditWorld::~EditWorld() = default;

EditReport EditWorld::apply(const Edit& edit) {
    return store_->apply(edit);
}

std::optional<Edit> EditWorld::undo_of(std::uint16_t editor) const {
    return edit_of(EditKind::undo, store_->history().last_active(editor));
}

std::optional<Edit> EditWorld::redo_of(std::uint16_t editor) const {
    return edit_of(EditKind::redo, store_->history().last_undone(editor));
}

std::uint16_t EditWorld::add_stamp(std::shared_ptr<const Field> stamp, double radius) {
    return store_->add_stamp(std::move(stamp), radius);
}

std::shared_ptr<const EditedField> EditWorld::field() {
    return std::make_shared<const EditedField>(store_->snapshot());
}

std::shared_ptr<const EditedMaterials> EditWorld::materials(std::shared_ptr<const Materials> below) {
    return std::make_shared<const EditedMaterials>(store_->snapshot(), std::move(below));
}

const EditWorldOptions& EditWorld::options() const noexcept {
    return store_->options();
}

EditWorldStats EditWorld::stats() const {
    return store_->stats();
}

std::uint64_t EditWorld::content_hash() const {
    return store_->content_hash();
}

}  // namespace quarry::terrain
