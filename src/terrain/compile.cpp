#include "quarry/terrain/compile.hpp"

#include <stdexcept>

namespace quarry::terrain {

std::shared_ptr<const Field> compile(const std::shared_ptr<const Field>& field, const Box& box) {
    if (field == nullptr) throw std::invalid_argument("compile needs a field");
    std::shared_ptr<const Field> less = field->within(box);
    return less == nullptr ? field : less;
}

}  // namespace quarry::terrain
