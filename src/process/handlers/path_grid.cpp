#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <queue>
#include <stdexcept>

#include "process/handlers/handlers.hpp"
#include "quarry/process/bytes.hpp"

namespace quarry::process {
namespace {

constexpr std::int32_t kMostSide = 32'768;
constexpr std::uint8_t kUnseen = 4;
constexpr std::array<GridPoint, 4> kNeighbours{GridPoint{1, 0}, GridPoint{-1, 0}, GridPoint{0, 1}, GridPoint{0, -1}};

struct Open {
    float estimate;
    float cost;
    GridPoint at;
    bool operator>(const Open& other) const { return estimate > other.estimate; }
};

float cheapest_cell(const CostGrid& grid) {
    float least = std::numeric_limits<float>::infinity();
    for (const float cost : grid.costs) {
        if (cost > 0) least = std::min(least, cost);
    }
    return std::isfinite(least) ? least : 0;
}

class Search {
  public:
    Search(const CostGrid& grid, GridPoint goal)
        : grid_(grid),
          goal_(goal),
          least_(cheapest_cell(grid)),
          costs_(grid.costs.size(), std::numeric_limits<float>::infinity()),
          from_(grid.costs.size(), kUnseen) {}

    GridPath run(GridPoint start) {
        cost_at(start) = 0;
        open_.push({estimate(start), 0, start});
        while (!open_.empty()) {
            const Open next = open_.top();
            open_.pop();
            if (next.at == goal_) return way_back(start, next.cost);
            if (next.cost <= cost_at(next.at)) expand(next);
        }
        return {};
    }

  private:
    std::size_t index(GridPoint at) const {
        return static_cast<std::size_t>(at.y) * static_cast<std::size_t>(grid_.width) + static_cast<std::size_t>(at.x);
    }
    float& cost_at(GridPoint at) { return costs_[index(at)]; }
    // Never more than the way costs. A hair less, so that rounding of long sums cannot make it more.
    float estimate(GridPoint at) const {
        constexpr float kShortOfRounding = 0.999F;
        const auto steps = static_cast<float>(std::abs(at.x - goal_.x) + std::abs(at.y - goal_.y));
        return steps * least_ * kShortOfRounding;
    }
    void expand(const Open& from) {
        for (std::size_t way = 0; way < kNeighbours.size(); ++way) {
            const GridPoint at{from.at.x + kNeighbours[way].x, from.at.y + kNeighbours[way].y};
            if (!grid_.contains(at) || !(grid_.cost(at) > 0)) continue;
            const float cost = from.cost + grid_.cost(at);
            if (!(cost < cost_at(at))) continue;
            cost_at(at) = cost;
            from_[index(at)] = static_cast<std::uint8_t>(way);
            open_.push({cost + estimate(at), cost, at});
        }
    }
    GridPath way_back(GridPoint start, float cost) const {
        GridPath path;
        path.cost = cost;
        GridPoint at = goal_;
        while (!(at == start)) {
            path.points.push_back(at);
            const GridPoint step = kNeighbours[from_[index(at)]];
            at = {at.x - step.x, at.y - step.y};
        }
        path.points.push_back(start);
        std::reverse(path.points.begin(), path.points.end());
        return path;
    }

    const CostGrid& grid_;
    GridPoint goal_;
    float least_;
    std::vector<float> costs_;
    std::vector<std::uint8_t> from_;
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open_;
};

}  // namespace

GridPath find_path(const CostGrid& grid, GridPoint start, GridPoint goal) {
    if (!grid.contains(start) || !grid.contains(goal)) throw Error("path_grid: start and goal must lie in the grid");
    if (!(grid.cost(start) > 0) || !(grid.cost(goal) > 0)) return {};
    return Search(grid, goal).run(start);
}

std::vector<std::byte> encode_grid(const CostGrid& grid) {
    ByteWriter out;
    out.put(grid.width).put(grid.height).put_all(std::span(grid.costs));
    return {out.bytes().begin(), out.bytes().end()};
}

CostGrid decode_grid(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    CostGrid grid;
    grid.width = in.get<std::int32_t>();
    grid.height = in.get<std::int32_t>();
    if (grid.width < 1 || grid.height < 1 || grid.width > kMostSide || grid.height > kMostSide) {
        throw Error("path_grid: a grid has 1 to 32768 cells along each side");
    }
    grid.costs = in.get_all<float>(static_cast<std::size_t>(grid.width) * static_cast<std::size_t>(grid.height));
    in.finish();
    return grid;
}

GridPath decode_path(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    GridPath path;
    path.cost = in.get<float>();
    path.points = in.get_all<GridPoint>(in.left() / sizeof(GridPoint));
    in.finish();
    return path;
}

void impl::PathGridHandler::operator()(JobContext& job) {
    const auto state = job.state(kPathGridKey);
    if (!state) throw Error("path_grid: no grid has been broadcast under the key path_grid");
    if (grid_ == nullptr || state->version != version_) {
        grid_ = std::make_shared<const CostGrid>(decode_grid(state->bytes));
        version_ = state->version;
    }
    ByteReader in(job.payload());
    const auto start = in.get<GridPoint>();
    const auto goal = in.get<GridPoint>();
    in.finish();
    const GridPath path = find_path(*grid_, start, goal);
    ByteWriter out;
    out.put(path.cost).put_all(std::span(path.points));
    job.reply(out.bytes());
}

}  // namespace quarry::process
