#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tiny_gltf.h>

#include "quarry/terrain/export.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::test_support {

inline std::string glb_of(std::span<const Mesh> meshes, const ExportOptions& options) {
    std::ostringstream out;
    write_glb(out, meshes, options);
    return out.str();
}

// A glb as an independent reader sees it.
class GlbFile {
  public:
    explicit GlbFile(const std::string& bytes) {
        std::string error;
        std::string warning;
        tinygltf::TinyGLTF reader;
        const bool is_read = reader.LoadBinaryFromMemory(&model_, &error, &warning,
                                                         // NOLINTNEXTLINE(*-reinterpret-cast): bytes, as it wants them
                                                         reinterpret_cast<const unsigned char*>(bytes.data()),
                                                         static_cast<unsigned>(bytes.size()));
        EXPECT_TRUE(is_read) << error;
        EXPECT_EQ(error, "");
        EXPECT_EQ(warning, "");
    }

    const tinygltf::Model& model() const { return model_; }
    const tinygltf::Primitive& primitive(std::size_t mesh) const { return model_.meshes.at(mesh).primitives.at(0); }

    bool has(std::size_t mesh, const std::string& attribute) const {
        return primitive(mesh).attributes.contains(attribute);
    }

    const tinygltf::Accessor& accessor(std::size_t mesh, const std::string& attribute) const {
        return model_.accessors.at(static_cast<std::size_t>(primitive(mesh).attributes.at(attribute)));
    }

    // Elements of an attribute, whose type the caller knows.
    template <class T>
    std::vector<T> attribute(std::size_t mesh, const std::string& name) const {
        return elements<T>(accessor(mesh, name));
    }

    std::vector<std::uint32_t> indices(std::size_t mesh) const {
        const tinygltf::Accessor& list = model_.accessors.at(static_cast<std::size_t>(primitive(mesh).indices));
        if (list.componentType == TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT) return elements<std::uint32_t>(list);
        EXPECT_EQ(list.componentType, TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT);
        const std::vector<std::uint16_t> numbers = elements<std::uint16_t>(list);
        return {numbers.begin(), numbers.end()};
    }

  private:
    template <class T>
    std::vector<T> elements(const tinygltf::Accessor& accessor) const {
        const tinygltf::BufferView& view = model_.bufferViews.at(static_cast<std::size_t>(accessor.bufferView));
        const std::vector<unsigned char>& data = model_.buffers.at(static_cast<std::size_t>(view.buffer)).data;
        std::vector<T> list(accessor.count);
        EXPECT_EQ(view.byteStride, 0u);
        EXPECT_LE(accessor.byteOffset + list.size() * sizeof(T), view.byteLength);
        EXPECT_LE(view.byteOffset + view.byteLength, data.size());
        std::memcpy(list.data(), data.data() + view.byteOffset + accessor.byteOffset, list.size() * sizeof(T));
        return list;
    }

    tinygltf::Model model_;
};

}  // namespace quarry::terrain::test_support
