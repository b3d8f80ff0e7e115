#pragma once

#include <algorithm>
#include <cmath>

namespace quarry::app::preview {

// A place or direction in world units from the scene's origin, or a linear colour (x red, y green, z blue).
struct Vec {
    float x = 0;
    float y = 0;
    float z = 0;

    friend constexpr bool operator==(const Vec&, const Vec&) = default;
};

constexpr Vec operator+(Vec a, Vec b) noexcept {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
constexpr Vec operator-(Vec a, Vec b) noexcept {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
constexpr Vec operator*(Vec a, float s) noexcept {
    return {a.x * s, a.y * s, a.z * s};
}
constexpr Vec operator*(Vec a, Vec b) noexcept {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
constexpr Vec& operator+=(Vec& a, Vec b) noexcept {
    return a = a + b;
}
constexpr float dot(Vec a, Vec b) noexcept {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
constexpr Vec cross(Vec a, Vec b) noexcept {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float length(Vec a) noexcept {
    return std::sqrt(dot(a, a));
}
// Straight up for a vector without a direction.
inline Vec normalised(Vec a) noexcept {
    const float size = length(a);
    return size > 0 ? a * (1 / size) : Vec{0, 1, 0};
}
constexpr float mix(float a, float b, float share) noexcept {
    return a + (b - a) * share;
}
constexpr Vec mix(Vec a, Vec b, float share) noexcept {
    return a + (b - a) * share;
}
constexpr float clamp01(float value) noexcept {
    return value < 0 ? 0.0F : (value > 1 ? 1.0F : value);
}
// 0 up to `from`, 1 from `to` on, smooth between.
constexpr float smooth_step(float from, float to, float value) noexcept {
    const float t = clamp01((value - from) / (to - from));
    return t * t * (3 - 2 * t);
}
// Rounded up and down by conversions, which need no library call on any processor; for -1e9 .. 1e9.
constexpr int rounded_down(float value) noexcept {
    const int whole = static_cast<int>(value);
    return static_cast<float>(whole) > value ? whole - 1 : whole;
}
constexpr int rounded_up(float value) noexcept {
    return -rounded_down(-value);
}
constexpr Vec least(Vec a, Vec b) noexcept {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
constexpr Vec greatest(Vec a, Vec b) noexcept {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

}  // namespace quarry::app::preview
