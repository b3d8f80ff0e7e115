#include "terrain/description/node.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "quarry/terrain/description.hpp"

namespace quarry::terrain::impl {
namespace {

std::string range_text(double low, double high) {
    std::ostringstream text;
    text << low << " to " << high;
    return text.str();
}

// Numbers as they are; the rest by its kind, as it may be long.
std::string text_of(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null:
            return "null";
        case Json::value_t::boolean:
            return value.get<bool>() ? "true" : "false";
        case Json::value_t::string:
            return "a string";
        case Json::value_t::array:
            return "an array of " + std::to_string(value.size());
        case Json::value_t::object:
            return "an object";
        default:
            return value.dump();
    }
}

}  // namespace

void Node::refuse(const std::string& what) const {
    throw DescriptionError(source_->name, path_, what);
}

void Node::refuse_wanting(const std::string& what) const {
    refuse("must be " + what + ", not " + text_of(*value_));
}

double Node::number(double low, double high) const {
    if (!value_->is_number()) refuse_wanting("a number");
    const auto number = value_->get<double>();
    if (!(number >= low && number <= high)) refuse_wanting(range_text(low, high));
    return number;
}

std::int64_t Node::integer(std::int64_t low, std::int64_t high) const {
    if (!value_->is_number_integer()) refuse_wanting("a whole number");
    // Unsigned ones may be too large for the signed type; as double they are at least out of range.
    const auto number = value_->get<double>();
    if (!(number >= static_cast<double>(low) && number <= static_cast<double>(high))) {
        refuse_wanting(std::to_string(low) + " to " + std::to_string(high));
    }
    return value_->get<std::int64_t>();
}

std::uint64_t Node::seed() const {
    if (!value_->is_number_unsigned()) {
        refuse_wanting("a whole number from 0 to " + std::to_string(std::numeric_limits<std::uint64_t>::max()));
    }
    return value_->get<std::uint64_t>();
}

std::string Node::text() const {
    if (!value_->is_string()) refuse_wanting("a string");
    return value_->get<std::string>();
}

Position Node::position(double low, double high) const {
    if (!value_->is_array() || value_->size() != 3) refuse_wanting("an array of 3 numbers");
    const auto coordinate = [&](std::size_t i) {
        return Node((*value_)[i], path_to(path_, i), *source_).number(low, high);
    };
    return {coordinate(0), coordinate(1), coordinate(2)};
}

std::vector<Node> Node::list(std::size_t most) const {
    if (!value_->is_array()) refuse_wanting("an array");
    if (value_->size() > most) refuse_wanting("an array of at most " + std::to_string(most));
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < value_->size(); ++i) nodes.emplace_back((*value_)[i], path_to(path_, i), *source_);
    return nodes;
}

Object::Object(Node node, std::string what) : node_(std::move(node)), what_(std::move(what)) {
    if (!node_.value().is_object()) node_.refuse_wanting("an object, " + what_);
}

Node Object::required(const char* key) {
    std::optional<Node> node = optional(key);
    if (!node) node_.refuse("has no \"" + std::string(key) + "\"; " + what_ + " needs one");
    return *std::move(node);
}

std::optional<Node> Object::optional(const char* key) {
    asked_.emplace_back(key);
    const auto found = node_.value().find(key);
    if (found == node_.value().end()) return std::nullopt;
    return Node(*found, path_to(node_.path(), key), node_.source());
}

void Object::done() const {
    for (const auto& [key, value] : node_.value().items()) {
        if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
        std::string known;
        for (const std::string_view each : asked_) known += (known.empty() ? "" : ", ") + std::string(each);
        Node(value, path_to(node_.path(), key), node_.source()).refuse("is unknown; " + what_ + " has " + known);
    }
}

}  // namespace quarry::terrain::impl
