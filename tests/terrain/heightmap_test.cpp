#include "quarry/terrain/heightmap.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/heightmap_field.hpp"
#include "tests/terrain/png_maker.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/temporary_folder.hpp"

namespace quarry::terrain {
namespace {

using test_support::Bytes;
using test_support::grey_png;
using test_support::TemporaryFolder;

std::vector<std::uint16_t> random_values(Random& random, std::size_t count, std::int32_t most) {
    std::vector<std::uint16_t> values(count);
    for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(random.integer(0, most));
    return values;
}

template <class Function>
std::string error_of(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string png_error(const Bytes& png) {
    return error_of([&] { parse_png_heightmap(png, "hills.png"); });
}

void expect_values(const Heightmap& map, std::int32_t width, std::int32_t height,
                   const std::vector<std::uint16_t>& values, int factor) {
    ASSERT_EQ(map.width(), width);
    ASSERT_EQ(map.height(), height);
    for (std::int32_t z = 0; z < height; ++z) {
        for (std::int32_t x = 0; x < width; ++x) {
            ASSERT_EQ(map.at(x, z), factor * values[static_cast<std::size_t>(z * width + x)]);
        }
    }
}

TEST(Heightmap, ReadsPngsOf8And16BitsPlainAndInterlaced) {
    Random random(301);
    for (const bool interlaced : {false, true}) {
        const auto wide = random_values(random, 13 * 9, 65'535);
        expect_values(parse_png_heightmap(grey_png(13, 9, {16, 0, interlaced}, wide), ""), 13, 9, wide, 1);
        const auto narrow = random_values(random, 13 * 9, 255);
        expect_values(parse_png_heightmap(grey_png(13, 9, {8, 0, interlaced}, narrow), ""), 13, 9, narrow, 257);
    }
}

TEST(Heightmap, ReadsFiles) {
    const TemporaryFolder folder;
    Random random(302);
    const auto values = random_values(random, 5 * 4, 65'535);
    const auto png = folder.write("map.png", grey_png(5, 4, {}, values));
    expect_values(read_png_heightmap(png), 5, 4, values, 1);
    Bytes raw;
    for (const std::uint16_t value : values) {
        raw.push_back(static_cast<std::byte>(value));
        raw.push_back(static_cast<std::byte>(value >> 8));
    }
    expect_values(read_raw_heightmap(folder.write("map.r16", raw), 5, 4), 5, 4, values, 1);
}

TEST(Heightmap, SaysInOneLineWhatIsWrongWithAPng) {
    const std::vector<std::uint16_t> values(12, 500);
    const Bytes good = grey_png(4, 3, {}, values);
    EXPECT_EQ(png_error({}), "hills.png: is no PNG file");
    EXPECT_EQ(png_error(Bytes(100)), "hills.png: is no PNG file");
    const auto kind = [](int bits, int colour) {
        return png_error(test_support::png_of_scanlines(4, 3, {bits, colour, false}, Bytes(200)));
    };
    EXPECT_EQ(kind(8, 2), "hills.png: a heightmap must be greyscale of 8 or 16 bits, not colour of 8 bits");
    EXPECT_EQ(kind(16, 6),
              "hills.png: a heightmap must be greyscale of 8 or 16 bits, not colour with alpha of 16 bits");
    EXPECT_EQ(kind(8, 3), "hills.png: a heightmap must be greyscale of 8 or 16 bits, not a palette of 8 bits");
    EXPECT_EQ(kind(8, 4),
              "hills.png: a heightmap must be greyscale of 8 or 16 bits, not greyscale with alpha of 8 bits");
    EXPECT_EQ(kind(4, 0), "hills.png: a heightmap must be greyscale of 8 or 16 bits, not greyscale of 4 bits");
    Bytes cut = good;
    cut.resize(cut.size() - 13);
    EXPECT_EQ(png_error(cut), "hills.png: damaged PNG: the file ends too early");
    Bytes flipped = good;
    flipped[50] ^= std::byte{1};  // within the packed pixels: their checksum is wrong now
    EXPECT_NE(png_error(flipped).find("hills.png: damaged PNG: "), std::string::npos);
    EXPECT_EQ(png_error(good), "no error");
}

TEST(Heightmap, RefusesSizesBeforeItTakesMemoryForThem) {
    const auto of_size = [](std::uint32_t width, std::uint32_t height) {
        return png_error(test_support::png_of_scanlines(width, height, {}, Bytes(100)));
    };
    EXPECT_NE(of_size(0, 5).find("damaged PNG"), std::string::npos);
    const std::string limits =
        "hills.png: a heightmap must have 1 to 32768 pixels a side and at most 67108864 in all, not ";
    EXPECT_EQ(of_size(40'000, 5), limits + "40000 x 5 pixels");
    EXPECT_EQ(of_size(1, 0x7FFFFFFF), limits + "1 x 2147483647 pixels");
    EXPECT_EQ(of_size(32'768, 32'768), limits + "32768 x 32768 pixels");
    EXPECT_EQ(of_size(8'192, 8'192), "hills.png: the file ends too early for 8192 x 8192 pixels");
}

TEST(Heightmap, SaysInOneLineWhatIsWrongWithARawFile) {
    const auto raw_error = [](std::size_t bytes, std::int32_t width, std::int32_t height) {
        return error_of([&] { parse_raw_heightmap(Bytes(bytes), width, height, "hills.r16"); });
    };
    EXPECT_EQ(raw_error(23, 4, 3), "hills.r16: has 23 bytes; 4 x 3 pixels of 16 bits are 24");
    EXPECT_EQ(raw_error(25, 4, 3), "hills.r16: has 25 bytes; 4 x 3 pixels of 16 bits are 24");
    EXPECT_EQ(
        raw_error(0, 0, 3),
        "hills.r16: a heightmap must have 1 to 32768 pixels a side and at most 67108864 in all, not 0 x 3 pixels");
    EXPECT_NE(raw_error(0, -1, 3).find("not -1 x 3"), std::string::npos);
    EXPECT_NE(raw_error(0, 20'000, 20'000).find("at most 67108864"), std::string::npos);
}

TEST(Heightmap, SaysWhichFileCanNotBeRead) {
    const TemporaryFolder folder;
    const auto missing = folder.path() / "missing.png";
    EXPECT_EQ(error_of([&] { read_png_heightmap(missing); }),
              missing.string() + ": cannot be read: No such file or directory");
    EXPECT_EQ(error_of([&] { read_raw_heightmap(folder.path(), 1, 1); }),
              folder.path().string() + ": cannot be read: Is a directory");
    EXPECT_EQ(error_of([&] { read_png_heightmap("two\nlines"); }).find('\n'), std::string::npos);
}

TEST(Heightmap, RangesHoldTheirPixelsAndLittleElse) {
    Random random(303);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 20; ++round) {
        const std::int32_t width = random.integer(1, 70);
        const std::int32_t height = random.integer(1, 70);
        const Heightmap map(
            width, height,
            random_values(random, static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 65'535));
        for (int i = 0; i < 100; ++i) {
            const std::int32_t x0 = random.integer(0, width - 1), x1 = random.integer(x0, width - 1);
            const std::int32_t z0 = random.integer(0, height - 1), z1 = random.integer(z0, height - 1);
            Heightmap::Range exact{65'535, 0};
            for (std::int32_t z = z0; z <= z1; ++z) {
                for (std::int32_t x = x0; x <= x1; ++x) {
                    exact = {std::min(exact.low, map.at(x, z)), std::max(exact.high, map.at(x, z))};
                }
            }
            const Heightmap::Range found = map.range(x0, z0, x1, z1);
            ASSERT_LE(found.low, exact.low);
            ASSERT_GE(found.high, exact.high);
            if (std::max(x1 - x0, z1 - z0) < 4) {
                ASSERT_EQ(found, exact);
            }
        }
    }
}

// A wave from pixel to pixel is gone from the slopes that a coarse chunk sees; the hill below it is not.
TEST(HeightmapField, GradientsLeaveOutWhatIsFinerThanTheSpacing) {
    std::vector<std::uint16_t> values;
    for (int z = 0; z < 64; ++z) {
        for (int x = 0; x < 64; ++x)
            values.push_back(static_cast<std::uint16_t>(20'000 + 500 * x + (x + z) % 2 * 4'000));
    }
    const HeightmapField field(std::make_shared<Heightmap>(64, 64, values), {.height_scale = 65.535});
    double fine = 0;
    double coarse = 0;
    for (double x = 20; x < 40; x += 0.37) {
        fine = std::max(fine, std::abs(0.5 + field.gradient_at({x, 0, 30.3}, 0.5).x));
        coarse = std::max(coarse, std::abs(0.5 + field.gradient_at({x, 0, 30.3}, 8).x));
    }
    EXPECT_GT(fine, 1);
    EXPECT_LT(coarse, 0.02);
}

// Shading must not show where pixels begin.
TEST(HeightmapField, GradientsAtTheSpacingOfPixelsHaveNoJumps) {
    Random random(304);
    const HeightmapField field(std::make_shared<Heightmap>(20, 20, random_values(random, 400, 65'535)),
                               {.height_scale = 10});
    for (double x = 2; x < 17; x += 1) {
        const Gradient left = field.gradient_at({x - 1e-6, 0, 7.3}, 1);
        const Gradient right = field.gradient_at({x + 1e-6, 0, 7.3}, 1);
        EXPECT_NEAR(left.x, right.x, 1e-4);
        EXPECT_NEAR(left.z, right.z, 1e-4);
    }
}

TEST(HeightmapField, ContinuesFlatBeyondItsBorders) {
    const HeightmapField field(std::make_shared<Heightmap>(2, 2, std::vector<std::uint16_t>{0, 65'535, 0, 65'535}),
                               {.pixel_size = 10, .height_scale = 100, .origin_x = 5});
    EXPECT_EQ(field.density_at({-1e12, 0, 3}), 0);
    EXPECT_EQ(field.density_at({1e12, 0, -1e300}), -100);
    EXPECT_FLOAT_EQ(field.density_at({10, 0, 5}), -50);
    EXPECT_EQ(field.gradient_at({500, 0, 500}, 1), (Gradient{0, 1, 0}));
    EXPECT_TRUE(std::isfinite(field.density_at({std::nan(""), 0, 0})));
}

}  // namespace
}  // namespace quarry::terrain
