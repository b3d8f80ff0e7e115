#pragma once

namespace quarry::terrain::impl {

// Not std::cos: its last bit differs between systems. Good to 1e-11 for 0 to 180 degrees.
inline double cosine_of_degrees(double degrees) noexcept {
    constexpr double kPi = 3.14159265358979323846;
    if (degrees > 90) return -cosine_of_degrees(180 - degrees);
    const double square = (degrees / 180 * kPi) * (degrees / 180 * kPi);
    double sum = 1;
    double term = 1;
    for (int i = 1; i <= 8; ++i) {
        term *= -square / ((2 * i - 1) * (2 * i));
        sum += term;
    }
    return sum;
}

}  // namespace quarry::terrain::impl
