#pragma once

#include <optional>
#include <span>
#include <string>

#include "field/look.hpp"

namespace quarry::app {

std::string format_point(const FieldPoint& point);
std::string format_box(const FieldBox& box);

struct FieldFindings {
    std::string field;
    std::vector<FieldPoint> points{};
    std::optional<FieldBox> box{};
    std::string picture{};  // empty: none
};

std::string field_json(const FieldFindings& findings);

}  // namespace quarry::app
