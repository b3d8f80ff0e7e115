#include "fly/video.hpp"

#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "preview/image.hpp"
#include "preview/render.hpp"
#include "preview/showcase_view.hpp"
#include "tools/input.hpp"

namespace quarry::app {

Video::Video(Pool& pool, const FlyOptions& options) : pool_(pool), options_(options) {
    std::error_code error;
    std::filesystem::create_directories(options.video, error);
    if (!std::filesystem::is_directory(options.video)) {
        throw WrongInput(fmt::format("--video {}: takes a folder that can be made", in_quotes(options.video)));
    }
}

void Video::operator()(const FlyMoment& moment) {
    if (static_cast<double>(frames_) > moment.seconds * options_.video_hertz) return;
    preview::RenderOptions look;
    look.water_level = options_.described.water_level;
    look.palette = preview::palette_of(options_.described.looks);
    if (options_.field_name == "showcase") look = preview::showcase_view(look);
    look.width = options_.video_height * 16 / 9;
    look.height = options_.video_height;
    look.samples = 1;
    look.cells = options_.streamer.cells;
    look.lattice = options_.streamer.lattice;
    const terrain::Position& eye = moment.viewer.position;
    const terrain::Position& to = moment.viewer.direction;
    const double length = std::hypot(to.x, to.y, to.z);
    const double scale = length > 0 ? 100 / length : 0;
    // A little downwards: the ground is what one wants to see.
    look.camera = preview::Camera{
        eye, {eye.x + (length > 0 ? to.x * scale : 100), eye.y + to.y * scale - 15, eye.z + to.z * scale}, 60};
    const std::vector<terrain::Mesh> meshes = moment.host.visible_meshes();
    const auto draw = options_.video_lods ? preview::render_lods : preview::render;
    preview::write_png(std::filesystem::path(options_.video) / fmt::format("frame_{:05}.png", ++frames_),
                       draw(pool_, meshes, look));
}

}  // namespace quarry::app
