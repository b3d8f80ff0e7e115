#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/export.hpp"
#include "quarry/terrain/mesh.hpp"
#include "tests/terrain/export/glb_file.hpp"
#include "tests/terrain/surface_check.hpp"

namespace quarry::terrain::test_support {

// What a file says, in world units as floats, whatever its format.
struct Soup {
    std::vector<Vector3> positions;
    std::vector<Vector3> normals;  // of positions
    std::vector<MaterialWeights> materials;
    std::vector<std::uint32_t> indices;
    std::vector<std::string> names;
    std::vector<Vector3> face_normals;

    // Vertices in one place are one.
    Surface surface() const {
        Surface surface;
        const auto name = [&](std::size_t corner) {
            const Vector3& at = positions.at(indices[corner]);
            return VertexName{at.x, at.y, at.z, 0, 0};
        };
        for (std::size_t i = 0; i + 2 < indices.size(); i += 3) surface.add(name(i), name(i + 1), name(i + 2));
        return surface;
    }
};

// Only the forms that write_obj writes.
inline Soup read_obj(const std::string& text) {
    Soup soup;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "v" || what == "vn") {
            std::string x, y, z;
            words >> x >> y >> z;
            (what == "v" ? soup.positions : soup.normals).push_back({std::stof(x), std::stof(y), std::stof(z)});
        } else if (what == "f") {
            for (std::string corner; words >> corner;) {
                const std::size_t number = std::stoul(corner);
                EXPECT_LE(number, soup.positions.size());
                const std::size_t slashes = corner.find("//");
                if (slashes != std::string::npos) {
                    EXPECT_EQ(std::stoul(corner.substr(slashes + 2)), number);
                }
                soup.indices.push_back(static_cast<std::uint32_t>(number - 1));
            }
        } else if (what == "o") {
            soup.names.emplace_back();
            words >> soup.names.back();
        } else {
            EXPECT_EQ(what, "#") << line;
        }
        std::string rest;
        EXPECT_FALSE(what != "#" && (words >> rest)) << line;
    }
    return soup;
}

class Bytes {
  public:
    explicit Bytes(const std::string& bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

    template <class T>
    T take() {
        T value{};
        if (at_ + sizeof(T) > bytes_.size()) {
            ADD_FAILURE() << "the file ends too early";
            return value;
        }
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }
    std::size_t left() const { return bytes_.size() - at_; }

  private:
    const std::string& bytes_;
    std::size_t at_;
};

inline Soup read_ply(const std::string& bytes) {
    Soup soup;
    const std::string end = "end_header\n";
    const std::size_t header = bytes.find(end);
    EXPECT_EQ(bytes.rfind("ply\nformat binary_little_endian 1.0\n", 0), 0u);
    std::istringstream words(bytes.substr(0, header));
    std::map<std::string, std::size_t> counts;
    std::vector<std::string> properties;
    for (std::string word; words >> word;) {
        if (word == "element") {
            std::string name;
            words >> name;
            words >> counts[name];
        } else if (word == "property") {
            std::string type, name;
            words >> type >> name;
            properties.push_back(type == "list" ? "list" : name);
        }
    }
    EXPECT_EQ(properties.back(), "list");
    const bool has_normals = properties.size() > 4 && properties[3] == "nx";
    const bool has_materials = properties.size() > 4 && properties[properties.size() - 2] == "alpha";
    EXPECT_EQ(properties.size(), 4u + (has_normals ? 3 : 0) + (has_materials ? 4 : 0));
    Bytes data(bytes, header + end.size());
    for (std::size_t i = 0; i < counts["vertex"]; ++i) {
        soup.positions.push_back(data.take<Vector3>());
        if (has_normals) soup.normals.push_back(data.take<Vector3>());
        if (has_materials) soup.materials.push_back(data.take<MaterialWeights>());
    }
    for (std::size_t i = 0; i < counts["face"]; ++i) {
        EXPECT_EQ(data.take<std::uint8_t>(), 3);
        for (int corner = 0; corner < 3; ++corner) soup.indices.push_back(data.take<std::uint32_t>());
    }
    EXPECT_EQ(data.left(), 0u);
    return soup;
}

inline Soup read_stl(const std::string& bytes) {
    Soup soup;
    EXPECT_NE(bytes.rfind("solid", 0), 0u);
    Bytes data(bytes, 80);
    const auto triangles = data.take<std::uint32_t>();
    for (std::size_t i = 0; i < triangles; ++i) {
        soup.face_normals.push_back(data.take<Vector3>());
        for (int corner = 0; corner < 3; ++corner) {
            soup.indices.push_back(static_cast<std::uint32_t>(soup.positions.size()));
            soup.positions.push_back(data.take<Vector3>());
        }
        EXPECT_EQ(data.take<std::uint16_t>(), 0);
    }
    EXPECT_EQ(data.left(), 0u);
    return soup;
}

// Positions go through the nodes' transforms in double; they are rounded to float once.
inline Soup read_glb(const std::string& bytes) {
    Soup soup;
    const GlbFile file(bytes);
    for (const tinygltf::Node& node : file.model().nodes) {
        const auto mesh = static_cast<std::size_t>(node.mesh);
        const auto first = static_cast<std::uint32_t>(soup.positions.size());
        const double scale = node.scale.empty() ? 1 : node.scale.at(0);
        soup.names.push_back(node.name);
        for (const Vector3& at : file.attribute<Vector3>(mesh, "POSITION")) {
            soup.positions.push_back({static_cast<float>(at.x * scale + node.translation.at(0)),
                                      static_cast<float>(at.y * scale + node.translation.at(1)),
                                      static_cast<float>(at.z * scale + node.translation.at(2))});
        }
        if (file.has(mesh, "NORMAL")) {
            const auto normals = file.attribute<Vector3>(mesh, "NORMAL");
            soup.normals.insert(soup.normals.end(), normals.begin(), normals.end());
        }
        if (file.has(mesh, "_WEIGHTS_0")) {
            const auto materials = file.attribute<MaterialWeights>(mesh, "_WEIGHTS_0");
            soup.materials.insert(soup.materials.end(), materials.begin(), materials.end());
        }
        for (const std::uint32_t index : file.indices(mesh)) soup.indices.push_back(first + index);
    }
    return soup;
}

inline Soup exported(ExportFormat format, std::span<const Mesh> meshes, const ExportOptions& options) {
    std::ostringstream out;
    write(format, out, meshes, options);
    switch (format) {
        case ExportFormat::glb:
            return read_glb(out.str());
        case ExportFormat::obj:
            return read_obj(out.str());
        case ExportFormat::ply:
            return read_ply(out.str());
        case ExportFormat::stl:
            return read_stl(out.str());
    }
    ADD_FAILURE() << "no reader for format " << static_cast<int>(format);
    return {};
}

inline const std::vector<ExportFormat> kFormats = [] {
    std::vector<ExportFormat> formats;
    for (const ExportFormatInfo& info : export_formats()) formats.push_back(info.format);
    return formats;
}();

}  // namespace quarry::terrain::test_support
