#include "preview/image.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include "preview/half_blocks.hpp"

namespace quarry::app::preview {
namespace {

class Folder {
  public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("quarry_image_test_" + std::to_string(getpid()))) {
        std::filesystem::create_directory(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    std::filesystem::path operator/(const char* name) const { return path_ / name; }
    std::size_t files() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
        return count;
    }

  private:
    std::filesystem::path path_;
};

Image random_image(int width, int height) {
    Image image(width, height);
    std::uint32_t state = 1;
    const auto next = [&] {
        state = state * 1'664'525U + 1'013'904'223U;
        return static_cast<std::uint8_t>(state >> 24);
    };
    for (Pixel& pixel : image.pixels) pixel = {next(), next(), next()};
    return image;
}

Image read_png(const std::filesystem::path& path) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_file(&png, path.c_str()), 0) << static_cast<const char*>(png.message);
    png.format = PNG_FORMAT_RGB;
    Image image(static_cast<int>(png.width), static_cast<int>(png.height));
    EXPECT_NE(png_image_finish_read(&png, nullptr, image.pixels.data(), 0, nullptr), 0);
    return image;
}

std::string message_of(const std::filesystem::path& path) {
    try {
        write_png(path, Image(2, 2));
    } catch (const PictureError& error) {
        return error.what();
    }
    return "";
}

TEST(Png, ComesBackAsItWasWritten) {
    const Folder folder;
    const Image image = random_image(37, 23);
    write_png(folder / "a.png", image);
    EXPECT_EQ(read_png(folder / "a.png"), image);
    // Once more, over the old one; nothing else is left.
    write_png(folder / "a.png", random_image(5, 4));
    EXPECT_EQ(read_png(folder / "a.png").width, 5);
    EXPECT_EQ(folder.files(), 1u);
}

TEST(Png, ThatCanNotBeWrittenIsOneLineWithPathAndReason) {
    const Folder folder;
    const std::filesystem::path missing = folder / "no" / "such" / "a.png";
    EXPECT_EQ(message_of(missing), "cannot write " + missing.string() + ": No such file or directory");
    const std::filesystem::path taken = folder / "taken";
    std::filesystem::create_directory(taken);
    EXPECT_EQ(message_of(taken), "cannot write " + taken.string() + ": Is a directory");
    EXPECT_EQ(folder.files(), 1u);
    EXPECT_THROW(write_png(folder / "none.png", Image()), PictureError);
    EXPECT_EQ(folder.files(), 1u);
}

TEST(Srgb, KeepsTheEndsAndTheCurve) {
    EXPECT_EQ(to_srgb({0, 1, 2}), (Pixel{0, 255, 255}));
    EXPECT_EQ(to_srgb({-1, 0.2158605F, 0.5F}), (Pixel{0, 128, 188}));
    EXPECT_EQ(to_srgb({std::nanf(""), 0, 0}), Pixel{});
}

TEST(Shrinking, TakesTheMeanOfTheLight) {
    Image image(4, 2);
    for (int x : {0, 1}) {
        image.at(x, 0) = {255, 255, 255};
        image.at(x + 2, 0) = image.at(x + 2, 1) = {10, 20, 30};
    }
    const Image small = shrunk(image, 2, 1);
    ASSERT_EQ(small.width, 2);
    ASSERT_EQ(small.height, 1);
    EXPECT_EQ(small.at(0, 0), (Pixel{188, 188, 188}));
    EXPECT_EQ(small.at(1, 0), (Pixel{10, 20, 30}));
    EXPECT_EQ(shrunk(image, 4, 2), image);
    EXPECT_THROW(shrunk(image, 0, 1), std::invalid_argument);
    EXPECT_THROW(shrunk(image, 5, 1), std::invalid_argument);
}

TEST(HalfBlocks, OfATinyImageAreExact) {
    Image image(3, 3);
    image.at(0, 0) = image.at(1, 0) = {255, 0, 1};
    image.at(0, 1) = image.at(1, 1) = {2, 3, 4};
    image.at(2, 0) = {9, 9, 9};
    image.at(2, 1) = {8, 8, 8};
    image.at(2, 2) = {7, 6, 5};
    EXPECT_EQ(half_blocks(image),
              "\033[38;2;255;0;1m\033[48;2;2;3;4m▀▀\033[38;2;9;9;9m\033[48;2;8;8;8m▀\033[0m\n"
              "\033[38;2;0;0;0m▀▀\033[38;2;7;6;5m▀\033[0m\n");
}

TEST(HalfBlocks, FitTheTerminalAndNeedItsColours) {
    const Image image = random_image(64, 32);
    EXPECT_EQ(picture_text(image, {.colours = false, .columns = 80}), "");
    const std::string text = picture_text(image, {.colours = true, .columns = 16});
    std::size_t lines = 0;
    std::size_t blocks = 0;
    for (std::size_t at = text.find("▀"); at != std::string::npos; at = text.find("▀", at + 1)) ++blocks;
    for (const char c : text) lines += c == '\n' ? 1 : 0;
    EXPECT_EQ(lines, 4u);
    EXPECT_EQ(blocks, 4u * 16u);
    EXPECT_EQ(picture_text(image, {.colours = true, .columns = 200}), half_blocks(image));
}

TEST(TerminalLook, OfAFileHasNoColours) {
    const Folder folder;
    std::FILE* file = std::fopen((folder / "file").c_str(), "w");
    ASSERT_NE(file, nullptr);
    EXPECT_FALSE(TerminalLook::of(file).colours);
    std::fclose(file);
}

}  // namespace
}  // namespace quarry::app::preview
