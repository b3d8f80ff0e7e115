#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <quarry/c.h>
#include <unistd.h>

#include "tests/c/edits_support.hpp"

// Files of edits through the C API.
namespace {

// A file that is not there, and is taken away again.
class Place {
  public:
    Place() : path_(testing::TempDir() + "c_api_" + std::to_string(getpid()) + ".quarry") { remove(); }
    ~Place() { remove(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    const char* path() const { return path_.c_str(); }

  private:
    void remove() {
        for (const char* ending : {"", "-wal", "-shm"}) std::remove((path_ + ending).c_str());
    }
    std::string path_;
};

quarry_world_file_stats stats_of(const quarry_world_file* file) {
    quarry_world_file_stats stats{};
    stats.size = sizeof stats;
    EXPECT_EQ(quarry_world_file_get_stats(file, &stats), QUARRY_OK) << quarry_last_error();
    return stats;
}

TEST(CApi, AFileOfEditsShowsTheSameHolesWhenItIsOpenedAgain) {
    const Place place;
    quarry_edits* edits = edits_of_a_ball();
    quarry_world_file_options options{};
    quarry_world_file_options_init(&options);
    options.ground = 7;
    quarry_world_file* file = quarry_world_file_open(edits, place.path(), &options);
    ASSERT_NE(file, nullptr) << quarry_last_error();
    const quarry_edit dig = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 5);
    ASSERT_EQ(quarry_edits_apply(edits, &dig, nullptr), QUARRY_OK);
    const std::uint64_t hash = quarry_edits_hash(edits);
    ASSERT_EQ(quarry_world_file_save(file), QUARRY_OK) << quarry_last_error();
    EXPECT_EQ(stats_of(file).saved, 1U);
    EXPECT_STREQ(quarry_world_file_problem(file), "");
    // Edits that are freed first stay until the file is closed.
    quarry_edits_free(edits);
    quarry_world_file_close(file);

    quarry_edits* again = edits_of_a_ball();
    file = quarry_world_file_open(again, place.path(), &options);
    ASSERT_NE(file, nullptr) << quarry_last_error();
    const quarry_box box{-1, -1, -1, 1, 1, 1};
    ASSERT_EQ(quarry_world_file_load(file, &box), QUARRY_OK) << quarry_last_error();
    quarry_field* field = quarry_edits_field(again);
    EXPECT_GT(density_at(field, 0, 0, 0), 0);
    quarry_field_free(field);
    ASSERT_EQ(quarry_world_file_load(file, nullptr), QUARRY_OK) << quarry_last_error();
    EXPECT_EQ(quarry_edits_hash(again), hash);
    const quarry_box* boxes = nullptr;
    std::size_t found = 0;
    const double here[] = {0, 0, 0};
    ASSERT_EQ(quarry_world_file_update(file, here, 1, &boxes, &found), QUARRY_OK);
    ASSERT_GT(found, 0U);
    EXPECT_LE(boxes[0].low_x, 5);
    EXPECT_EQ(stats_of(file).is_loaded, 1);
    EXPECT_EQ(stats_of(file).edits, 1U);
    quarry_world_file_close(file);
    quarry_edits_free(again);

    quarry_world_file_info info{};
    info.size = sizeof info;
    ASSERT_EQ(quarry_world_file_get_info(place.path(), &info), QUARRY_OK) << quarry_last_error();
    EXPECT_EQ(info.ground, 7U);
    EXPECT_EQ(info.edits, 1U);
    EXPECT_EQ(info.voxel_size, 1);
    char text[100];
    std::size_t length = 9;
    std::uint64_t bricks = 0;
    ASSERT_EQ(quarry_world_file_check(place.path(), text, sizeof text, &length, &bricks), QUARRY_OK);
    EXPECT_EQ(length, 0U) << text;
    EXPECT_EQ(bricks, info.bricks + info.paint_bricks);
}

TEST(CApi, FilesOfEditsRefuseWhatIsNotAllowed) {
    const Place place;
    quarry_edits* edits = edits_of_a_ball();
    quarry_world_file_options options{};
    quarry_world_file_options_init(&options);
    EXPECT_EQ(quarry_world_file_open(nullptr, place.path(), nullptr), nullptr);
    EXPECT_EQ(quarry_world_file_open(edits, nullptr, nullptr), nullptr);
    options.batch_ms = -1;
    EXPECT_EQ(quarry_world_file_open(edits, place.path(), &options), nullptr);
    EXPECT_NE(std::string(quarry_last_error()).find("batch"), std::string::npos);
    options.batch_ms = 60'001;
    EXPECT_EQ(quarry_world_file_open(edits, place.path(), &options), nullptr);
    options.size = 0;
    EXPECT_EQ(quarry_world_file_open(edits, place.path(), &options), nullptr);
    EXPECT_EQ(quarry_world_file_open(edits, "/nowhere/at/all", nullptr), nullptr);
    EXPECT_NE(std::string(quarry_last_error()).find("/nowhere/at/all"), std::string::npos);
    quarry_world_file_info info{};
    info.size = sizeof info;
    EXPECT_EQ(quarry_world_file_get_info("/nowhere/at/all", &info), QUARRY_FAILED);
    std::size_t length = 0;
    EXPECT_EQ(quarry_world_file_check("/nowhere/at/all", nullptr, 0, &length, nullptr), QUARRY_FAILED);
    EXPECT_EQ(quarry_world_file_check(nullptr, nullptr, 0, &length, nullptr), QUARRY_INVALID);
    EXPECT_EQ(quarry_world_file_update(nullptr, nullptr, 0, nullptr, nullptr), QUARRY_INVALID);
    EXPECT_EQ(quarry_world_file_load(nullptr, nullptr), QUARRY_INVALID);
    EXPECT_EQ(quarry_world_file_save(nullptr), QUARRY_INVALID);
    EXPECT_STREQ(quarry_world_file_problem(nullptr), "");
    quarry_world_file_options_init(nullptr);
    quarry_world_file_close(nullptr);

    const quarry_edit dig = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 5);
    ASSERT_EQ(quarry_edits_apply(edits, &dig, nullptr), QUARRY_OK);
    EXPECT_EQ(quarry_world_file_open(edits, place.path(), nullptr), nullptr);
    EXPECT_FALSE(std::ifstream(place.path()).good());
    quarry_edits_free(edits);
}

}  // namespace
