#pragma once

// The whole job engine, except for coroutines: quarry/jobs/coro.hpp.

#include "quarry/jobs/caller_goes_on.hpp"
#include "quarry/jobs/channel.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/lane.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/parallel_map.hpp"
#include "quarry/jobs/parallel_reduce.hpp"
#include "quarry/jobs/parallel_scan.hpp"
#include "quarry/jobs/parallel_sort.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/jobs/scope.hpp"
#include "quarry/jobs/stats.hpp"
#include "quarry/jobs/task.hpp"
#include "quarry/jobs/task_graph.hpp"
#include "quarry/jobs/trace.hpp"
#include "quarry/jobs/when_all.hpp"
#include "quarry/jobs/worker_local.hpp"
