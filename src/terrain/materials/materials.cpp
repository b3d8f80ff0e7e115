#include "quarry/terrain/materials.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"

namespace quarry::terrain {
namespace {

constexpr std::size_t kPlacesAtOnce = 256;
constexpr double kFarthestStroke = 1e9;

using Shares = std::array<float, kMaterials>;

void check_material(const char* option, int material) {
    impl::require_range(option, material, 0, kMostMaterials - 1);
}

std::size_t count_with(std::size_t count, int material) noexcept {
    return std::max(count, static_cast<std::size_t>(material) + 1);
}

// A material that the shares have no place for takes from the others all the same.
void lay_over(std::span<float> below, int material, float share) noexcept {
    if (share == 0) return;
    for (float& each : below) each *= 1 - share;
    if (static_cast<std::size_t>(material) < below.size()) below[static_cast<std::size_t>(material)] += share;
}

// The shares of `count` materials at each of some places, one place after the other.
class ShareTable {
  public:
    explicit ShareTable(std::size_t count) : count_(count), values_(kPlacesAtOnce * count) {}

    std::span<float> operator[](std::size_t place) noexcept { return {values_.data() + place * count_, count_}; }

  private:
    std::size_t count_;
    std::vector<float> values_;
};

Box box_around(std::span<const Position> places) noexcept {
    Box box{places.front(), places.front()};
    for (const Position& at : places) {
        box.low = {std::min(box.low.x, at.x), std::min(box.low.y, at.y), std::min(box.low.z, at.z)};
        box.high = {std::max(box.high.x, at.x), std::max(box.high.y, at.y), std::max(box.high.z, at.z)};
    }
    return box;
}

bool touches(const Stroke& stroke, const Box& box) noexcept {
    const auto within = [&](double centre, double low, double high) {
        return centre + stroke.radius >= low && centre - stroke.radius <= high;
    };
    return within(stroke.centre.x, box.low.x, box.high.x) && within(stroke.centre.y, box.low.y, box.high.y) &&
           within(stroke.centre.z, box.low.z, box.high.z);
}

float share_of(const Stroke& stroke, const Position& at) noexcept {
    const double distance = impl::length(at.x - stroke.centre.x, at.y - stroke.centre.y, at.z - stroke.centre.z);
    if (!(distance < stroke.radius)) return 0;
    const double inwards = stroke.radius - distance;
    const double share = inwards >= stroke.soft ? 1 : inwards / stroke.soft;
    return static_cast<float>(share * stroke.strength);
}

// False where no stroke reaches a place of the batch: then weights stay as they are, to the bit. shares[i] are those at
// places[i].
template <class ShareList>
bool paint(std::span<const Stroke> strokes, std::span<const Position> places, ShareList& shares) noexcept {
    const Box box = box_around(places);
    bool painted = false;
    for (const Stroke& stroke : strokes) {
        if (!touches(stroke, box)) continue;
        painted = true;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const float share = share_of(stroke, places[i]);
            if (share > 0) lay_over(shares[i], stroke.material, share);
        }
    }
    return painted;
}

void check_stroke(const Stroke& stroke) {
    impl::require_range("Stroke.centre.x", stroke.centre.x, -kFarthestStroke, kFarthestStroke);
    impl::require_range("Stroke.centre.y", stroke.centre.y, -kFarthestStroke, kFarthestStroke);
    impl::require_range("Stroke.centre.z", stroke.centre.z, -kFarthestStroke, kFarthestStroke);
    impl::require_range("Stroke.radius", stroke.radius, 1e-6, kFarthestStroke);
    impl::require_range("Stroke.soft", stroke.soft, 0, stroke.radius);
    check_material("Stroke.material", stroke.material);
    impl::require_range("Stroke.strength", stroke.strength, 0, 1);
}

}  // namespace

Materials::~Materials() = default;

std::size_t Materials::count() const noexcept {
    return kMaterials;
}

void Materials::mixes(std::span<const Position> places, std::span<const Vector3> normals,
                      std::span<MaterialMix> out) const {
    std::vector<MaterialWeights> found(places.size());
    weights(places, normals, found);
    for (std::size_t i = 0; i < places.size(); ++i) out[i] = {{}, found[i]};
}

MaterialMix to_mix(std::span<const float> shares) noexcept {
    std::array<std::size_t, kMaterials> best{};
    std::size_t found = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (!(shares[i] > 0)) continue;
        std::size_t at = std::min(found, kMaterials);
        while (at > 0 && shares[best[at - 1]] < shares[i]) --at;
        if (at == kMaterials) continue;
        if (found < kMaterials) ++found;
        for (std::size_t k = found - 1; k > at; --k) best[k] = best[k - 1];
        best[at] = i;
    }
    for (std::size_t i = 1; i < found; ++i) {
        for (std::size_t k = i; k > 0 && best[k - 1] > best[k]; --k) std::swap(best[k - 1], best[k]);
    }
    MaterialMix mix{{{0, 0, 0, 0}}, {}};
    Shares strongest{};
    for (std::size_t i = 0; i < found; ++i) {
        mix.indices.of[i] = static_cast<std::uint8_t>(best[i]);
        strongest[i] = shares[best[i]];
    }
    mix.weights = to_weights(strongest);
    return mix;
}

MaterialWeights to_weights(const std::array<float, kMaterials>& shares) noexcept {
    // Between these the scale below is finite, and no sum overflows.
    constexpr float kSmallest = 1e-30F;
    constexpr float kLargest = 1e30F;
    Shares rests{};
    float sum = 0;
    for (std::size_t i = 0; i < kMaterials; ++i) {
        rests[i] = shares[i] > kSmallest ? std::min(shares[i], kLargest) : 0;
        sum += rests[i];
    }
    if (!(sum > 0)) return {};
    // Mostly there is one material, which has it all.
    for (std::size_t i = 0; i < kMaterials; ++i) {
        if (rests[i] != sum) continue;
        MaterialWeights one{{0, 0, 0, 0}};
        one.of[i] = 255;
        return one;
    }
    const float scale = 255 / sum;
    std::array<int, kMaterials> whole{};
    int left = 255;
    for (std::size_t i = 0; i < kMaterials; ++i) {
        whole[i] = static_cast<int>(rests[i] * scale);
        rests[i] = rests[i] * scale - static_cast<float>(whole[i]);
        left -= whole[i];
    }
    // By each rest's place among them, which no branch depends on: blends would be hard to foresee.
    MaterialWeights weights;
    for (std::size_t i = 0; i < kMaterials; ++i) {
        int larger = 0;
        for (std::size_t j = 0; j < kMaterials; ++j) {
            larger += static_cast<int>(j < i ? rests[j] >= rests[i] : rests[j] > rests[i]);
        }
        weights.of[i] = static_cast<std::uint8_t>(whole[i] + static_cast<int>(larger < left));
    }
    return weights;
}

LayeredMaterials::LayeredMaterials(int ground, std::vector<MaterialLayer> layers)
    : ground_(ground), layers_(std::move(layers)) {
    check_material("LayeredMaterials.ground", ground);
    if (layers_.size() > kMostLayers) {
        throw std::invalid_argument("LayeredMaterials.layers are " + std::to_string(layers_.size()) + "; up to " +
                                    std::to_string(kMostLayers) + " are allowed");
    }
    count_ = count_with(count_, ground);
    for (const MaterialLayer& layer : layers_) {
        check_material("MaterialLayer.material", layer.material);
        count_ = count_with(count_, layer.material);
        impl::require_range("MaterialLayer.strength", layer.strength, 0, 1);
        for (const auto& cover : layer.where) {
            if (cover == nullptr) throw std::invalid_argument("MaterialLayer.where holds a cover that is null");
        }
    }
}

namespace {

// The places of a batch where the covers so far have left something of a layer.
class CoveredPlaces {
  public:
    // The share of the next cover at these places, times what the others left.
    void multiply_by(const Cover& cover, std::span<const Position> places, std::span<const Vector3> normals,
                     std::span<float> shares) {
        count_ = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (shares[i] != 0) numbers_[count_++] = static_cast<std::uint16_t>(i);
        }
        if (count_ == 0) return;
        if (count_ == places.size()) {
            cover.shares(places, normals, std::span(found_).first(count_));
        } else {
            for (std::size_t i = 0; i < count_; ++i) {
                places_[i] = places[numbers_[i]];
                normals_[i] = normals[numbers_[i]];
            }
            cover.shares(std::span(places_).first(count_), std::span(normals_).first(count_),
                         std::span(found_).first(count_));
        }
        for (std::size_t i = 0; i < count_; ++i) shares[numbers_[i]] *= found_[i];
    }

  private:
    std::array<Position, kPlacesAtOnce> places_;
    std::array<Vector3, kPlacesAtOnce> normals_;
    std::array<std::uint16_t, kPlacesAtOnce> numbers_;
    std::array<float, kPlacesAtOnce> found_;
    std::size_t count_ = 0;
};

// Fills shares[i] at places[i] with ground and layers.
template <class ShareList>
void lay_layers(int ground, std::span<const MaterialLayer> layers, std::span<const Position> places,
                std::span<const Vector3> normals, ShareList& shares) {
    std::array<float, kPlacesAtOnce> layer_shares;
    CoveredPlaces covered;
    const std::size_t count = places.size();
    for (std::size_t i = 0; i < count; ++i) {
        for (float& each : shares[i]) each = 0;
        lay_over(shares[i], ground, 1);
    }
    for (const MaterialLayer& layer : layers) {
        std::fill_n(layer_shares.begin(), count, static_cast<float>(layer.strength));
        for (const auto& cover : layer.where) {
            covered.multiply_by(*cover, places, normals, std::span(layer_shares).first(count));
        }
        for (std::size_t i = 0; i < count; ++i) lay_over(shares[i], layer.material, layer_shares[i]);
    }
}

}  // namespace

void LayeredMaterials::weights(std::span<const Position> places, std::span<const Vector3> normals,
                               std::span<MaterialWeights> out) const {
    const impl::NearestRounding nearest;
    std::array<Shares, kPlacesAtOnce> shares;
    for (std::size_t at = 0; at < places.size(); at += kPlacesAtOnce) {
        const std::size_t count = std::min(kPlacesAtOnce, places.size() - at);
        lay_layers(ground_, layers_, places.subspan(at, count), normals.subspan(at, count), shares);
        for (std::size_t i = 0; i < count; ++i) out[at + i] = to_weights(shares[i]);
    }
}

void LayeredMaterials::mixes(std::span<const Position> places, std::span<const Vector3> normals,
                             std::span<MaterialMix> out) const {
    if (count_ <= kMaterials) return Materials::mixes(places, normals, out);
    const impl::NearestRounding nearest;
    ShareTable shares(count_);
    for (std::size_t at = 0; at < places.size(); at += kPlacesAtOnce) {
        const std::size_t count = std::min(kPlacesAtOnce, places.size() - at);
        lay_layers(ground_, layers_, places.subspan(at, count), normals.subspan(at, count), shares);
        for (std::size_t i = 0; i < count; ++i) out[at + i] = to_mix(shares[i]);
    }
}

PaintedMaterials::PaintedMaterials(std::shared_ptr<const Materials> below, std::vector<Stroke> strokes)
    : below_(std::move(below)), strokes_(std::move(strokes)) {
    if (below_ == nullptr) throw std::invalid_argument("PaintedMaterials needs materials to paint over");
    if (strokes_.size() > kMostStrokes) {
        throw std::invalid_argument("PaintedMaterials.strokes are " + std::to_string(strokes_.size()) + "; up to " +
                                    std::to_string(kMostStrokes) + " are allowed");
    }
    count_ = below_->count();
    for (const Stroke& stroke : strokes_) {
        check_stroke(stroke);
        count_ = count_with(count_, stroke.material);
    }
}

void PaintedMaterials::weights(std::span<const Position> places, std::span<const Vector3> normals,
                               std::span<MaterialWeights> out) const {
    const impl::NearestRounding nearest;
    below_->weights(places, normals, out);
    std::array<Shares, kPlacesAtOnce> shares;
    for (std::size_t at = 0; at < places.size(); at += kPlacesAtOnce) {
        const std::size_t count = std::min(kPlacesAtOnce, places.size() - at);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t m = 0; m < kMaterials; ++m) {
                shares[i][m] = static_cast<float>(out[at + i].of[m]) / 255;
            }
        }
        if (!paint(strokes_, places.subspan(at, count), shares)) continue;
        for (std::size_t i = 0; i < count; ++i) out[at + i] = to_weights(shares[i]);
    }
}

void PaintedMaterials::mixes(std::span<const Position> places, std::span<const Vector3> normals,
                             std::span<MaterialMix> out) const {
    if (count_ <= kMaterials) return Materials::mixes(places, normals, out);
    const impl::NearestRounding nearest;
    below_->mixes(places, normals, out);
    ShareTable shares(count_);
    for (std::size_t at = 0; at < places.size(); at += kPlacesAtOnce) {
        const std::size_t count = std::min(kPlacesAtOnce, places.size() - at);
        for (std::size_t i = 0; i < count; ++i) {
            const MaterialMix& below = out[at + i];
            for (float& each : shares[i]) each = 0;
            for (std::size_t m = 0; m < kMaterials; ++m) {
                shares[i][below.indices.of[m]] += static_cast<float>(below.weights.of[m]) / 255;
            }
        }
        paint(strokes_, places.subspan(at, count), shares);
        for (std::size_t i = 0; i < count; ++i) out[at + i] = to_mix(shares[i]);
    }
}

}  // namespace quarry::terrain
