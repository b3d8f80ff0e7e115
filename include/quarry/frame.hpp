#pragma once

// All that a host's frame needs.

#include "quarry/frame/delivery.hpp"
#include "quarry/frame/frame_clock.hpp"
#include "quarry/frame/frame_ledger.hpp"
#include "quarry/frame/frame_tag.hpp"
#include "quarry/frame/host_guard.hpp"
#include "quarry/frame/inbox.hpp"
#include "quarry/frame/stale_policy.hpp"
#include "quarry/frame/virtual_clock.hpp"
