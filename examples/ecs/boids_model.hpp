#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <quarry/ecs/schedule.hpp>

// A flock in a square whose opposite sides touch. Any type can be a world: this one is plain arrays.
namespace boids {

struct Vector {
    float x = 0;
    float y = 0;
};

struct Flock {
    static constexpr float kSight = 1;  // how far a boid sees; also the side of a cell
    static constexpr std::size_t kMostNeighbours = 24;

    float side = 0;
    std::uint32_t cells = 0;  // along a side
    std::vector<Vector> position;
    std::vector<Vector> velocity;
    std::vector<Vector> steering;
    std::vector<std::uint32_t> cell;        // of each boid
    std::vector<std::uint32_t> cell_start;  // of each cell in `by_cell`
    std::vector<std::uint32_t> by_cell;     // boids, cell by cell

    // About two boids per cell.
    explicit Flock(std::size_t count, std::uint32_t seed = 1)
        : cells(std::max(8U, static_cast<std::uint32_t>(std::sqrt(static_cast<double>(count) / 2)))),
          position(count),
          velocity(count),
          steering(count),
          cell(count),
          cell_start(std::size_t{cells} * cells + 1),
          by_cell(count) {
        side = static_cast<float>(cells) * kSight;
        std::mt19937 random(seed);
        const auto unit = [&] { return static_cast<float>(random() >> 8) / 16777216.0F; };
        for (std::size_t i = 0; i < count; ++i) {
            position[i] = {unit() * side, unit() * side};
            velocity[i] = {unit() - 0.5F, unit() - 0.5F};
        }
    }
    std::size_t size() const { return position.size(); }
};

inline void find_cell(Flock& flock, std::size_t i) {
    const auto along = [&](float at) {
        return std::min(static_cast<std::uint32_t>(at / Flock::kSight), flock.cells - 1);
    };
    flock.cell[i] = along(flock.position[i].y) * flock.cells + along(flock.position[i].x);
}

// A counting sort: boids of a cell keep their order, so the result depends only on the positions.
inline void sort_by_cell(Flock& flock) {
    std::fill(flock.cell_start.begin(), flock.cell_start.end(), 0);
    for (const std::uint32_t cell : flock.cell) ++flock.cell_start[cell + 1];
    for (std::size_t i = 1; i < flock.cell_start.size(); ++i) flock.cell_start[i] += flock.cell_start[i - 1];
    for (std::uint32_t i = 0; i < flock.size(); ++i) flock.by_cell[flock.cell_start[flock.cell[i]]++] = i;
    for (std::size_t i = flock.cell_start.size() - 1; i > 0; --i) flock.cell_start[i] = flock.cell_start[i - 1];
    flock.cell_start[0] = 0;
}

// From a to b by the shortest way.
inline Vector way(const Flock& flock, Vector a, Vector b) {
    const auto wrap = [&](float d) {
        if (d > flock.side / 2) return d - flock.side;
        return d < -flock.side / 2 ? d + flock.side : d;
    };
    return {wrap(b.x - a.x), wrap(b.y - a.y)};
}

// Keep apart, fly where the others fly, stay together.
inline void steer(Flock& flock, std::size_t i) {
    const std::uint32_t cells = flock.cells;
    const std::uint32_t column = flock.cell[i] % cells;
    const std::uint32_t row = flock.cell[i] / cells;
    Vector apart;
    Vector heading;
    Vector centre;
    std::size_t neighbours = 0;
    for (std::uint32_t dy = cells - 1; dy <= cells + 1; ++dy) {
        for (std::uint32_t dx = cells - 1; dx <= cells + 1; ++dx) {
            const std::uint32_t cell = (row + dy) % cells * cells + (column + dx) % cells;
            for (std::uint32_t k = flock.cell_start[cell]; k < flock.cell_start[cell + 1]; ++k) {
                const std::uint32_t other = flock.by_cell[k];
                const Vector to = way(flock, flock.position[i], flock.position[other]);
                const float distance = to.x * to.x + to.y * to.y;
                if (other == i || distance > Flock::kSight * Flock::kSight) continue;
                if (neighbours == Flock::kMostNeighbours) continue;
                ++neighbours;
                const float push = 0.02F / (distance + 0.01F);
                apart.x -= to.x * push;
                apart.y -= to.y * push;
                heading.x += flock.velocity[other].x;
                heading.y += flock.velocity[other].y;
                centre.x += to.x;
                centre.y += to.y;
            }
        }
    }
    flock.steering[i] = {};
    if (neighbours == 0) return;
    const float share = 1 / static_cast<float>(neighbours);
    const Vector own = flock.velocity[i];
    flock.steering[i] = {apart.x + (heading.x * share - own.x) * 0.5F + centre.x * share * 0.3F,
                         apart.y + (heading.y * share - own.y) * 0.5F + centre.y * share * 0.3F};
}

inline void move(Flock& flock, std::size_t i) {
    constexpr float kStep = 1.0F / 60;
    constexpr float kFastest = 3;
    Vector& velocity = flock.velocity[i];
    velocity.x += flock.steering[i].x * kStep * 4;
    velocity.y += flock.steering[i].y * kStep * 4;
    const float speed = std::sqrt(velocity.x * velocity.x + velocity.y * velocity.y) + 1e-6F;
    const float wanted = std::clamp(speed, 1.0F, kFastest) / speed;
    velocity.x *= wanted;
    velocity.y *= wanted;
    const auto wrapped = [&](float at) {
        if (at < 0) return at + flock.side;
        return at >= flock.side ? at - flock.side : at;
    };
    flock.position[i].x = wrapped(flock.position[i].x + velocity.x * kStep);
    flock.position[i].y = wrapped(flock.position[i].y + velocity.y * kStep);
}

// What the systems touch.
struct Positions;
struct Velocities;
struct Steerings;
struct Cells;
struct CellLists;

inline void add_systems(quarry::ecs::Schedule<Flock>& schedule) {
    // [begin docs]
    namespace ecs = quarry::ecs;
    const auto all = [](const Flock& flock) { return flock.size(); };
    schedule.add("find cells", ecs::phase::pre_update).reads<Positions>().writes<Cells>().each(all, find_cell);
    schedule.add("sort by cell", ecs::phase::pre_update)
        .reads<Cells>()
        .writes<CellLists>()
        .after("find cells")
        .run(sort_by_cell);
    schedule.add("steer").reads<Positions, Velocities, Cells, CellLists>().writes<Steerings>().each(all, steer);
    schedule.add("move").reads<Steerings>().writes<Positions, Velocities>().after("steer").each(all, move);
    // [end docs]
}

}  // namespace boids
