#pragma once

#include <cstdint>
#include <memory>

#include "quarry/process/handler.hpp"
#include "quarry/process/handlers.hpp"

namespace quarry::process::impl {

// Keeps the grid as long as its version stays.
class PathGridHandler {
  public:
    void operator()(JobContext& job);

  private:
    std::uint64_t version_ = 0;
    std::shared_ptr<const CostGrid> grid_;
};

void distance_batch(JobContext& job);
void collision_predict(JobContext& job);

}  // namespace quarry::process::impl
