#pragma once

#include <utility>

#include "quarry/c.h"
#include "quarry/process/engine.hpp"

// What the functions of an engine share.

struct quarry_engine {
    explicit quarry_engine(quarry::process::EngineOptions options) : engine(std::move(options)) {}
    mutable quarry::process::Engine engine;
};
