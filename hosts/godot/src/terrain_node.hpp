#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "chunk_instances.hpp"
#include "chunk_states.hpp"
#include "faults.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/streamer.hpp"
#include "settings.hpp"
#include "shading.hpp"
#include "terrain_collision.hpp"
#include "terrain_edits.hpp"

namespace quarry::godot {

// The node QuarryTerrain: streams a terrain around a viewer. Lives on Godot's main thread.
class TerrainNode {
  public:
    explicit TerrainNode(GDExtensionObjectPtr self) : self_(self), collision_(self) {}
    TerrainNode(const TerrainNode&) = delete;
    TerrainNode& operator=(const TerrainNode&) = delete;

    static constexpr const char* kClass = "QuarryTerrain";
    static void register_class();

    void notification(std::int32_t what) noexcept;
    // Until it is in the tree any thread may have it, such as one that loads a scene; then the host's only.
    bool may_be_called() const noexcept { return !is_in_world_ || std::this_thread::get_id() == thread_; }

    Variant get_property(const Property& property) const { return get(property, settings_); }
    void set_property(const Property& property, const Variant& value);

    // The functions of the node.
    void regenerate();
    void clear();
    bool is_ready_around(const Vec3& position, double radius) const;
    double sample(const Vec3& position);
    // False: nothing has changed.
    bool edit(terrain::Edit edit, const Vec3& position, double radius);
    bool edit_with(const Variant& brush);
    bool flatten(const Vec3& position, double radius, const Vec3& normal, double strength);
    bool raise(const Vec3& position, double radius, double amount);
    bool remove_part(const Vec3& position);
    // Takes a loose piece out, and gives what a body is made of: a Dictionary, empty where there is none.
    Variant take_part(const Vec3& position);
    bool apply_edit(const Variant& bytes);
    void begin_stroke() { edits_.begin_stroke(); }
    bool undo() { return take_back(false); }
    bool redo() { return take_back(true); }
    bool save() { return edits_.save(); }
    bool load(const std::string& file);
    // A signal that is emitted once the ground is there.
    Variant wait_ready_around(const Vec3& position, double radius);
    bool export_mesh(const std::string& file);
    Variant description_resource() const { return description_; }
    void set_description_resource(const Variant& resource);
    Variant material() const { return material_; }
    void set_material(const Variant& material);
    Variant texture(std::size_t layer) const { return textures_[layer]; }
    void set_texture(std::size_t layer, const Variant& texture);
    Variant raycast(const Vec3& from, const Vec3& direction, double reach);
    void add_viewer(const Variant& node);
    void remove_viewer(const Variant& node);
    // A figure for the debugger's list; 0 for a name that there is not.
    double monitor(const std::string& name) const;
    void add_body(const Variant& node);
    void remove_body(const Variant& node);
    bool is_collision_ready_around(const Vec3& position, double radius) const;
    Variant stats() const;
    // Five numbers a chunk that is drawn or on its way: its key, its level and its state.
    Variant chunks() const;
    // What is wrong with what is drawn: a hole, an overlap, a seam. Empty: nothing.
    std::string check_shown();
    // For tests of pictures.
    bool lose_chunk(const Vec3i& key, std::int64_t lod, bool is_lost);
    // For tests: makes the world anew, and the next chunks fail.
    void fail_chunks(const std::string& what, std::int64_t count);

  private:
    // One world with all that is drawn of it. Members die in the opposite order: the streamer first.
    struct World {
        World(std::shared_ptr<Pool> workers, Shading& shading) : pool(std::move(workers)), instances(shading) {}
        std::shared_ptr<Pool> pool;
        ChunkStates states;
        ChunkInstances instances;
        std::unique_ptr<terrain::Streamer> streamer;
    };
    struct Happened {
        enum class Kind { ready, shown, hidden, changed, made, loosened, saved, ready_around, failed };
        Kind kind;
        terrain::ChunkKey key{};
        std::string message{};
        Aabb box{};
        Vec3 place{};
        std::vector<std::byte> bytes{};
    };

    void enter_world();
    void exit_world();
    void process();
    void stream(std::span<const terrain::Viewer> viewers, std::chrono::steady_clock::time_point frame_began);
    void begin_collision(std::span<const terrain::Viewer> viewers);
    void end_collision(std::chrono::steady_clock::time_point frame_began);
    double collision_share(double left) const;
    void take_event(World& world, terrain::StreamEvent& event);
    void look_for_ready(const terrain::Viewer& viewer);
    void follow_transform();

    bool can_edit() const;
    template <class Change>
    terrain::EditReport change(bool is_told, Change make);
    bool take_back(bool again);
    bool remove_loose(const terrain::Position& inside);
    Variant material_of_part(const Vec3& middle);
    void show_change(const terrain::Box& box);
    void bring_from_file(std::span<const terrain::Viewer> viewers);
    void note_change(const terrain::Box& box);
    void note_loose_parts();
    void look_for_awaited();
    void add_monitors();
    void remove_monitors();
    const terrain::Field& ground();

    void build();
    DescribedWorld described() const;
    std::string description_text(std::string& folder) const;
    std::unique_ptr<World> new_world(const DescribedWorld& wanted, bool is_hidden);
    void set_world_stats(Dictionary& all) const;
    terrain::StreamerOptions options_for(const DescribedWorld& wanted, World& world);
    void end_exchange();
    void set_up_shading();

    std::vector<terrain::Viewer> find_viewers();
    std::optional<terrain::Viewer> find_viewer();
    terrain::Viewer viewer_at(GDExtensionObjectPtr node) const;
    GDExtensionObjectPtr viewer_node();
    GDExtensionObjectPtr editor_camera() const;
    terrain::Position to_local(const Vec3& global) const;

    void fail(const std::string& message);
    void fail_chunk(const terrain::ChunkError& error);
    void emit_what_happened();
    bool is_heard(const char* signal) const;

    const GDExtensionObjectPtr self_;
    Settings settings_;
    TerrainEdits edits_;
    std::string last_file_problem_;
    std::optional<std::uint64_t> last_saved_;
    Variant description_;                // a JSON; nil: there is none
    Variant material_;                   // of the host's; nil: the built-in ones
    std::array<Variant, 4> textures_{};  // of the built-in ones; nil: colours
    Variant loose_shader_;               // of pieces that were taken out; made with the first
    std::unique_ptr<Shading> shading_;
    std::unique_ptr<World> world_;
    std::unique_ptr<World> old_world_;  // shown until the new one, with other workers, is complete
    std::shared_ptr<const terrain::Field> field_;
    std::shared_ptr<Faults> faults_ = std::make_shared<Faults>();
    TerrainCollision collision_;
    bool collision_is_behind_ = false;  // its ground is that of the world before

    Rid scenario_;
    Transform transform_;
    std::atomic<bool> is_in_world_ = false;
    std::thread::id thread_;  // that it lives on, once it is in the world
    bool is_in_editor_ = false;
    bool is_cleared_ = false;
    bool needs_build_ = false;
    bool needs_workers_ = false;
    bool waits_for_ready_ = false;
    bool warned_of_viewer_ = false;
    GDObjectInstanceID viewer_id_ = 0;
    std::vector<GDObjectInstanceID> more_viewers_;
    std::vector<std::string> monitors_;  // their names in Godot

    bool is_checked_ = false;      // by check_shown(), so that the plan is noted for it
    terrain::ShownWorld planned_;  // after the last update

    struct Awaited {
        Vec3 position;
        double radius;
        std::string signal;
    };
    std::vector<Awaited> awaited_;
    std::uint64_t awaited_before_ = 0;
    std::optional<terrain::Viewer> last_viewer_;

    std::vector<Happened> happened_;
    std::string last_viewer_error_;
    std::string last_collision_error_;

    // Figures of the hand-over.
    double update_ms_ = 0;    // of the last frame, as are the next two: what is planned
    double delivery_ms_ = 0;  // what is drawn
    double collision_ms_ = 0;
    double frame_ms_ = 0;
    double frame_cpu_ms_ = 0;
    double frame_ms_max_ = 0;
    double upload_us_ = 0;                  // moving average
    double events_us_ = 0;                  // of all events, whatever their kind
    std::array<double, 5> events_us_of_{};  // by StreamEvent::Kind
    std::uint64_t uploaded_vertices_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t frames_over_budget_ = 0;
    std::uint64_t frames_over_by_processor_ = 0;  // of these: without what other programs and workers took in between
    double uploads_per_second_ = 0;
    std::uint64_t uploads_counted_ = 0;
    std::uint64_t uploads_before_ = 0;
    std::chrono::steady_clock::time_point second_begins_{};
};

}  // namespace quarry::godot
