#pragma once

#include <string>

#include <quarry/terrain/world_file_tools.hpp>

#include "world/export.hpp"

namespace quarry::app {

// Reports of `quarry world`, for people and for programs.
std::string format_info(const std::string& file, const terrain::WorldFileInfo& info);
std::string info_json(const std::string& file, const terrain::WorldFileInfo& info);
std::string format_check(const std::string& file, const terrain::WorldFileCheck& check);
std::string check_json(const std::string& file, const terrain::WorldFileCheck& check);
std::string format_difference(const terrain::WorldFileDifference& difference);
std::string difference_json(const std::string& one, const std::string& other,
                            const terrain::WorldFileDifference& difference);
std::string format_export(const WorldExportOutcome& outcome);
std::string export_json(const WorldExportArguments& arguments, const WorldExportOutcome& outcome);

}  // namespace quarry::app
