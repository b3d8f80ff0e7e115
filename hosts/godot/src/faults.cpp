#include "faults.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/field.hpp"

namespace quarry::godot {
namespace {

using terrain::Position;

class FaultyField final : public terrain::Field {
  public:
    FaultyField(std::shared_ptr<const terrain::Field> field, std::shared_ptr<Faults> faults)
        : field_(std::move(field)), faults_(std::move(faults)) {}

    void densities(std::span<const Position> points, std::span<float> out) const override {
        faults_->strike(Faults::Kind::field);
        field_->densities(points, out);
    }
    terrain::Interval bounds(const terrain::Box& box) const override { return field_->bounds(box); }
    void gradients(std::span<const Position> points, double spacing, std::span<terrain::Gradient> out) const override {
        field_->gradients(points, spacing, out);
    }

  private:
    std::shared_ptr<const terrain::Field> field_;
    std::shared_ptr<Faults> faults_;
};

}  // namespace

Faults::Kind Faults::kind_of(const std::string& name) {
    if (name == "field") return Kind::field;
    if (name == "worker") return Kind::worker;
    if (name == "memory") return Kind::memory;
    throw Error("what fails must be field, worker or memory, not \"" + name + "\"");
}

void Faults::arm(Kind kind, std::int64_t count) {
    left_ = std::max<std::int64_t>(count, 0);
    kind_ = kind;
}

void Faults::strike(Kind kind) {
    if (kind_ != kind || left_.load() <= 0 || left_.fetch_sub(1) <= 0) return;
    if (kind == Kind::memory) throw std::bad_alloc();
    throw std::runtime_error(kind == Kind::field ? "the field has failed on purpose"
                                                 : "a worker has failed on purpose");
}

std::shared_ptr<const terrain::Field> with_faults(std::shared_ptr<const terrain::Field> field,
                                                  const std::shared_ptr<Faults>& faults) {
    if (!faults->is_armed()) return field;
    return std::make_shared<FaultyField>(std::move(field), faults);
}

}  // namespace quarry::godot
