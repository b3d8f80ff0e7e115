#include "quarry/terrain/combined_field.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "terrain/combination/chain.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain {
namespace impl {

// Made when it is first asked for: of a tree of combinations only the outermost ever is.
struct LazyChain {
    std::once_flag made;
    std::optional<Chain> chain;
};

}  // namespace impl

namespace {

std::uint64_t fields_in(const std::shared_ptr<const Field>& field) {
    const auto* const combined = dynamic_cast<const CombinedField*>(field.get());
    return combined == nullptr ? 1 : combined->size();
}

Box widened_box(const Box& box, double by) noexcept {
    return {{box.low.x - by, box.low.y - by, box.low.z - by}, {box.high.x + by, box.high.y + by, box.high.z + by}};
}

std::optional<Box> combined_extent(Combination how, const Field& first, const Field& second, double blend) {
    const std::optional<Box> a = first.extent();
    if (how == Combination::subtract) return a;
    const std::optional<Box> b = second.extent();
    if (how == Combination::intersect) return a ? a : b;
    if (!a || !b) return std::nullopt;
    // A blend lowers the lesser of the two by up to a quarter of it.
    return widened_box(impl::hull_of(*a, *b), blend / 4);
}

}  // namespace

CombinedField::CombinedField(Combination combination, std::shared_ptr<const Field> first,
                             std::shared_ptr<const Field> second, double blend)
    : first_(std::move(first)), second_(std::move(second)), combination_(combination), blend_(blend) {
    if (first_ == nullptr || second_ == nullptr) throw std::invalid_argument("CombinedField needs two fields");
    impl::require_range("CombinedField.blend", blend, 0, 1e6);
    reach_ = std::min(first_->reach(), second_->reach());
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 4;
    size_ = std::min(fields_in(first_) + fields_in(second_), kMost);
    extent_ = combined_extent(combination, *first_, *second_, blend);
    chain_ = std::make_shared<impl::LazyChain>();
}

// Combinations that nobody else holds are taken apart one by one: as a recursion, a long chain of them would take more
// stack than there is. Each turn makes the first field of a pair a field that is no combination, or goes on to the
// second.
CombinedField::~CombinedField() {
    const auto own = [](const std::shared_ptr<const Field>& field) -> const CombinedField* {
        return field.use_count() == 1 ? dynamic_cast<const CombinedField*>(field.get()) : nullptr;
    };
    chain_.reset();
    std::array<std::shared_ptr<const Field>, 2> both{std::move(first_), std::move(second_)};
    for (std::shared_ptr<const Field>& next : both) {
        while (const CombinedField* const node = own(next)) {
            node->chain_.reset();
            if (const CombinedField* const inner = own(node->first_)) {
                std::shared_ptr<const Field> up = std::move(node->first_);
                node->first_ = std::move(inner->second_);
                inner->second_ = std::move(next);
                next = std::move(up);
            } else {
                next = std::move(node->second_);
            }
        }
    }
}

const impl::Chain& CombinedField::chain() const {
    std::call_once(chain_->made, [&] { chain_->chain.emplace(impl::flatten(*this)); });
    return *chain_->chain;
}

void CombinedField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    chain().sample(block, out);
}

void CombinedField::sample_surface(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    chain().sample_surface(block, out);
}

void CombinedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    chain().densities(points, out);
}

Interval CombinedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(chain().bounds(box));
}

void CombinedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    chain().gradients(points, spacing, out);
}

std::shared_ptr<const Field> CombinedField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    return impl::ChainField::field_within(chain(), box, reach_);
}

}  // namespace quarry::terrain
