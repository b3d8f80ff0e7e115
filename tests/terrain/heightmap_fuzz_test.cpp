// Whatever bytes come, a reader reads them or throws quarry::Error with one line.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/heightmap.hpp"
#include "tests/terrain/png_maker.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

using test_support::Bytes;

constexpr int kRounds = 4000;

Bytes small_png(Random& random) {
    const test_support::PngKind kind{random.integer(0, 1) == 0 ? 8 : 16, 0, random.integer(0, 3) == 0};
    const std::int32_t width = random.integer(1, 12);
    const std::int32_t height = random.integer(1, 12);
    std::vector<std::uint16_t> values(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(random.integer(0, 65'535));
    return grey_png(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), kind, values);
}

bool reads(const Bytes& png) {
    try {
        const Heightmap map = parse_png_heightmap(png, "fuzz.png");
        EXPECT_EQ(map.levels().back().values.size(), 1u);
        return true;
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_TRUE(message.starts_with("fuzz.png: ")) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        return false;
    }
}

void damage(Random& random, Bytes& bytes) {
    const auto place = [&] {
        return static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(bytes.size()) - 1));
    };
    for (int i = random.integer(1, 4); i > 0 && !bytes.empty(); --i) {
        const std::size_t at = place();
        const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        switch (random.integer(0, 4)) {
            case 0:
                bytes[at] ^= static_cast<std::byte>(1 << random.integer(0, 7));
                break;
            case 1:
                bytes[at] = static_cast<std::byte>(random.integer(0, 255));
                break;
            case 2:
                bytes.insert(here, static_cast<std::byte>(random.integer(0, 255)));
                break;
            case 3:
                bytes.erase(here);
                break;
            default:
                bytes[at] = bytes[place()];
        }
    }
}

TEST(HeightmapFuzz, DamagedPngsAreReadOrRefused) {
    Random random(311);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    int read = 0;
    for (int round = 0; round < kRounds; ++round) {
        Bytes png = small_png(random);
        damage(random, png);
        // Most damage is found by checksums; to get further in, half of the files have right ones.
        if (round % 2 == 0) test_support::mend_checksums(png);
        read += reads(png) ? 1 : 0;
    }
    EXPECT_GT(read, 0);
    EXPECT_LT(read, kRounds * 9 / 10);
}

TEST(HeightmapFuzz, PngsCutAnywhereAreRefused) {
    Random random(312);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int file = 0; file < 4; ++file) {
        Bytes png = small_png(random);
        ASSERT_TRUE(reads(png));
        while (!png.empty()) {
            png.pop_back();
            ASSERT_FALSE(reads(png)) << png.size();
        }
    }
}

TEST(HeightmapFuzz, RandomBytesAreRefused) {
    Random random(313);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const Bytes signature = small_png(random);
    for (int round = 0; round < kRounds; ++round) {
        Bytes bytes(static_cast<std::size_t>(random.integer(0, 200)));
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.integer(0, 255));
        // With the beginning of a PNG, of some length.
        std::copy_n(signature.begin(), std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(round % 40)),
                    bytes.begin());
        ASSERT_FALSE(reads(bytes));
    }
}

TEST(HeightmapFuzz, RawFilesAreReadExactlyWhereTheirSizeFits) {
    Random random(314);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    int read = 0;
    for (int round = 0; round < kRounds; ++round) {
        const std::int32_t width = random.integer(-1, 9);
        const std::int32_t height = random.integer(-1, 9);
        const bool is_size = width > 0 && height > 0;
        // Every fourth fits.
        const Bytes raw(
            static_cast<std::size_t>(is_size && round % 4 == 0 ? 2 * width * height : random.integer(0, 40)),
            std::byte{77});
        const bool fits = is_size && raw.size() == static_cast<std::size_t>(2 * width * height);
        try {
            parse_raw_heightmap(raw, width, height, "fuzz.r16");
            ASSERT_TRUE(fits);
            ++read;
        } catch (const Error& error) {
            ASSERT_FALSE(fits) << error.what();
        }
    }
    EXPECT_GT(read, kRounds / 20);
}

}  // namespace
}  // namespace quarry::terrain
