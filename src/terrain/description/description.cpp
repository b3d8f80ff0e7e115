#include "quarry/terrain/description.hpp"

#include <vector>

#include "terrain/description/build.hpp"
#include "terrain/files.hpp"

namespace quarry::terrain {

DescriptionError::DescriptionError(const std::string& file, const std::string& json_path, const std::string& what)
    : Error(impl::on_one_line(file + ": " + json_path + (json_path.empty() ? "" : ": ") + what)) {}

Described parse_description(std::string_view json, const std::filesystem::path& folder, const std::string& name) {
    if (json.size() > kMostDescriptionBytes) {
        throw DescriptionError(
            name, "", "is larger than the " + std::to_string(kMostDescriptionBytes) + " bytes that are allowed");
    }
    const impl::Json document = impl::parse_document(json, name);
    impl::Source source{.name = name, .folder = folder};
    impl::Object world(impl::Node(document, "", source), "a world");
    const impl::Node field = world.required("field");
    const std::optional<impl::Node> materials = world.optional("materials");
    if (const auto about = world.optional("about")) about->text();
    const std::optional<impl::Node> water = world.optional("water_level");
    world.done();
    Described described;
    if (water) described.water_level = water->number(-impl::kFarthestPlace, impl::kFarthestPlace);
    described.field = impl::build_field(field);
    if (materials) described.materials = impl::build_materials(*materials, described.looks);
    for (const auto& [heightmap, pixels] : source.heightmaps) described.files.emplace_back(std::get<0>(heightmap));
    return described;
}

Described read_description(const std::filesystem::path& file) {
    std::vector<std::byte> bytes;
    try {
        bytes = impl::read_file(file, kMostDescriptionBytes);
    } catch (const Error& error) {
        // Its message begins with the file's name already.
        throw DescriptionError(file.string(), "", std::string(error.what()).substr(file.string().size() + 2));
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Described described = parse_description(text, file.parent_path(), file.string());
    described.files.insert(described.files.begin(), file);
    return described;
}

}  // namespace quarry::terrain
