#include "command.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <quarry/terrain/field.hpp>
#include <quarry/terrain/raycast.hpp>

#include "bake/arguments.hpp"
#include "bake/fields.hpp"
#include "field/look.hpp"
#include "field/report.hpp"
#include "preview/image.hpp"
#include "tools/input.hpp"
#include "tools/interrupt.hpp"
#include "tools/output_files.hpp"
#include "tools/report_file.hpp"

namespace quarry::app {
namespace {

struct FieldArguments {
    std::string field;
    std::vector<std::string> at;
    std::string bounds;
    std::string picture;
    SlicePlane plane = SlicePlane::xy;
    std::string centre;
    std::optional<double> size;
    std::optional<int> pixels;
    std::string json;
};

constexpr std::array<std::string_view, 3> kPlanes{"xy", "xz", "zy"};
constexpr double kFurthest = 1e9;

void declare_field_command(Options& options, FieldArguments& arguments) {
    options.word("FIELD", arguments.field, "showcase, noise, or a file with the description of a field", true);
    options.texts("--at", arguments.at, "X,Y,Z ...",
                  "Density, gradient and materials at a place; can be given several times");
    options.text("--bounds", arguments.bounds, "X0,Y0,Z0,X1,Y1,Z1",
                 "Bounds of all densities in a box, and the range that samples in it have");
    options.text("--picture", arguments.picture, "FILE.png", "Draw a flat cut through the field");
    options.choice("--plane", arguments.plane, kPlanes, "PLANE",
                   "Plane of the picture: xy (default), xz or zy; the second axis runs up");
    options.text("--centre", arguments.centre, "X,Y,Z",
                 "The middle of the picture (default: on the ground at x = z = 0)");
    options.real("--size", arguments.size, {1e-3, 1e8}, "UNITS",
                 "Width and height of the picture, in units (default: 256)");
    options.whole("--pixels", arguments.pixels, {16, 8192}, "N", "Width and height of the picture (default: 512)");
    options.json(arguments.json);
}

// Beyond it the field does not tell places apart.
void require_reach(const char* option, const terrain::Field& field, double furthest) {
    if (furthest <= field.reach()) return;
    throw WrongInput(fmt::format("{}: the field reaches {:.10g} units from 0 along each axis, not {:.10g}", option,
                                 field.reach(), furthest));
}

double furthest_of(const terrain::Position& at) {
    return std::max({std::abs(at.x), std::abs(at.y), std::abs(at.z)});
}

terrain::Position checked_place(const char* option, const std::string& text, const terrain::Field& field) {
    const std::vector<double> along = number_list(option, text, 3, -kFurthest, kFurthest);
    const terrain::Position at{along[0], along[1], along[2]};
    require_reach(option, field, furthest_of(at));
    return at;
}

terrain::Box checked_box(const std::string& text, const terrain::Field& field) {
    const std::vector<double> along = number_list("--bounds", text, 6, -kFurthest, kFurthest);
    const terrain::Box box{{along[0], along[1], along[2]}, {along[3], along[4], along[5]}};
    if (box.low.x > box.high.x || box.low.y > box.high.y || box.low.z > box.high.z) {
        throw WrongInput(
            fmt::format("--bounds takes the lower corner of a box, then the higher one, not {}", in_quotes(text)));
    }
    require_reach("--bounds", field, std::max(furthest_of(box.low), furthest_of(box.high)));
    return box;
}

SliceOptions checked_slice(const FieldArguments& arguments, const terrain::Field& field) {
    SliceOptions slice{.plane = arguments.plane};
    slice.size = arguments.size.value_or(slice.size);
    slice.pixels = arguments.pixels.value_or(slice.pixels);
    if (!arguments.centre.empty()) {
        slice.centre = checked_place("--centre", arguments.centre, field);
    } else {
        constexpr double kHighest = 2'000;
        slice.centre.y = terrain::highest_ground_below(field, 0, kHighest, 0, {.reach = 2 * kHighest}).value_or(0);
    }
    require_reach("--size", field, furthest_of(slice.centre) + slice.size / 2);
    return slice;
}

void require_something(const FieldArguments& arguments) {
    if (arguments.at.empty() && arguments.bounds.empty() && arguments.picture.empty()) {
        throw WrongInput("name what to look at: --at, --bounds or --picture");
    }
    const bool has_picture = !arguments.picture.empty();
    const bool frames =
        arguments.plane != SlicePlane::xy || !arguments.centre.empty() || arguments.size || arguments.pixels;
    if (!has_picture && frames) throw WrongInput("--plane, --centre, --size and --pixels go with --picture only");
}

int look_and_report(const FieldArguments& arguments, const terrain::Described& described, OutputFiles& files) {
    const bool to_standard_output = arguments.json == "-";
    const bool to_file = !arguments.json.empty() && !to_standard_output;
    FieldFindings findings{.field = arguments.field, .picture = arguments.picture};
    for (const std::string& at : arguments.at) {
        findings.points.push_back(look_at_point(described, checked_place("--at", at, *described.field)));
    }
    if (!arguments.bounds.empty()) {
        findings.box = look_at_box(described, checked_box(arguments.bounds, *described.field));
    }
    std::string text;
    for (const FieldPoint& point : findings.points) text += format_point(point);
    if (findings.box) text += format_box(*findings.box);
    if (!arguments.picture.empty()) {
        const SliceOptions slice = checked_slice(arguments, *described.field);
        const std::string png = preview::png_bytes(draw_slice(described, slice));
        files.write(arguments.picture, [&](std::ostream& to) { to << png; });
        text += fmt::format("{}: {:g} units along {} around {:.10g}, {:.10g}, {:.10g}; a line every {:g} of density\n",
                            arguments.picture, slice.size, kPlanes[static_cast<std::size_t>(slice.plane)],
                            slice.centre.x, slice.centre.y, slice.centre.z, line_step(slice));
    }
    const std::string report = field_json(findings);
    if (to_file) files.write(arguments.json, [&](std::ostream& to) { to << report; });
    if (to_standard_output) ReportFile("--json", "-").write(report);
    files.commit();
    fmt::print(to_standard_output ? stderr : stdout, "{}", text);
    return 0;
}

int look_into_field(const FieldArguments& arguments) {
    require_something(arguments);
    BakeArguments named;
    named.field = arguments.field;
    const terrain::Described described = checked_field(named, checked_noise(named), "FIELD");
    OutputFiles files;
    return run_interruptible(files, [&](const std::stop_token& stop_token) {
        if (!arguments.picture.empty()) files.add("--picture", arguments.picture, stop_token);
        if (!arguments.json.empty() && arguments.json != "-") files.add("--json", arguments.json, stop_token);
        for (const std::filesystem::path& file : described.files) files.refuse_as_output("FIELD", file.string());
        return look_and_report(arguments, described, files);
    });
}

}  // namespace

template <>
Command command<struct FieldCommand>() {
    return make_command("field", "Inspect a field: densities, gradients, materials, bounds, a picture",
                        declare_field_command, look_into_field);
}

}  // namespace quarry::app
