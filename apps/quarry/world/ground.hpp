#pragma once

#include <cstdint>

#include <quarry/terrain/description.hpp>
#include <quarry/terrain/noise_field.hpp>

#include "bake/arguments.hpp"

namespace quarry::app {

// The number of a field in files that keep edits: equal for equal fields. It depends on the options, or on the bytes of
// the description and its heightmaps. Throws WrongInput.
std::uint64_t ground_number(const BakeArguments& arguments, const terrain::NoiseOptions& noise,
                            const terrain::Described& described);

}  // namespace quarry::app
