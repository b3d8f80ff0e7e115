#pragma once

#include <numeric>
#include <vector>

namespace quarry::test_support {

inline std::vector<int> from_to(int first, int last) {
    std::vector<int> numbers(static_cast<std::size_t>(last - first));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
}

}  // namespace quarry::test_support
