// Logging: spdlog's default logger writes to the console and, once there is a run, to its log.txt.
#pragma once

#include <spdlog/common.h>

#include <filesystem>
#include <memory>
#include <string_view>

#include "train/output/console.hpp"

namespace tapehead {

// From now on spdlog::info, warn and error write plain messages to the console; warnings and errors
// begin with their level.
void start_logging(std::shared_ptr<Console> console);

// From now on nobody hears spdlog's messages: for ranks other than the first.
void stop_logging();

// While it exists, log messages also go to its file, with date and time on each line. The old
// content of the file stays.
class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& path);  // throws IoError
  LogFile(LogFile&&) noexcept = default;
  LogFile& operator=(LogFile&&) = delete;
  ~LogFile();

 private:
  spdlog::sink_ptr sink_;
};

// Writes a line only to the newest file: what the console shows in its live line.
void log_to_file_only(std::string_view line);

}  // namespace tapehead
