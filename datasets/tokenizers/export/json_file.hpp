// JSON files whose tables keep their order.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"

namespace tapehead {

using Json = nlohmann::ordered_json;

// With a line for each value, so that two versions of a file can be compared. Throws IoError.
inline void write_json(const std::filesystem::path& file, const Json& json) {
  write_file_atomically(file, json.dump(1) + '\n');
}

}  // namespace tapehead
