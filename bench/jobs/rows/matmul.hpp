#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"

namespace quarry::bench {

inline constexpr std::size_t kMatrix = 1024;
inline constexpr std::size_t kMatrixLeaf = 64;

// A square block of a row-major matrix of kMatrix columns.
template <class T>
struct Block {
    T* first;
    Block quarter(std::size_t size, std::size_t down, std::size_t right) const {
        const std::size_t half = size / 2;
        return {first + down * half * kMatrix + right * half};
    }
};

// c += a * b on blocks of kMatrixLeaf rows and columns.
void multiply_leaf(float* c, const float* a, const float* b);

template <class E>
void multiply(Block<float> c, Block<const float> a, Block<const float> b, std::size_t size) {
    if (size == kMatrixLeaf) return multiply_leaf(c.first, a.first, b.first);
    // The two halves of the inner dimension add to the same block of c, so they run one after the other.
    for (std::size_t inner = 0; inner < 2; ++inner) {
        const auto part = [=](std::size_t down, std::size_t right) {
            multiply<E>(c.quarter(size, down, right), a.quarter(size, down, inner), b.quarter(size, inner, right),
                        size / 2);
            return 0;
        };
        E::join(
            [part] {
                E::join([part] { return part(0, 0); }, [part] { return part(0, 1); });
                return 0;
            },
            [part] {
                E::join([part] { return part(1, 0); }, [part] { return part(1, 1); });
                return 0;
            });
    }
}

void fill_matrices(std::vector<float>& matrices);
// One element of the product by the definition, in the order of additions of multiply().
float product_element(const std::vector<float>& matrices, std::size_t row, std::size_t column);

template <class E>
void run_matmul(E& engine, RowContext& context) {
    std::vector<float>& matrices = context.data.matrices;
    if (matrices.empty()) fill_matrices(matrices);
    constexpr std::size_t kElements = kMatrix * kMatrix;
    float* a = matrices.data();
    float* c = a + 2 * kElements;
    for (std::size_t index = 0; index < kElements; ++index) c[index] = 0;
    engine.enter([&] {
        const double seconds = seconds_per_call(0, [&] { multiply<E>({c}, {a}, {a + kElements}, kMatrix); });
        context.add_time("matmul", seconds);
    });
    require(c[777 * kMatrix + 333] == product_element(matrices, 777, 333), "matmul");
}

}  // namespace quarry::bench
