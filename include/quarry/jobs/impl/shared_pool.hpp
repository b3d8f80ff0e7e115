#pragma once

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"

namespace quarry::impl {

class TaskHome;

// Pool::shared(), made if need be, which Pool::stop_shared() does not destroy as long as this lives. For a thread that
// takes part in no pool.
class SharedPoolUse {
  public:
    QUARRY_API SharedPoolUse();
    SharedPoolUse(const SharedPoolUse&) = delete;
    SharedPoolUse& operator=(const SharedPoolUse&) = delete;
    QUARRY_API ~SharedPoolUse();

    QUARRY_API Pool& pool() const noexcept;

  private:
    TaskHome* home_;
};

}  // namespace quarry::impl
