#pragma once

#include <string>

#include <quarry/terrain/description.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/simd.hpp>

#include "bake/arguments.hpp"

namespace quarry::app {

// The options of the noise, of which the showcase has the seed only. Throws WrongInput, also for options that do not go
// with the field.
terrain::NoiseOptions checked_noise(const BakeArguments& arguments);

// The field that --field names, or that option, with its materials. Throws WrongInput.
terrain::Described checked_field(const BakeArguments& arguments, const terrain::NoiseOptions& noise,
                                 const char* option = "--field");

// Empty: the best one. Throws WrongInput.
terrain::SimdTarget checked_simd(const std::string& name);

}  // namespace quarry::app
