#pragma once

#include <filesystem>

namespace quarry::terrain::test_support {

// Where this repository is. Not from __FILE__, which is relative where ccache compiles.
std::filesystem::path checkout();

}  // namespace quarry::terrain::test_support
