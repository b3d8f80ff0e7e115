#include "jobs/rows/matmul.hpp"

namespace quarry::bench {

void multiply_leaf(float* c, const float* a, const float* b) {
    for (std::size_t row = 0; row < kMatrixLeaf; ++row) {
        float* __restrict out = c + row * kMatrix;
        for (std::size_t inner = 0; inner < kMatrixLeaf; ++inner) {
            const float factor = a[row * kMatrix + inner];
            const float* __restrict in = b + inner * kMatrix;
            for (std::size_t column = 0; column < kMatrixLeaf; ++column) out[column] += factor * in[column];
        }
    }
}

void fill_matrices(std::vector<float>& matrices) {
    constexpr std::size_t kElements = kMatrix * kMatrix;
    matrices.assign(3 * kElements, 0.0f);
    std::uint32_t state = 1;
    for (std::size_t index = 0; index < 2 * kElements; ++index) {
        state = state * 1664525u + 1013904223u;
        matrices[index] = static_cast<float>(state >> 16) / 65536.0f - 0.5f;
    }
}

float product_element(const std::vector<float>& matrices, std::size_t row, std::size_t column) {
    const float* a = matrices.data();
    const float* b = a + kMatrix * kMatrix;
    float sum = 0;
    for (std::size_t inner = 0; inner < kMatrix; ++inner) {
        sum += a[row * kMatrix + inner] * b[inner * kMatrix + column];
    }
    return sum;
}

}  // namespace quarry::bench
