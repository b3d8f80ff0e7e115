#pragma once

#include <cstdint>

#include "stress/outcome.hpp"

namespace quarry::app {

// Offers more jobs than the queue holds while every worker is busy: a full queue must refuse exactly what does not fit,
// at once, and run all that it has taken once.
RefusalFigures offer_too_much(const StressOptions& options);

}  // namespace quarry::app
