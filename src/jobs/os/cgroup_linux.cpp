#include "jobs/os/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>
#include <vector>

namespace quarry::impl {
namespace {

// Where one hierarchy is mounted, and which of its groups is at the mount point.
struct CgroupMount {
    bool version_2;
    std::string root;
    std::string mount_point;
};

// The process's group in one hierarchy, as the hierarchy names it.
struct CgroupMembership {
    bool version_2;
    std::string path;
};

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

bool lists_cpu(const std::string& comma_separated) {
    const auto names = split(comma_separated, ',');
    return std::find(names.begin(), names.end(), "cpu") != names.end();
}

// mountinfo writes a space, tab, newline and backslash in a path as \ooo.
std::string unescape(const std::string& text) {
    const auto octal = [](char c) { return c >= '0' && c <= '7'; };
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
            plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

// A line: id parent major:minor root mount-point options [optional fields] - type source super-options
std::optional<CgroupMount> parse_mount(const std::string& line) {
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (std::distance(fields.begin(), dash) < 6 || std::distance(dash, fields.end()) < 4) return std::nullopt;
    const bool version_2 = dash[1] == "cgroup2";
    if (!version_2 && !(dash[1] == "cgroup" && lists_cpu(dash[3]))) return std::nullopt;
    return CgroupMount{version_2, unescape(fields[3]), unescape(fields[4])};
}

// A line: hierarchy-id:controllers:path, where version 2 has no controllers.
std::optional<CgroupMembership> parse_membership(const std::string& line) {
    const auto first = line.find(':');
    if (first == std::string::npos) return std::nullopt;
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) return std::nullopt;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool version_2 = line.compare(0, first, "0") == 0 && controllers.empty();
    if (!version_2 && !lists_cpu(controllers)) return std::nullopt;
    return CgroupMembership{version_2, line.substr(second + 1)};
}

// The part of the group's path below the mount point; empty where the mount does not show the group (a
// container that sees the host's names, or a group outside its namespace), so that at least the mount point's
// own limit counts.
std::string path_below_mount(const std::string& group, const std::string& mount_root) {
    if (group.find("/..") != std::string::npos) return "";
    const std::string root = mount_root == "/" ? "" : mount_root;
    if (group.compare(0, root.size(), root) != 0) return "";
    std::string below = group.substr(root.size());
    if (!below.empty() && below.front() != '/') return "";
    while (!below.empty() && below.back() == '/') below.pop_back();
    return below;
}

std::optional<std::int64_t> parse_positive(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
    return value;
}

std::optional<int> whole_cpus(std::string_view quota_text, std::string_view period_text) {
    const auto quota = parse_positive(quota_text);
    const auto period = parse_positive(period_text);
    if (!quota || !period) return std::nullopt;
    const std::int64_t cpus = (*quota - 1) / *period + 1;
    return static_cast<int>(std::min<std::int64_t>(cpus, std::numeric_limits<int>::max()));
}

std::optional<int> limit_of_folder(const std::string& folder, bool version_2) {
    if (!version_2)
        return whole_cpus(read_file(folder + "/cpu.cfs_quota_us"), read_file(folder + "/cpu.cfs_period_us"));
    const std::string line = read_file(folder + "/cpu.max");
    const auto space = line.find(' ');
    if (space == std::string::npos) return std::nullopt;
    return whole_cpus(std::string_view(line).substr(0, space), std::string_view(line).substr(space + 1));
}

std::optional<int> smaller(std::optional<int> a, std::optional<int> b) {
    if (a && b) return std::min(*a, *b);
    return a ? a : b;
}

}  // namespace

std::optional<int> cgroup_cpu_limit(const std::string& file_system_root) {
    std::vector<CgroupMount> mounts;
    for (const auto& line : split(read_file(file_system_root + "/proc/self/mountinfo"), '\n')) {
        if (auto mount = parse_mount(line)) mounts.push_back(std::move(*mount));
    }
    std::optional<int> limit;
    for (const auto& line : split(read_file(file_system_root + "/proc/self/cgroup"), '\n')) {
        const auto membership = parse_membership(line);
        if (!membership) continue;
        for (const auto& mount : mounts) {
            if (mount.version_2 != membership->version_2) continue;
            std::string below = path_below_mount(membership->path, mount.root);
            const std::string top = file_system_root + mount.mount_point;
            for (; !below.empty(); below.resize(below.rfind('/'))) {
                limit = smaller(limit, limit_of_folder(top + below, mount.version_2));
            }
            limit = smaller(limit, limit_of_folder(top, mount.version_2));
        }
    }
    return limit;
}

}  // namespace quarry::impl
