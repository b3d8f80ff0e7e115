#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "quarry/terrain/heightmap.hpp"
#include "quarry/terrain/lattice.hpp"
#include "terrain/description/document.hpp"

namespace quarry::terrain::impl {

// What a description is read from, and what has been read for it already.
struct Source {
    std::string name;
    std::filesystem::path folder;
    // By file, width and height; these are 0 for a PNG.
    std::map<std::tuple<std::string, std::int32_t, std::int32_t>, std::shared_ptr<const Heightmap>> heightmaps{};
};

// A value of the document that knows where it stands. All functions throw DescriptionError with that place where the
// value is not what they are named after.
class Node {
  public:
    Node(const Json& value, std::string path, Source& source)
        : value_(&value), path_(std::move(path)), source_(&source) {}

    double number(double low, double high) const;
    std::int64_t integer(std::int64_t low, std::int64_t high) const;
    std::uint64_t seed() const;
    std::string text() const;
    Position position(double low, double high) const;
    std::vector<Node> list(std::size_t most) const;

    [[noreturn]] void refuse(const std::string& what) const;
    // "must be WHAT, not ..."
    [[noreturn]] void refuse_wanting(const std::string& what) const;

    // What make() returns; options that it refuses are refused at this place.
    template <class Make>
    auto build(Make&& make) const {
        try {
            return make();
        } catch (const std::invalid_argument& error) {
            refuse(error.what());
        }
    }

    const Json& value() const noexcept { return *value_; }
    const std::string& path() const noexcept { return path_; }
    Source& source() const noexcept { return *source_; }

  private:
    const Json* value_;
    std::string path_;
    Source* source_;
};

// An object whose keys are asked for one by one. done() refuses those that nobody has asked for.
class Object {
  public:
    // what: how errors call it, such as "a sphere".
    Object(Node node, std::string what);

    Node required(const char* key);
    std::optional<Node> optional(const char* key);

    double number(const char* key, double low, double high) { return required(key).number(low, high); }
    double number(const char* key, double low, double high, double otherwise) {
        const std::optional<Node> node = optional(key);
        return node ? node->number(low, high) : otherwise;
    }

    void done() const;

    const Node& node() const noexcept { return node_; }
    void set_what(std::string what) { what_ = std::move(what); }

  private:
    Node node_;
    std::string what_;
    std::vector<std::string_view> asked_;
};

}  // namespace quarry::terrain::impl
