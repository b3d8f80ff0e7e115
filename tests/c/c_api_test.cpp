#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <quarry/c.h>
#include <unistd.h>

// The C API as another language calls it; only through c.h.
namespace {

std::int64_t soon() {
    return quarry_now_ns() + 60'000'000'000;
}

TEST(CApi, SaysItsVersion) {
    EXPECT_EQ(quarry_c_version(), QUARRY_C_VERSION);
    EXPECT_EQ(std::string(quarry_version()).find("0."), 0U);
}

TEST(CApi, FreeingNothingDoesNothing) {
    quarry_engine_free(nullptr);
    EXPECT_EQ(quarry_results_count(nullptr), 0U);
    quarry_results_free(nullptr);
    quarry_payload_free(nullptr);
    quarry_worker_close(nullptr);
    quarry_clock_free(nullptr);
    quarry_ledger_free(nullptr);
    quarry_field_free(nullptr);
    quarry_chunk_free(nullptr);
    quarry_mesh_free(nullptr);
}

TEST(CApi, NullIsAnErrorNotACrash) {
    std::uint64_t id = 0;
    EXPECT_EQ(quarry_engine_submit(nullptr, "x", nullptr, 0, nullptr, &id, nullptr), QUARRY_INVALID);
    EXPECT_NE(std::string(quarry_last_error()).find("NULL"), std::string::npos);
    EXPECT_EQ(quarry_engine_new(nullptr), nullptr);
    EXPECT_EQ(quarry_engine_wait(nullptr, nullptr, 0, 0), QUARRY_INVALID);
    EXPECT_EQ(quarry_bake(nullptr, 0), nullptr);
    EXPECT_EQ(quarry_worker_finish(nullptr), QUARRY_INVALID);
    EXPECT_EQ(quarry_worker_open(), nullptr) << "nobody has started this process as a worker";
    EXPECT_NE(std::string(quarry_last_error()).find("QUARRY_CHANNEL"), std::string::npos);
}

#if defined(QUARRY_C_WORKER)
class CEngine : public testing::Test {
  protected:
    CEngine() {
        quarry_engine_options options;
        quarry_engine_options_init(&options);
        options.workers = 2;
        options.command = command_;
        options.heartbeat_ms = 10'000;
        engine_ = quarry_engine_new(&options);
    }
    ~CEngine() override { quarry_engine_free(engine_); }

    const char* const command_[3] = {QUARRY_C_WORKER, "worker", nullptr};
    quarry_engine* engine_ = nullptr;
};

TEST_F(CEngine, RunsJobsOfAWorkerInC) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    EXPECT_EQ(quarry_engine_ready(engine_), 0);
    const int seven = 7;
    std::uint64_t id = 0;
    ASSERT_EQ(quarry_engine_submit(engine_, "square", &seven, sizeof seven, nullptr, &id, nullptr), QUARRY_OK);
    ASSERT_EQ(quarry_engine_wait(engine_, &id, 1, soon()), QUARRY_OK);
    std::size_t count = 0;
    quarry_results* results = quarry_engine_poll(engine_, 10, -1, &count);
    ASSERT_EQ(count, 1U);
    EXPECT_EQ(quarry_results_count(results), 1U);
    const quarry_result* result = quarry_results_get(results);
    EXPECT_EQ(result->id, id);
    EXPECT_EQ(result->status, QUARRY_STATUS_OK);
    EXPECT_EQ(result->type, quarry_type_hash("square"));
    int answer = 0;
    ASSERT_EQ(result->length, sizeof answer);
    std::memcpy(&answer, result->payload, sizeof answer);
    EXPECT_EQ(answer, 49);
    EXPECT_EQ(quarry_results_detach(results, 0), nullptr) << "a small one is copied";
    quarry_results_free(results);
    EXPECT_EQ(quarry_engine_poll(engine_, 10, -1, &count), nullptr);
    EXPECT_EQ(count, 0U);
}

TEST_F(CEngine, RefusesAndFailsWithReasons) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    std::uint64_t id = 0;
    int refusal = 0;
    EXPECT_EQ(quarry_engine_submit(engine_, "cube", nullptr, 0, nullptr, &id, &refusal), QUARRY_REFUSED);
    EXPECT_EQ(refusal, QUARRY_REFUSAL_UNKNOWN_TYPE);
    EXPECT_STREQ(quarry_last_error(), quarry_refusal_text(refusal));
    ASSERT_EQ(quarry_engine_submit(engine_, "square", "xyz", 3, nullptr, &id, &refusal), QUARRY_OK);
    ASSERT_EQ(quarry_engine_drain(engine_, soon()), QUARRY_OK);
    std::size_t count = 0;
    quarry_results* results = quarry_engine_poll(engine_, 10, -1, &count);
    ASSERT_EQ(count, 1U);
    EXPECT_EQ(quarry_results_get(results)->status, QUARRY_STATUS_ERROR);
    EXPECT_STREQ(quarry_results_get(results)->text, "square takes one int");
    quarry_results_free(results);
    quarry_job_options options;
    quarry_job_options_init(&options);
    options.priority = 9;
    EXPECT_EQ(quarry_engine_submit(engine_, "square", nullptr, 0, &options, &id, &refusal), QUARRY_INVALID);
    options.priority = QUARRY_PRIORITY_HIGH;
    options.size = 1'000;
    EXPECT_EQ(quarry_engine_submit(engine_, "square", nullptr, 0, &options, &id, &refusal), QUARRY_INVALID);
}

TEST_F(CEngine, PartsArePutBehindEachOther) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    const int seven = 7;
    const void* parts[] = {&seven, nullptr, reinterpret_cast<const char*>(&seven) + 2};
    const std::size_t lengths[] = {2, 0, 2};
    const std::uint64_t id = quarry_engine_send_parts(engine_, "square", parts, lengths, 3, nullptr);
    ASSERT_NE(id, 0U) << quarry_last_error();
    ASSERT_EQ(quarry_engine_wait(engine_, &id, 1, soon()), QUARRY_OK);
    std::size_t count = 0;
    quarry_results* results = quarry_engine_poll(engine_, 10, -1, &count);
    ASSERT_EQ(count, 1U);
    int answer = 0;
    ASSERT_EQ(quarry_results_get(results)->length, sizeof answer);
    std::memcpy(&answer, quarry_results_get(results)->payload, sizeof answer);
    EXPECT_EQ(answer, 49);
    quarry_results_free(results);
}

TEST_F(CEngine, SendSaysWhyNot) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    EXPECT_EQ(quarry_engine_send(engine_, "cube", nullptr, 0, nullptr), 0U);
    EXPECT_EQ(quarry_last_refusal(), QUARRY_REFUSAL_UNKNOWN_TYPE);
    EXPECT_EQ(quarry_engine_send(engine_, nullptr, nullptr, 0, nullptr), 0U);
    EXPECT_EQ(quarry_last_refusal(), QUARRY_REFUSAL_NONE);
    EXPECT_NE(std::string(quarry_last_error()).find("NULL"), std::string::npos);
    EXPECT_NE(quarry_engine_send(engine_, "square", "1234", 4, nullptr), 0U);
}

TEST_F(CEngine, ManyAtOnceAndFigures) {
    ASSERT_NE(engine_, nullptr) << quarry_last_error();
    constexpr std::size_t kJobs = 300;
    std::vector<int> numbers(kJobs, 3);
    std::vector<const void*> payloads;
    for (const int& number : numbers) payloads.push_back(&number);
    const std::vector<std::size_t> lengths(kJobs, sizeof(int));
    std::vector<std::uint64_t> ids(kJobs);
    std::size_t accepted = 0;
    ASSERT_EQ(quarry_engine_submit_many(engine_, "square", kJobs, payloads.data(), lengths.data(), nullptr, ids.data(),
                                        &accepted, nullptr),
              QUARRY_OK);
    EXPECT_EQ(accepted, kJobs);
    ASSERT_EQ(quarry_engine_wait(engine_, ids.data(), ids.size(), soon()), QUARRY_OK);
    quarry_engine_stats stats{};
    EXPECT_EQ(quarry_engine_get_stats(engine_, &stats), QUARRY_INVALID) << "its size is not set";
    stats.size = sizeof stats;
    ASSERT_EQ(quarry_engine_get_stats(engine_, &stats), QUARRY_OK);
    EXPECT_EQ(stats.ok, kJobs);
    EXPECT_EQ(stats.results, kJobs);
    EXPECT_GT(stats.memory_bound, 0U);
    std::vector<quarry_worker_health> health(5);
    ASSERT_EQ(quarry_engine_get_health(engine_, health.data(), health.size()), 2U);
    EXPECT_EQ(health[0].alive, 1);
    EXPECT_EQ(health[0].jobs + health[1].jobs, kJobs);
    quarry_shutdown_report report{};
    EXPECT_EQ(quarry_engine_shutdown(engine_, 10'000'000'000, &report), QUARRY_OK);
    EXPECT_EQ(report.exited, 2);
    int refusal = 0;
    EXPECT_EQ(quarry_engine_broadcast(engine_, "key", "x", 1, &refusal), QUARRY_REFUSED);
    EXPECT_EQ(refusal, QUARRY_REFUSAL_SHUT_DOWN);
}

TEST(CApi, AMissingWorkerIsSaid) {
    const char* const command[] = {"/no/such/worker", nullptr};
    quarry_engine_options options;
    quarry_engine_options_init(&options);
    options.command = command;
    EXPECT_EQ(quarry_engine_new(&options), nullptr);
    EXPECT_NE(std::string(quarry_last_error()).find("/no/such/worker"), std::string::npos);
    options.workers = 0;
    EXPECT_EQ(quarry_engine_new(&options), nullptr);
    EXPECT_NE(std::string(quarry_last_error()).find("1 to 256"), std::string::npos);
}
#endif

TEST(CApi, WhyAWorkerCouldNotBeStartedCanBeAsked) {
    quarry_engine_options options;
    quarry_engine_options_init(&options);
    const char* const command[] = {"/bin/false", nullptr};
    options.command = command;
    options.workers = 1;
    options.wait = 0;
    quarry_engine* engine = quarry_engine_new(&options);
    ASSERT_NE(engine, nullptr) << quarry_last_error();
    const std::int64_t end = soon();
    while (quarry_engine_ready(engine) != 2 && quarry_now_ns() < end) {
    }
    std::size_t length = 0;
    EXPECT_EQ(quarry_engine_failure(engine, nullptr, 0, &length), QUARRY_INVALID);
    ASSERT_GT(length, 0U);
    std::string text(length + 1, 'x');
    EXPECT_EQ(quarry_engine_failure(engine, text.data(), length, &length), QUARRY_INVALID);
    EXPECT_EQ(quarry_engine_failure(engine, text.data(), length + 1, &length), QUARRY_OK);
    EXPECT_NE(text.find("exited with status 1"), std::string::npos) << text;
    quarry_engine_free(engine);
}

TEST(CApi, ClockAndLedger) {
    EXPECT_EQ(quarry_clock_new(0, 3), nullptr);
    quarry_clock* clock = quarry_clock_new(100, 3);
    ASSERT_NE(clock, nullptr);
    EXPECT_EQ(quarry_clock_advance(clock, 1'000'000'000, nullptr), 0);
    EXPECT_EQ(quarry_clock_next_step_ns(clock), 1'010'000'000);
    std::int64_t dropped = -1;
    EXPECT_EQ(quarry_clock_advance(clock, 1'025'000'000, &dropped), 2);
    EXPECT_EQ(dropped, 0);
    EXPECT_DOUBLE_EQ(quarry_clock_interpolation(clock), 0.5);
    EXPECT_EQ(quarry_clock_advance(clock, 2'000'000'000, &dropped), 3);
    EXPECT_GT(dropped, 0);
    quarry_clock_free(clock);

    quarry_ledger* ledger = quarry_ledger_new(0, 1);
    ASSERT_NE(ledger, nullptr);
    std::uint64_t frame = 0;
    ASSERT_EQ(quarry_ledger_begin_frame(ledger, &frame), QUARRY_OK);
    EXPECT_EQ(frame, 1U);
    const std::uint32_t first = quarry_ledger_submitted(ledger);
    const std::uint32_t second = quarry_ledger_submitted(ledger);
    quarry_ledger_withdrawn(ledger, quarry_ledger_submitted(ledger));
    int apply = -1;
    EXPECT_EQ(quarry_ledger_returned(ledger, first, &apply), QUARRY_OK);
    EXPECT_EQ(apply, 1);
    ASSERT_EQ(quarry_ledger_end_frame(ledger), QUARRY_OK);
    for (int i = 0; i < 3; ++i) quarry_ledger_begin_frame(ledger, nullptr);
    EXPECT_EQ(quarry_ledger_returned(ledger, second, &apply), QUARRY_OK);
    EXPECT_EQ(apply, 0);
    quarry_ledger_stats stats{};
    stats.size = sizeof stats;
    ASSERT_EQ(quarry_ledger_get_stats(ledger, &stats), QUARRY_OK);
    EXPECT_EQ(stats.submitted, 3U);
    EXPECT_EQ(stats.returned, 2U);
    EXPECT_EQ(stats.withdrawn, 1U);
    EXPECT_EQ(stats.stale, 1U);
    std::size_t length = 0;
    EXPECT_EQ(quarry_ledger_json(ledger, nullptr, 0, &length), QUARRY_INVALID);
    std::string json(length + 1, '\0');
    EXPECT_EQ(quarry_ledger_json(ledger, json.data(), json.size(), &length), QUARRY_OK);
    EXPECT_EQ(json[0], '{');
    quarry_ledger_free(ledger);
}

TEST(CApi, ManyChunksAtOnceAreTheSameAsOneByOne) {
    quarry_field* field = quarry_field_noise(42, 4, 0.02, 32);
    ASSERT_NE(field, nullptr) << quarry_last_error();
    const std::vector<quarry_chunk_key> keys{{0, 0, 0, 0}, {0, 0, 50, 0}, {1, 0, -1, 0}};
    const std::vector<std::uint32_t> masks{0, 0, 63};
    std::vector<quarry_mesh*> meshes(keys.size());
    ASSERT_EQ(quarry_mesh_chunks(field, keys.data(), masks.data(), keys.size(), 32, 1, 2, meshes.data()), QUARRY_OK);
    EXPECT_EQ(meshes[1], nullptr) << "it lies in the air";
    for (const std::size_t i : {0U, 2U}) {
        quarry_chunk* chunk = quarry_extract(field, keys[i], 32, 1);
        quarry_mesh* alone = quarry_bake(chunk, masks[i]);
        quarry_mesh_view expected;
        quarry_mesh_view view;
        ASSERT_EQ(quarry_mesh_get(alone, &expected), QUARRY_OK);
        ASSERT_EQ(quarry_mesh_get(meshes[i], &view), QUARRY_OK);
        ASSERT_EQ(view.vertices, expected.vertices);
        EXPECT_GT(view.vertices, 0U);
        EXPECT_EQ(std::memcmp(view.positions, expected.positions, 12 * view.vertices), 0);
        quarry_mesh_free(alone);
        quarry_mesh_free(meshes[i]);
        quarry_chunk_free(chunk);
    }
    EXPECT_EQ(quarry_mesh_chunks(field, keys.data(), nullptr, 3, 31, 1, 2, meshes.data()), QUARRY_INVALID);
    EXPECT_EQ(meshes[0], nullptr);
    quarry_field_free(field);
}

TEST(CApi, TerrainFromAFieldToAFile) {
    EXPECT_EQ(quarry_field_from_json("{", "."), nullptr);
    EXPECT_NE(std::string(quarry_last_error()), "");
    quarry_field* field = quarry_field_noise(42, 4, 0.02, 32);
    ASSERT_NE(field, nullptr);
    const double places[] = {0, -100, 0, 0, 100, 0};
    float densities[2] = {};
    ASSERT_EQ(quarry_field_densities(field, places, 2, densities), QUARRY_OK);
    EXPECT_LT(densities[0], 0);
    EXPECT_GT(densities[1], 0);
    EXPECT_EQ(quarry_extract(field, {0, 0, 0, 0}, 33, 1), nullptr) << "an odd number of cells";
    quarry_chunk* chunk = nullptr;
    for (int y = -1; y < 1 && (chunk == nullptr || quarry_chunk_content(chunk) != 2); ++y) {
        quarry_chunk_free(chunk);
        chunk = quarry_extract(field, {0, 0, y, 0}, 32, 1);
    }
    ASSERT_NE(chunk, nullptr);
    ASSERT_EQ(quarry_chunk_content(chunk), 2);
    EXPECT_EQ(quarry_bake(chunk, 64), nullptr);
    quarry_mesh* mesh = quarry_bake(chunk, 0);
    ASSERT_NE(mesh, nullptr);
    quarry_chunk_free(chunk);
    quarry_mesh_view view{};
    ASSERT_EQ(quarry_mesh_get(mesh, &view), QUARRY_OK);
    ASSERT_GT(view.vertices, 100U);
    ASSERT_NE(view.short_indices, nullptr);
    EXPECT_EQ(view.indices % 3, 0U);
    EXPECT_NEAR(std::hypot(view.normals[0], view.normals[1], view.normals[2]), 1, 1e-4);
    for (std::size_t i = 0; i < view.indices; ++i) ASSERT_LT(view.short_indices[i], view.vertices);
    const std::string path = testing::TempDir() + "quarry_c_api.glb";
    const quarry_mesh* all[] = {mesh};
    ASSERT_EQ(quarry_export(all, 1, QUARRY_FORMAT_GLB, 32, 1, 0, path.c_str()), QUARRY_OK) << quarry_last_error();
    std::string head(4, '\0');
    std::ifstream(path, std::ios::binary).read(head.data(), 4);
    EXPECT_EQ(head, "glTF");
    std::remove(path.c_str());
    EXPECT_EQ(quarry_export(all, 1, QUARRY_FORMAT_GLB, 32, 1, 0, "/no/such/folder/x.glb"), QUARRY_FAILED);
    EXPECT_EQ(quarry_export(all, 1, 9, 32, 1, 0, path.c_str()), QUARRY_INVALID);
    EXPECT_EQ(quarry_export(all, 1, -1, 32, 1, 0, path.c_str()), QUARRY_INVALID);
    EXPECT_EQ(quarry_export(all, 1, QUARRY_FORMAT_STL + 1, 32, 1, 0, path.c_str()), QUARRY_INVALID)
        << "there is a format that quarry/c/export.h does not name";
    quarry_mesh_free(mesh);
    quarry_field_free(field);
}

quarry_edit edit_of(int kind, double x, double y, double z, float radius) {
    quarry_edit edit{};
    quarry_edit_init(&edit);
    edit.kind = kind;
    edit.x = x;
    edit.y = y;
    edit.z = z;
    edit.radius = radius;
    return edit;
}

float density_at(const quarry_field* field, double x, double y, double z) {
    const double place[] = {x, y, z};
    float density = 0;
    EXPECT_EQ(quarry_field_densities(field, place, 1, &density), QUARRY_OK) << quarry_last_error();
    return density;
}

TEST(CApi, GroundIsDugUndoneAndRedoneAndAnEarlierViewStaysAsItWas) {
    quarry_field* ground =
        quarry_field_from_json(R"({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 20}})", nullptr);
    ASSERT_NE(ground, nullptr) << quarry_last_error();
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    ASSERT_NE(edits, nullptr) << quarry_last_error();
    quarry_field_free(ground);
    const std::uint64_t untouched = quarry_edits_hash(edits);
    quarry_field* before = quarry_edits_field(edits);

    quarry_edit dig = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 5);
    dig.stroke = 7;
    quarry_edit_report report{};
    report.size = sizeof report;
    ASSERT_EQ(quarry_edits_apply(edits, &dig, &report), QUARRY_OK) << quarry_last_error();
    EXPECT_EQ(report.done, 1);
    EXPECT_GT(report.samples, 500U);
    EXPECT_LE(report.low_x, -4);
    EXPECT_GE(report.high_z, 4);
    quarry_field* after = quarry_edits_field(edits);
    EXPECT_LT(density_at(before, 0, 0, 0), 0);
    EXPECT_GT(density_at(after, 0, 0, 0), 0);
    EXPECT_NE(quarry_edits_hash(edits), untouched);

    quarry_edit undo{};
    undo.size = sizeof undo;
    ASSERT_EQ(quarry_edits_undo_of(edits, 0, &undo), QUARRY_OK);
    EXPECT_EQ(undo.kind, QUARRY_EDIT_UNDO);
    EXPECT_EQ(undo.stroke, 7U);
    EXPECT_EQ(quarry_edits_redo_of(edits, 0, &undo), QUARRY_NONE);
    ASSERT_EQ(quarry_edits_apply(edits, &undo, nullptr), QUARRY_OK);
    EXPECT_EQ(quarry_edits_hash(edits), untouched);
    ASSERT_EQ(quarry_edits_redo_of(edits, 0, &undo), QUARRY_OK);
    ASSERT_EQ(quarry_edits_apply(edits, &undo, &report), QUARRY_OK);
    EXPECT_EQ(report.done, 1);
    quarry_edits_stats stats{};
    stats.size = sizeof stats;
    ASSERT_EQ(quarry_edits_get_stats(edits, &stats), QUARRY_OK);
    EXPECT_EQ(stats.applied, 3U);
    EXPECT_EQ(stats.strokes, 1U);
    EXPECT_GT(stats.bricks, 0U);
    quarry_field_free(before);
    quarry_field_free(after);
    quarry_edits_free(edits);
}

quarry_edits* edits_of_a_ball() {
    quarry_field* ground =
        quarry_field_from_json(R"({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 20}})", nullptr);
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    quarry_field_free(ground);
    return edits;
}

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

TEST(CApi, PaintShowsInTheMeshAlsoWhereTheGroundHasNoMaterials) {
    quarry_field* ground =
        quarry_field_from_json(R"({"field": {"type": "sphere", "centre": [16, 16, 16], "radius": 10}})", nullptr);
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    ASSERT_NE(edits, nullptr) << quarry_last_error();
    quarry_edit paint = edit_of(QUARRY_EDIT_PAINT, 16, 26, 16, 8);
    paint.material = 2;
    ASSERT_EQ(quarry_edits_apply(edits, &paint, nullptr), QUARRY_OK) << quarry_last_error();
    quarry_field* painted = quarry_edits_field(edits);
    quarry_chunk* chunk = quarry_extract(painted, {0, 0, 0, 0}, 32, 1);
    quarry_mesh* mesh = quarry_bake(chunk, 0);
    ASSERT_NE(mesh, nullptr) << quarry_last_error();
    quarry_mesh_view view{};
    ASSERT_EQ(quarry_mesh_get(mesh, &view), QUARRY_OK);
    ASSERT_NE(view.materials, nullptr);
    std::size_t second = 0;
    std::size_t none = 0;
    for (std::size_t i = 0; i < view.vertices; ++i) {
        if (view.materials[4 * i + 2] == 255) ++second;
        if (view.materials[4 * i] == 255) ++none;
    }
    EXPECT_GT(second, 50U);
    EXPECT_GT(none, 50U);
    quarry_mesh_free(mesh);
    quarry_chunk_free(chunk);
    quarry_field_free(painted);
    quarry_edits_free(edits);
    quarry_field_free(ground);
}

TEST(CApi, StampsAreBrushes) {
    quarry_field* ground = quarry_field_noise(1, 4, 0.02, 32);
    quarry_field* ball =
        quarry_field_from_json(R"({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 4}})", nullptr);
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    const int stamp = quarry_edits_add_stamp(edits, ball, 5);
    ASSERT_EQ(stamp, 0) << quarry_last_error();
    EXPECT_EQ(quarry_edits_add_stamp(edits, ball, -1), -1);
    quarry_edit add = edit_of(QUARRY_EDIT_ADD, 0, 200, 0, 5);
    add.shape = QUARRY_BRUSH_STAMP;
    add.stamp = static_cast<std::uint32_t>(stamp);
    ASSERT_EQ(quarry_edits_apply(edits, &add, nullptr), QUARRY_OK) << quarry_last_error();
    quarry_field* now = quarry_edits_field(edits);
    EXPECT_LT(density_at(now, 0, 200, 0), 0);
    EXPECT_GT(density_at(now, 0, 206, 0), 0);
    for (quarry_field* field : {ground, ball, now}) quarry_field_free(field);
    quarry_edits_free(edits);
}

TEST(CApi, WrongEditsChangeNothingAndSayWhy) {
    quarry_field* ground = quarry_field_noise(1, 4, 0.02, 32);
    EXPECT_EQ(quarry_edits_new(nullptr, 1, 0), nullptr);
    EXPECT_EQ(quarry_edits_new(ground, -1, 0), nullptr);
    EXPECT_EQ(quarry_edits_new(ground, 1, 1), nullptr);
    quarry_edits* edits = quarry_edits_new(ground, 1, 0);
    const std::uint64_t untouched = quarry_edits_hash(edits);
    const auto refused = [&](quarry_edit edit) {
        EXPECT_EQ(quarry_edits_apply(edits, &edit, nullptr), QUARRY_INVALID);
        EXPECT_STRNE(quarry_last_error(), "");
    };
    refused(edit_of(9, 0, 0, 0, 1));
    refused(edit_of(-1, 0, 0, 0, 1));
    refused(edit_of(QUARRY_EDIT_DIG, std::nan(""), 0, 0, 1));
    refused(edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 1e9F));
    quarry_edit edit = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 1);
    edit.editor = 70'000;
    refused(edit);
    edit = edit_of(QUARRY_EDIT_PAINT, 0, 0, 0, 1);
    edit.material = -1;
    refused(edit);
    edit = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 1);
    edit.size = sizeof edit + 8;
    refused(edit);
    EXPECT_EQ(quarry_edits_apply(edits, nullptr, nullptr), QUARRY_INVALID);
    quarry_edit_report report{};
    edit = edit_of(QUARRY_EDIT_DIG, 0, 0, 0, 1);
    EXPECT_EQ(quarry_edits_apply(edits, &edit, &report), QUARRY_INVALID) << "its size is 0";
    EXPECT_EQ(quarry_edits_hash(edits), untouched);
    EXPECT_EQ(quarry_edits_field(nullptr), nullptr);
    quarry_edits_free(nullptr);
    quarry_edits_free(edits);
    quarry_field_free(ground);
}

}  // namespace
