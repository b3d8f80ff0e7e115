#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <streambuf>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/export.hpp"
#include "tests/terrain/export/readers.hpp"
#include "tests/terrain/export/worlds.hpp"
#include "tests/terrain/support.hpp"

// R12: wrong meshes, wrong options and devices that are full are said, in every format.

namespace quarry::terrain {
namespace {

using test_support::kFormats;
using test_support::World;

// Takes so many bytes and no more.
class SmallDevice : public std::streambuf {
  public:
    explicit SmallDevice(std::size_t room) : room_(room) {}

  private:
    int_type overflow(int_type character) override {
        if (room_ == 0) return traits_type::eof();
        --room_;
        return character;
    }
    std::streamsize xsputn(const char*, std::streamsize count) override {
        const std::size_t taken = std::min(room_, static_cast<std::size_t>(count));
        room_ -= taken;
        return static_cast<std::streamsize>(taken);
    }

    std::size_t room_;
};

ExportOptions options_for(const World& world) {
    ExportOptions options;
    options.cells = world.cells;
    return options;
}

TEST(ExportRefusals, AFullDeviceIsAnError) {
    const World world = test_support::ball_world();
    for (const ExportFormat format : kFormats) {
        std::ofstream full("/dev/full", std::ios::binary);
        ASSERT_TRUE(full.is_open());
        EXPECT_THROW(write(format, full, world.meshes, options_for(world)), Error);
        // Not even a header fits, but the stream's own buffer takes it at first.
        std::ofstream small("/dev/full", std::ios::binary);
        EXPECT_THROW(write(format, small, {}, {}), Error);
    }
}

TEST(ExportRefusals, ADeviceThatIsFullAnywhereIsAnError) {
    const World world = test_support::ball_world();
    Random random(1);
    for (const ExportFormat format : kFormats) {
        std::ostringstream whole;
        write(format, whole, world.meshes, options_for(world));
        const std::size_t size = whole.str().size();
        for (int trial = 0; trial < 10; ++trial) {
            const std::size_t room =
                trial == 0 ? size - 1 : static_cast<std::size_t>(random.real(0, static_cast<double>(size)));
            SmallDevice device(room);
            std::ostream out(&device);
            if (trial % 2 == 0) out.exceptions(std::ios::badbit);
            EXPECT_THROW(write(format, out, world.meshes, options_for(world)), Error) << room << " of " << size;
        }
        SmallDevice device(size);
        std::ostream out(&device);
        EXPECT_NO_THROW(write(format, out, world.meshes, options_for(world)));
    }
}

TEST(ExportRefusals, AStreamThatHasFailedIsAnError) {
    std::ofstream missing("/nonexistent/folder/world.glb", std::ios::binary);
    EXPECT_THROW(write_glb(missing, {}), Error);
}

TEST(ExportRefusals, StopsWhenAsked) {
    const World world = test_support::ball_world();
    std::stop_source stop;
    ExportOptions options = options_for(world);
    options.stop_token = stop.get_token();
    std::atomic<std::uint64_t> written{0};
    options.written = &written;
    std::ostringstream out;
    write_glb(out, world.meshes, options);
    EXPECT_EQ(written, out.str().size());
    stop.request_stop();
    for (const ExportFormat format : kFormats) {
        std::ostringstream nothing;
        EXPECT_THROW(write(format, nothing, world.meshes, options), Cancelled);
        EXPECT_EQ(nothing.str(), "");
    }
}

TEST(ExportRefusals, NameTheOption) {
    const auto refusal = [](auto change) {
        ExportOptions options;
        change(options);
        std::ostringstream out;
        std::string text = refusal_of([&] { write_glb(out, {}, options); });
        EXPECT_EQ(out.str(), "");
        return text;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::int32_t cells : {0, -2, 2, 31, 64, std::numeric_limits<std::int32_t>::max()}) {
        EXPECT_NE(refusal([&](ExportOptions& options) { options.cells = cells; }).find("cells"), std::string::npos);
    }
    for (const double size : {0.0, -1.0, nan, std::numeric_limits<double>::infinity(), 1e300}) {
        EXPECT_NE(refusal([&](ExportOptions& options) { options.lattice.voxel_size = size; }).find("voxel_size"),
                  std::string::npos);
    }
    EXPECT_NE(refusal([&](ExportOptions& options) { options.lattice.origin.y = nan; }).find("origin.y"),
              std::string::npos);
}

TEST(ExportRefusals, NameTheMesh) {
    const World world = test_support::ball_world();
    const auto refusal = [&](bool welded, auto change) {
        std::vector<Mesh> meshes(world.meshes.begin(), world.meshes.begin() + 5);
        change(meshes[3]);
        ExportOptions options = options_for(world);
        options.welded = welded;
        std::string text;
        for (const ExportFormat format : kFormats) {
            if (welded && format == ExportFormat::stl) continue;
            std::ostringstream out;
            text = refusal_of([&] { write(format, out, meshes, options); });
            EXPECT_EQ(text.rfind("mesh 3 ", 0), 0u) << text;
            EXPECT_EQ(out.str(), "");
        }
        return text;
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    EXPECT_TRUE(has(refusal(false, [](Mesh& mesh) { mesh.normals.pop_back(); }), "normals"));
    EXPECT_TRUE(has(refusal(false, [](Mesh& mesh) { mesh.materials.resize(1); }), "materials"));
    EXPECT_TRUE(has(refusal(false, [](Mesh& mesh) { mesh.key.lod = 8; }), "lod"));
    EXPECT_TRUE(has(refusal(false, [](Mesh& mesh) { mesh.key.lod = -1; }), "lod"));
    EXPECT_TRUE(has(refusal(false, [](Mesh& mesh) { mesh.key.y = 1 << 30; }), "lattice"));
    EXPECT_TRUE(has(refusal(false, [](Mesh& mesh) { mesh.positions[1].z = std::nanf(""); }), "finite"));
    EXPECT_TRUE(has(refusal(true, [](Mesh& mesh) { mesh.positions[1].z = 1e30F; }), "welded"));
    EXPECT_TRUE(has(refusal(true, [](Mesh& mesh) { mesh.positions[1].z = 0.1F; }), "welded"));
    const std::vector<std::uint32_t> beyond{0, 1, 60'000};
    EXPECT_TRUE(has(refusal(false, [&](Mesh& mesh) { mesh.indices = IndexList(beyond, 3); }), "60000"));
    const std::vector<std::uint32_t> odd{0, 1, 2, 0};
    EXPECT_TRUE(has(refusal(false, [&](Mesh& mesh) { mesh.indices = IndexList(odd, 3); }), "indices"));
}

}  // namespace
}  // namespace quarry::terrain
