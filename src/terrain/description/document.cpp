#include "terrain/description/document.hpp"

#include <set>
#include <vector>

#include "quarry/terrain/description.hpp"

namespace quarry::terrain::impl {
namespace {

// Follows the parser through the document: where it is, which keys it has seen there. The parser itself keeps the last
// of several equal keys, and nests as deep as memory goes.
class Follower {
  public:
    explicit Follower(const std::string& name) : name_(name) {}

    bool on(Json::parse_event_t event, const Json& parsed) {
        switch (event) {
            case Json::parse_event_t::object_start:
            case Json::parse_event_t::array_start:
                enter(event == Json::parse_event_t::array_start);
                break;
            case Json::parse_event_t::key:
                take_key(parsed.get_ref<const std::string&>());
                break;
            case Json::parse_event_t::object_end:
            case Json::parse_event_t::array_end:
                levels_.pop_back();
                end_value();
                break;
            case Json::parse_event_t::value:
                end_value();
                break;
        }
        return true;
    }

    std::string path() const {
        std::string path;
        for (const Level& level : levels_) {
            if (level.is_array) {
                path = path_to(path, level.index);
            } else if (!level.keys.empty()) {
                path = path_to(path, level.key);
            }
        }
        return path;
    }

  private:
    struct Level {
        bool is_array = false;
        std::size_t index = 0;
        std::string key;
        std::set<std::string> keys;
    };

    void enter(bool is_array) {
        if (levels_.size() >= kDeepestDescription) {
            throw DescriptionError(
                name_, path(), "is nested too deep; " + std::to_string(kDeepestDescription) + " levels are allowed");
        }
        levels_.push_back({.is_array = is_array, .index = 0, .key = {}, .keys = {}});
    }

    void take_key(const std::string& key) {
        Level& level = levels_.back();
        level.key = key;
        if (!level.keys.insert(key).second) throw DescriptionError(name_, path(), "is there twice");
    }

    void end_value() {
        if (!levels_.empty() && levels_.back().is_array) ++levels_.back().index;
    }

    const std::string& name_;
    std::vector<Level> levels_;
};

// The parser's text without its name for the error and without the bytes that it read last, which may be anything.
std::string readable(const std::string& text) {
    std::string rest = text.substr(0, 1) == "[" ? text.substr(text.find("] ") + 2) : text;
    const std::size_t last_read = rest.find("; last read: '");
    if (last_read == std::string::npos) return rest;
    const std::size_t expected = rest.rfind("'; expected ");
    const std::string end = expected == std::string::npos ? "" : rest.substr(expected + 1);
    return rest.substr(0, last_read) + end;
}

}  // namespace

std::string path_to(const std::string& path, std::string_view key) {
    std::string longer = path + '/';
    for (const char c : key) {
        if (c == '~') {
            longer += "~0";
        } else if (c == '/') {
            longer += "~1";
        } else {
            longer += c;
        }
    }
    return longer;
}

std::string path_to(const std::string& path, std::size_t index) {
    return path + '/' + std::to_string(index);
}

Json parse_document(std::string_view text, const std::string& name) {
    Follower follower(name);
    try {
        return Json::parse(text, [&](int /*depth*/, Json::parse_event_t event, const Json& parsed) {
            return follower.on(event, parsed);
        });
    } catch (const Json::exception& error) {
        throw DescriptionError(name, follower.path(), readable(error.what()));
    }
}

}  // namespace quarry::terrain::impl
