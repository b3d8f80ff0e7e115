#pragma once

#include "quarry/export.hpp"
#include "quarry/jobs/impl/context.hpp"

namespace quarry::impl {

// Throws quarry::Error where a job must not block. `verb` is what was called, as in "Channel::receive".
QUARRY_API void require_job_may_block(WorkerContext& context, const char* verb);

// Called by every verb that may block, whether it would have to or not, so that a mistake shows at the first call and
// not under load.
inline void require_may_block(const char* verb) {
    if (current_context != nullptr) [[unlikely]]
        require_job_may_block(*current_context, verb);
}

}  // namespace quarry::impl
