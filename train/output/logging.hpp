// Logging: spdlog's default logger, writing to the console and, once there is a run, to its
// log.txt.
#pragma once

#include <spdlog/common.h>

#include <filesystem>
#include <memory>
#include <string_view>

#include "train/output/console.hpp"

namespace tapehead {

// From here on spdlog::info, warn and error write plain messages to the console, warnings and
// errors with their level before them.
void start_logging(std::shared_ptr<Console> console);

// As long as one lives, what is logged goes to its file too, each line with date and time; what the
// file holds stays.
class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& path);  // throws IoError
  LogFile(LogFile&&) noexcept = default;
  LogFile& operator=(LogFile&&) = delete;
  ~LogFile();

 private:
  spdlog::sink_ptr sink_;
};

// A line for the newest file alone: what the console shows in its live line.
void log_to_file_only(std::string_view line);

}  // namespace tapehead
