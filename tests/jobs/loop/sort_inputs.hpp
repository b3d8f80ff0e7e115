#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Inputs that sorts are known to trip over.

namespace quarry::test_support {

struct SortInput {
    std::string name;
    std::vector<std::uint64_t> keys;
};

inline std::vector<std::uint64_t> keys_from(std::size_t size, auto key_at) {
    std::vector<std::uint64_t> keys(size);
    for (std::size_t i = 0; i < size; ++i) keys[i] = key_at(i);
    return keys;
}

inline std::vector<SortInput> sort_inputs(std::size_t size, std::mt19937_64& random) {
    std::vector<SortInput> inputs;
    const auto add = [&](std::string name, auto key_at) {
        inputs.push_back({std::move(name), keys_from(size, key_at)});
    };
    add("random", [&](std::size_t) { return random(); });
    add("sorted", [](std::size_t i) { return i; });
    add("reversed", [size](std::size_t i) { return size - i; });
    add("all equal", [](std::size_t) { return std::uint64_t{7}; });
    add("two values", [&](std::size_t) { return random() % 2; });
    add("few distinct", [&](std::size_t) { return random() % 16; });
    add("organ pipe", [size](std::size_t i) { return std::min(i, size - i); });
    add("saw teeth", [](std::size_t i) { return i % 97; });
    add("sorted stairs", [](std::size_t i) { return i / 50; });
    add("push front", [size](std::size_t i) { return (i + 1) % size; });
    add("geometric", [&](std::size_t) { return std::geometric_distribution<std::uint64_t>(0.5)(random); });
    add("one large among equal", [size](std::size_t i) { return i == size / 3 ? 9U : 1U; });
    add("random behind sorted", [&](std::size_t i) { return i < size - size / 20 ? i : random() % (size + 1); });
    auto swapped = keys_from(size, [](std::size_t i) { return i; });
    for (int i = 0; i < 10 && size > 0; ++i) std::swap(swapped[random() % size], swapped[random() % size]);
    inputs.push_back({"sorted with ten swaps", std::move(swapped)});
    return inputs;
}

}  // namespace quarry::test_support
