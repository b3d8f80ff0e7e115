#include <algorithm>
#include <array>
#include <cmath>

#include "process/handlers/handlers.hpp"
#include "quarry/process/bytes.hpp"

// A sphere that moves along a line touches a triangle when its centre comes within the radius. That is first so at the
// face, along an edge, or at a corner: the centre enters the triangle grown by the radius, which is bounded by two
// planes, three cylinders and three spheres.
namespace quarry::process {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Vector {
    double x = 0;
    double y = 0;
    double z = 0;
};

Vector vector_of(Point3 point) {
    return {point.x, point.y, point.z};
}
Vector operator-(Vector a, Vector b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vector operator+(Vector a, Vector b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator*(Vector a, double factor) {
    return {a.x * factor, a.y * factor, a.z * factor};
}
double dot(Vector a, Vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector cross(Vector a, Vector b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct Corners {
    Vector a;
    Vector b;
    Vector c;
};

// The point of a segment that is nearest.
Vector nearest_on_segment(Vector point, Vector from, Vector to) {
    const Vector along = to - from;
    const double length = dot(along, along);
    const double part = length > 0 ? std::clamp(dot(point - from, along) / length, 0.0, 1.0) : 0;
    return from + along * part;
}

bool projects_inside(Vector point, const Corners& corners, Vector normal) {
    return dot(cross(corners.b - corners.a, point - corners.a), normal) >= 0 &&
           dot(cross(corners.c - corners.b, point - corners.b), normal) >= 0 &&
           dot(cross(corners.a - corners.c, point - corners.c), normal) >= 0;
}

double distance_to(Vector point, const Corners& corners, Vector normal) {
    const double area = dot(normal, normal);
    if (area > 0 && projects_inside(point, corners, normal)) {
        return std::abs(dot(point - corners.a, normal)) / std::sqrt(area);
    }
    double least = kNever;
    const std::array<std::pair<Vector, Vector>, 3> edges{
        {{corners.a, corners.b}, {corners.b, corners.c}, {corners.c, corners.a}}};
    for (const auto& [from, to] : edges) {
        const Vector away = point - nearest_on_segment(point, from, to);
        least = std::min(least, dot(away, away));
    }
    return std::sqrt(least);
}

// The earlier root of a t^2 + 2 b t + c = 0, where the centre enters.
double entry(double a, double b, double c) {
    const double root = b * b - a * c;
    if (!(a > 0) || root < 0) return kNever;
    return (-b - std::sqrt(root)) / a;
}

double face_time(Vector center, Vector velocity, double radius, const Corners& corners, Vector normal) {
    const double size = std::sqrt(dot(normal, normal));
    if (!(size > 0)) return kNever;
    const double height = dot(center - corners.a, normal) / size;
    const double speed = dot(velocity, normal) / size;
    if (!(height * speed < 0)) return kNever;
    const double time = (std::abs(height) - radius) / std::abs(speed);
    return projects_inside(center + velocity * time, corners, normal) ? time : kNever;
}

double edge_time(Vector center, Vector velocity, double radius, Vector from, Vector to) {
    const Vector along = to - from;
    const double length = dot(along, along);
    if (!(length > 0)) return kNever;
    const Vector start = center - from;
    const Vector across = velocity - along * (dot(velocity, along) / length);
    const Vector offset = start - along * (dot(start, along) / length);
    const double time = entry(dot(across, across), dot(across, offset), dot(offset, offset) - radius * radius);
    if (time == kNever) return kNever;
    const double part = dot(start + velocity * time, along) / length;
    return part >= 0 && part <= 1 ? time : kNever;
}

double corner_time(Vector center, Vector velocity, double radius, Vector corner) {
    const Vector offset = center - corner;
    return entry(dot(velocity, velocity), dot(velocity, offset), dot(offset, offset) - radius * radius);
}

double impact_time(const MovingSphere& sphere, const Triangle3& triangle) {
    const Corners corners{vector_of(triangle.a), vector_of(triangle.b), vector_of(triangle.c)};
    const Vector normal = cross(corners.b - corners.a, corners.c - corners.a);
    const Vector center = vector_of(sphere.center);
    const Vector velocity = vector_of(sphere.velocity);
    const double radius = sphere.radius;
    if (distance_to(center, corners, normal) <= radius) return 0;
    const std::array<double, 7> times{face_time(center, velocity, radius, corners, normal),
                                      edge_time(center, velocity, radius, corners.a, corners.b),
                                      edge_time(center, velocity, radius, corners.b, corners.c),
                                      edge_time(center, velocity, radius, corners.c, corners.a),
                                      corner_time(center, velocity, radius, corners.a),
                                      corner_time(center, velocity, radius, corners.b),
                                      corner_time(center, velocity, radius, corners.c)};
    double first = kNever;
    for (const double time : times) {
        if (time >= 0) first = std::min(first, time);
    }
    return first;
}

}  // namespace

std::vector<Impact> predict_collisions(std::span<const MovingSphere> spheres, std::span<const Triangle3> triangles,
                                       float span) {
    std::vector<Impact> impacts(spheres.size());
    for (std::size_t i = 0; i < spheres.size(); ++i) {
        double first = kNever;
        for (std::size_t k = 0; k < triangles.size(); ++k) {
            const double time = impact_time(spheres[i], triangles[k]);
            if (time > span || !(time < first)) continue;
            first = time;
            impacts[i] = {static_cast<float>(time), static_cast<std::uint32_t>(k)};
        }
    }
    return impacts;
}

std::vector<std::byte> encode_collisions(std::span<const MovingSphere> spheres, std::span<const Triangle3> triangles,
                                         float span) {
    ByteWriter out;
    out.put(span);
    out.put(static_cast<std::uint32_t>(spheres.size())).put(static_cast<std::uint32_t>(triangles.size()));
    out.put_all(spheres).put_all(triangles);
    return {out.bytes().begin(), out.bytes().end()};
}

void impl::collision_predict(JobContext& job) {
    ByteReader in(job.payload());
    const auto span = in.get<float>();
    const auto sphere_count = in.get<std::uint32_t>();
    const auto triangle_count = in.get<std::uint32_t>();
    const auto spheres = in.get_all<MovingSphere>(sphere_count);
    const auto triangles = in.get_all<Triangle3>(triangle_count);
    in.finish();
    const std::vector<Impact> impacts = predict_collisions(spheres, triangles, span);
    job.reply(std::as_bytes(std::span(impacts)));
}

}  // namespace quarry::process
