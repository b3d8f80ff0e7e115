#include "shading.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "engine_calls.hpp"

namespace quarry::godot {
namespace {

// Further render modes may follow.
constexpr const char* kHead = "shader_type spatial;\nrender_mode cull_back, diffuse_burley, specular_schlick_ggx";

constexpr const char* kUniforms = R"(;
uniform int view = 0;
uniform float cells = 32.0;
uniform vec3 lod_color : source_color = vec3(1.0);
uniform vec3 grass : source_color = vec3(0.29, 0.38, 0.14);
uniform vec3 rock : source_color = vec3(0.42, 0.39, 0.36);
uniform vec3 snow : source_color = vec3(0.90, 0.93, 0.97);
uniform vec3 earth : source_color = vec3(0.45, 0.36, 0.24);
uniform float snow_height = 150.0;
uniform int textured = 0;
uniform float texture_size = 4.0;
uniform sampler2D layer_0 : source_color, repeat_enable, filter_linear_mipmap;
uniform sampler2D layer_1 : source_color, repeat_enable, filter_linear_mipmap;
uniform sampler2D layer_2 : source_color, repeat_enable, filter_linear_mipmap;
uniform sampler2D layer_3 : source_color, repeat_enable, filter_linear_mipmap;
varying vec3 place;
varying vec3 world_place;
varying vec3 world_normal;

float random_at(vec2 cell) {
    return fract(sin(dot(cell, vec2(127.1, 311.7))) * 43758.5453);
}

float noise_at(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = p - cell;
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(random_at(cell), random_at(cell + vec2(1.0, 0.0)), f.x),
               mix(random_at(cell + vec2(0.0, 1.0)), random_at(cell + vec2(1.0, 1.0)), f.x), f.y);
}

)";

constexpr const char* kPlace = R"(
void vertex() {
    place = VERTEX;
    world_place = (MODEL_MATRIX * vec4(VERTEX, 1.0)).xyz;
    world_normal = normalize(mat3(MODEL_MATRIX) * NORMAL);
}
)";

// Where it was when it was part of the terrain.
constexpr const char* kPlaceOfLooseGround = R"(
uniform vec3 origin = vec3(0.0);

void vertex() {
    place = VERTEX;
    world_place = VERTEX + origin;
    world_normal = NORMAL;
}
)";

// Each pixel has an order of its own: what comes and what goes never share one.
constexpr const char* kDither = R"(
uniform float fade = 0.0;
uniform bool is_going = false;

bool is_left_out(vec2 pixel) {
    float order = fract(52.9829189 * fract(dot(floor(pixel), vec2(0.06711056, 0.00583715))));
    return (order < fade) == is_going;
}
)";

constexpr const char* kColors = R"(
// Fine grain near by; it fades before it could sparkle.
float grain(vec3 p, float distance_to_eye) {
    vec3 side = abs(world_normal);
    vec2 plane = side.y > max(side.x, side.z) ? p.xz : side.x > side.z ? p.zy : p.xy;
    float coarse = noise_at(plane * 0.05) * 0.6 + noise_at(plane * 0.21) * 0.4;
    float fine = noise_at(plane * 1.3) * 0.5 + noise_at(plane * 4.1) * 0.5;
    return mix(fine, 0.5, clamp(distance_to_eye / 120.0, 0.0, 1.0)) * 0.45 + coarse * 0.55;
}

// From three sides, each by how much the ground faces it.
vec3 triplanar(sampler2D layer, vec3 p) {
    vec3 side = pow(abs(world_normal), vec3(4.0));
    side /= side.x + side.y + side.z;
    return texture(layer, p.zy).rgb * side.x + texture(layer, p.xz).rgb * side.y + texture(layer, p.xy).rgb * side.z;
}

vec4 weights_by_shape() {
    float steep = smoothstep(0.75, 0.55, world_normal.y);
    float white = smoothstep(snow_height, snow_height + 40.0, world_place.y) * (1.0 - steep);
    return vec4((1.0 - steep) * (1.0 - white), steep, white, 0.0);
}

)";

constexpr const char* kLeaveOut = R"(
    if (is_left_out(FRAGCOORD.xy)) {
        discard;
    }
)";

constexpr const char* kFragment = R"(
    float shade = grain(world_place, length(VERTEX));
    // Without weights COLOR is white.
    vec4 weights = dot(COLOR, vec4(1.0)) > 1.5 ? weights_by_shape() : COLOR;
    weights /= max(dot(weights, vec4(1.0)), 0.001);
    vec3 p = world_place / texture_size;
    float plain = mix(0.68, 1.22, shade);
    vec3 c0 = (textured & 1) != 0 ? triplanar(layer_0, p) : grass * plain;
    vec3 c1 = (textured & 2) != 0 ? triplanar(layer_1, p) : rock * plain;
    vec3 c2 = (textured & 4) != 0 ? triplanar(layer_2, p) : snow * plain;
    vec3 c3 = (textured & 8) != 0 ? triplanar(layer_3, p) : earth * plain;
    ALBEDO = c0 * weights.x + c1 * weights.y + c2 * weights.z + c3 * weights.w;
    ROUGHNESS = mix(0.97, 0.65, weights.z);
    SPECULAR = 0.2;
    if (view != 0) {
        ALBEDO = lod_color * mix(0.8, 1.0, shade);
        if (view == 2) {
            vec3 edge = min(place, vec3(cells) - place);
            float line = min(edge.x, min(edge.y, edge.z));
            ALBEDO *= smoothstep(0.0, 0.35, line) * 0.85 + 0.15;
        }
    }
}
)";

// From near to far.
constexpr std::array<Color, terrain::kCoarsestLod + 1> kLodColors{
    Color{0.85F, 0.25F, 0.20F, 1}, Color{0.95F, 0.60F, 0.20F, 1}, Color{0.90F, 0.85F, 0.30F, 1},
    Color{0.45F, 0.75F, 0.30F, 1}, Color{0.25F, 0.70F, 0.70F, 1}, Color{0.25F, 0.45F, 0.85F, 1},
    Color{0.55F, 0.35F, 0.80F, 1}, Color{0.80F, 0.40F, 0.65F, 1}};

// In the order of ChunkState: what is shown is green, and the closer to it, the greener.
constexpr std::array<Color, terrain::kChunkStates> kStateColors{
    Color{0.44F, 0.50F, 0.56F, 1}, Color{0.80F, 0.36F, 0.36F, 1}, Color{1.00F, 0.65F, 0.00F, 1},
    Color{1.00F, 0.84F, 0.00F, 1}, Color{0.60F, 0.80F, 0.20F, 1}, Color{0.18F, 0.55F, 0.34F, 1},
    Color{0.27F, 0.51F, 0.71F, 1}, Color{0.27F, 0.51F, 0.71F, 1}};

enum class Kind { plain, fading, loose };

// The RenderingServer takes no #ifdef.
std::string code(bool is_wireframe, Kind kind) {
    const bool fades = kind == Kind::fading;
    return std::string(kHead) + (is_wireframe ? ", wireframe" : "") + kUniforms +
           (kind == Kind::loose ? kPlaceOfLooseGround : kPlace) + (fades ? kDither : "") + kColors +
           "void fragment() {" + (fades ? kLeaveOut : "") + kFragment;
}

}  // namespace

Shading::Shading() : server_(engine().server), shader_(server_.call("shader_create").to_rid()) {
    server_.call("shader_set_code", shader_, code(false, Kind::plain));
    for (std::size_t lod = 0; lod < materials_.size(); ++lod) {
        materials_[lod] = new_material(shader_, kLodColors[lod]);
    }
}

Rid Shading::new_material(Rid shader, const Color& color) const {
    const Rid material = server_.call("material_create").to_rid();
    server_.call("material_set_shader", material, shader);
    server_.call("material_set_param", material, "lod_color", color);
    return material;
}

void Shading::make_state_materials() {
    for (std::size_t i = 0; i < state_materials_.size(); ++i) {
        state_materials_[i] = new_material(shader_, kStateColors[i]);
        for (const auto& [name, value] : parameters_) {
            server_.call("material_set_param", state_materials_[i], name, value);
        }
    }
}

Shading::~Shading() {
    for (const Rid material : materials_) engine().free_rid(engine().server, material);
    for (const Rid material : fading_) engine().free_rid(engine().server, material);
    for (const Rid material : state_materials_) {
        if (material.id != 0) engine().free_rid(engine().server, material);
    }
    engine().free_rid(engine().server, shader_);
    if (fade_shader_.id != 0) engine().free_rid(engine().server, fade_shader_);
}

std::string Shading::code_of_loose_ground() {
    return code(false, Kind::loose);
}

Rid Shading::take_fading(std::int32_t lod, FadeWay way) {
    std::vector<Rid>& spare = spare_[static_cast<std::size_t>(lod)][static_cast<std::size_t>(way)];
    if (!spare.empty()) {
        const Rid material = spare.back();
        spare.pop_back();
        return material;
    }
    if (fade_shader_.id == 0) {
        fade_shader_ = server_.call("shader_create").to_rid();
        server_.call("shader_set_code", fade_shader_, code(is_wireframe_, Kind::fading));
    }
    const Rid material = new_material(fade_shader_, kLodColors[static_cast<std::size_t>(lod)]);
    fading_.push_back(material);
    server_.call("material_set_param", material, "is_going", way == FadeWay::going);
    for (const auto& [name, value] : parameters_) server_.call("material_set_param", material, name, value);
    return material;
}

void Shading::give_back(Rid material, std::int32_t lod, FadeWay way) {
    spare_[static_cast<std::size_t>(lod)][static_cast<std::size_t>(way)].push_back(material);
}

void Shading::set_fade(Rid material, double share) const {
    server_.call("material_set_param", material, "fade", share);
}

void Shading::set(const char* parameter, const Variant& value) {
    const auto known = std::find_if(parameters_.begin(), parameters_.end(),
                                    [&](const Parameter& each) { return std::string_view(each.first) == parameter; });
    if (known != parameters_.end()) {
        known->second = value;
    } else {
        parameters_.emplace_back(parameter, value);
    }
    for (const Rid material : materials_) server_.call("material_set_param", material, parameter, value);
    for (const Rid material : fading_) server_.call("material_set_param", material, parameter, value);
    for (const Rid material : state_materials_) {
        if (material.id != 0) server_.call("material_set_param", material, parameter, value);
    }
}

void Shading::set_textures(const std::array<Rid, 4>& textures, double size) {
    constexpr std::array<const char*, 4> kNames{"layer_0", "layer_1", "layer_2", "layer_3"};
    std::int64_t textured = 0;
    for (std::size_t i = 0; i < textures.size(); ++i) {
        const bool is_there = textures[i].id != 0;
        set(kNames[i], is_there ? Variant(textures[i]) : Variant());
        if (is_there) textured |= std::int64_t{1} << i;
    }
    set("textured", Variant(textured));
    set("texture_size", Variant(size));
}

void Shading::set_up(DebugView view, std::int64_t cells, Rid own) {
    own_ = own;
    if (const bool wireframe = view == DebugView::wireframe; wireframe != is_wireframe_) {
        is_wireframe_ = wireframe;
        server_.call("shader_set_code", shader_, code(wireframe, Kind::plain));
        if (fade_shader_.id != 0) server_.call("shader_set_code", fade_shader_, code(wireframe, Kind::fading));
    }
    set("view", Variant(static_cast<std::int64_t>(view)));
    set("cells", Variant(static_cast<double>(cells)));
    if (view == DebugView::states && state_materials_[0].id == 0) make_state_materials();
}

}  // namespace quarry::godot
