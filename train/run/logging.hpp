// Logging: spdlog's default logger, writing to the console and, once there is a run, to its
// log.txt.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "train/run/console.hpp"

namespace tapehead {

// From here on spdlog::info, warn and error write plain messages to the console, warnings and
// errors with their level before them.
void start_logging(std::shared_ptr<Console> console);

// They go to this file too, each with date and time; what the file holds stays. It takes the place
// of a file given before. Throws IoError.
void log_to_file(const std::filesystem::path& path);

// A line for the file alone: what the console shows in its live line.
void log_to_file_only(std::string_view line);

}  // namespace tapehead
