#include "quarry/jobs/task_graph.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include "jobs/graph/graph_core.hpp"
#include "jobs/os/os.hpp"
#include "jobs/pool/pool_core.hpp"

namespace quarry {
namespace {

double nanoseconds_per_tick() noexcept {
    static const double each = 1000 / static_cast<double>(impl::os::ticks_per_microsecond());
    return each;
}

// Its nodes would go on in memory that is gone.
void refuse_running(const impl::GraphCore* core) noexcept {
    if (core == nullptr || !core->running.load(std::memory_order_acquire)) return;
    std::fputs("quarry: a graph was destroyed while it ran\n", stderr);
    std::terminate();
}

}  // namespace

GraphNode& GraphNode::after(const GraphNode& other) {
    if (other.core_ != core_) throw Error("TaskGraph: a node cannot come after one of another graph");
    core_->add_edge(other.index_, index_);
    return *this;
}

GraphNode& GraphNode::before(const GraphNode& other) {
    if (other.core_ != core_) throw Error("TaskGraph: a node cannot come before one of another graph");
    core_->add_edge(index_, other.index_);
    return *this;
}

GraphNode& GraphNode::lane(Lane lane) {
    impl::require_known(lane);
    core_->to_change(index_).lane = lane;
    return *this;
}

GraphNode& GraphNode::priority(Priority priority) {
    impl::require_known(priority, "TaskGraph: the priority of a node");
    core_->to_change(index_).priority = priority;
    return *this;
}

GraphNode& GraphNode::cost(std::chrono::nanoseconds hint) {
    if (hint.count() < 0) throw std::invalid_argument("TaskGraph: the cost of a node cannot be negative");
    core_->to_change(index_).hint_nanoseconds = static_cast<std::uint64_t>(hint.count());
    return *this;
}

GraphNode& GraphNode::deferrable(bool allowed) {
    core_->to_change(index_).deferrable = allowed;
    return *this;
}

void GraphNode::set_condition(impl::GraphFunction condition) {
    core_->to_change(index_).condition = std::move(condition);
}

TaskGraph::TaskGraph() : core_(std::make_unique<impl::GraphCore>()) {}
TaskGraph::TaskGraph(TaskGraph&&) noexcept = default;
TaskGraph& TaskGraph::operator=(TaskGraph&& other) noexcept {
    refuse_running(core_.get());
    core_ = std::move(other.core_);
    return *this;
}
TaskGraph::~TaskGraph() {
    refuse_running(core_.get());
}

impl::GraphCore& TaskGraph::core() const {
    if (core_ == nullptr) throw Error("TaskGraph: was moved from; only assigning to it makes it a graph again");
    return *core_;
}

GraphNode TaskGraph::add_node(std::string_view name, impl::GraphFunction body) {
    return {core(), core().add(name, std::move(body), {}, 0)};
}

GraphNode TaskGraph::add_range_node(std::string_view name, impl::GraphFunction body, impl::GraphFunction count,
                                    std::size_t grain) {
    return {core(), core().add(name, std::move(body), std::move(count), grain)};
}

void TaskGraph::build() {
    if (core().running.load(std::memory_order_relaxed)) throw Error("TaskGraph: cannot be built while it runs");
    core().build();
}

namespace {

// However the run ends, the graph is no longer running.
class Running {
  public:
    Running(impl::GraphCore& core, const GraphRunOptions& options) : core_(core) { core.begin_run(options); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
        if (ended_) return;
        core_.reset_counters();
        core_.running.store(false, std::memory_order_release);
    }
    const GraphReport& end() {
        ended_ = true;
        core_.end_run();
        return core_.report;
    }

  private:
    impl::GraphCore& core_;
    bool ended_ = false;
};

}  // namespace

const GraphReport& TaskGraph::run(Pool& pool, const GraphRunOptions& options) {
    Running running(core(), options);
    impl::run_in_parallel(core(), pool);
    return running.end();
}

const GraphReport& TaskGraph::run_until(Pool& pool, std::chrono::steady_clock::time_point deadline,
                                        const GraphRunOptions& options) {
    Running running(core(), options);
    const auto now = std::chrono::steady_clock::now();
    const auto left = deadline > now ? deadline - now : std::chrono::steady_clock::duration::zero();
    const std::int64_t microseconds = std::chrono::duration_cast<std::chrono::microseconds>(left).count();
    constexpr std::int64_t kLongest = std::int64_t{1} << 40;  // more is no limit, and would overflow as ticks
    if (microseconds < kLongest) {
        core().deadline_ticks =
            impl::ticks() + static_cast<std::uint64_t>(microseconds) * impl::os::ticks_per_microsecond();
    }
    impl::run_in_parallel(core(), pool);
    return running.end();
}

const GraphReport& TaskGraph::run_here(const GraphRunOptions& options) {
    Running running(core(), options);
    impl::run_serially(core(), false);
    return running.end();
}

const GraphReport& TaskGraph::run_shuffled(std::uint64_t seed, const GraphRunOptions& options) {
    Running running(core(), options);
    core().shuffle_seed = seed;
    impl::run_serially(core(), true);
    return running.end();
}

const GraphReport& TaskGraph::run_chosen(const GraphChoice& choose, const GraphRunOptions& options) {
    Running running(core(), options);
    core().choose = &choose;
    impl::run_serially(core(), true);
    return running.end();
}

std::size_t TaskGraph::size() const {
    return core().cold.size();
}

const std::string& TaskGraph::name(std::size_t node) const {
    return core().cold.at(node).name;
}

std::vector<std::size_t> TaskGraph::successors(std::size_t node) const {
    const std::vector<std::uint32_t>& all = core().cold.at(node).successors;
    return {all.begin(), all.end()};
}

const GraphReport& TaskGraph::report() const {
    return core().report;
}

NodeTimes TaskGraph::times(std::size_t node) const {
    const impl::NodeStamps& stamps = core().stamps.at(node);
    const std::uint64_t began = core().began;
    const double each = nanoseconds_per_tick();
    const auto since = [&](std::uint64_t stamp) {
        return std::chrono::nanoseconds(
            stamp > began ? static_cast<std::int64_t>(static_cast<double>(stamp - began) * each) : 0);
    };
    return {since(stamps.ready), since(stamps.started), since(stamps.ended), stamps.worker, stamps.outcome};
}

std::chrono::nanoseconds TaskGraph::cost(std::size_t node) const {
    return std::chrono::nanoseconds(
        static_cast<std::int64_t>(static_cast<double>(core().hot.at(node).cost) * nanoseconds_per_tick()));
}

}  // namespace quarry
