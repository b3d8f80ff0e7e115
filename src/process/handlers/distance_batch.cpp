#include <cmath>

#include "process/handlers/handlers.hpp"
#include "quarry/process/bytes.hpp"

namespace quarry::process {

std::vector<Nearest> nearest_points(std::span<const Point3> points, std::span<const Point3> others) {
    std::vector<Nearest> nearest(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        float least = std::numeric_limits<float>::infinity();
        std::uint32_t which = 0;
        for (std::size_t k = 0; k < others.size(); ++k) {
            const float x = points[i].x - others[k].x;
            const float y = points[i].y - others[k].y;
            const float z = points[i].z - others[k].z;
            const float square = x * x + y * y + z * z;
            if (square < least) {
                least = square;
                which = static_cast<std::uint32_t>(k);
            }
        }
        nearest[i] = {which, std::sqrt(least)};
    }
    return nearest;
}

std::vector<std::byte> encode_points(std::span<const Point3> points, std::span<const Point3> others) {
    ByteWriter out;
    out.put(static_cast<std::uint32_t>(points.size())).put(static_cast<std::uint32_t>(others.size()));
    out.put_all(points).put_all(others);
    return {out.bytes().begin(), out.bytes().end()};
}

void impl::distance_batch(JobContext& job) {
    ByteReader in(job.payload());
    const auto count = in.get<std::uint32_t>();
    const auto other_count = in.get<std::uint32_t>();
    const auto points = in.get_all<Point3>(count);
    const auto others = in.get_all<Point3>(other_count);
    in.finish();
    const std::vector<Nearest> nearest = nearest_points(points, others);
    job.reply(std::as_bytes(std::span(nearest)));
}

}  // namespace quarry::process
