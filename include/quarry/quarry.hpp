#pragma once

// Jobs and frames, for a program that starts with Quarry. The layers above have headers of their own.

#include "quarry/frame.hpp"
#include "quarry/jobs.hpp"
#include "quarry/version.hpp"
