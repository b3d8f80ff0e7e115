#include "field/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/machine.hpp"
#include "tools/report_head.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

std::string position_text(const terrain::Position& at) {
    return fmt::format("{:.10g}, {:.10g}, {:.10g}", at.x, at.y, at.z);
}

nlohmann::ordered_json position_json(const terrain::Position& at) {
    return {at.x, at.y, at.z};
}

}  // namespace

std::string format_point(const FieldPoint& point) {
    std::string text = fmt::format("at {}\n  density   {:.7g} ({})\n  gradient  {:.7g}, {:.7g}, {:.7g} per unit\n",
                                   position_text(point.at), point.density, point.density < 0 ? "solid" : "empty",
                                   point.gradient.x, point.gradient.y, point.gradient.z);
    if (!point.materials) return text + "  material  none: the field names no materials\n";
    text += "  material ";
    for (std::size_t i = 0; i < terrain::kMaterials; ++i) {
        const std::uint8_t weight = point.materials->weights.of[i];
        if (weight != 0) text += fmt::format(" {}: {:.0f} %", point.materials->indices.of[i], weight / 2.55);
    }
    return text + "\n";
}

std::string format_box(const FieldBox& box) {
    const char* const what = box.bounds.may_have_surface() ? "may have a surface"
                             : box.bounds.low < 0          ? "is solid"
                                                           : "is empty";
    return fmt::format("from {} to {}\n  bounds    {:.7g} to {:.7g}: {}\n  sampled   {:.7g} to {:.7g}, at {} places\n",
                       position_text(box.box.low), position_text(box.box.high), box.bounds.low, box.bounds.high, what,
                       box.sampled.low, box.sampled.high, grouped(kBoxPoints * kBoxPoints * kBoxPoints));
}

std::string field_json(const FieldFindings& findings) {
    nlohmann::ordered_json json = report_head("quarry field", bench::describe_machine());
    json["options"] = {{"field", findings.field}};
    json["points"] = nlohmann::ordered_json::array();
    for (const FieldPoint& point : findings.points) {
        json["points"].push_back({{"at", position_json(point.at)},
                                  {"density", point.density},
                                  {"solid", point.density < 0},
                                  {"gradient", {point.gradient.x, point.gradient.y, point.gradient.z}},
                                  {"materials", nullptr}});
        if (point.materials) {
            json["points"].back()["materials"] = point.materials->weights.of;
            json["points"].back()["material_indices"] = point.materials->indices.of;
        }
    }
    json["bounds"] = nullptr;
    if (findings.box) {
        const FieldBox& box = *findings.box;
        json["bounds"] = {{"low", position_json(box.box.low)},
                          {"high", position_json(box.box.high)},
                          {"density", {box.bounds.low, box.bounds.high}},
                          {"may_have_surface", box.bounds.may_have_surface()},
                          {"sampled", {box.sampled.low, box.sampled.high}}};
    }
    json["picture"] = nullptr;
    if (!findings.picture.empty()) json["picture"] = findings.picture;
    return json.dump(2) + "\n";
}

}  // namespace quarry::app
