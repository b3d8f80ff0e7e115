#pragma once

#include "terrain/export/content.hpp"
#include "terrain/export/output.hpp"

namespace quarry::terrain::impl {

void write_ply_header(Output& out, const Content& content);

}  // namespace quarry::terrain::impl
