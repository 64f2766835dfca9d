// Logging: spdlog's default logger writes to the console and, once there is a run, to its log.txt.
#pragma once

#include "core/prelude.hpp"

#include <cstdio>
#include <mutex>

#include <spdlog/common.h>

namespace tapehead {

// The console: lines that stay and, on a terminal, one live line below them that is rewritten in
// place.
class Console {
 public:
  // Writes to stderr, which may be a terminal or not.
  Console();
  Console(std::FILE* stream, bool terminal);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();  // removes the live line

  bool terminal() const { return terminal_; }

  // The largest number of characters in the live line.
  Index width() const;

  // Prints lines that stay, above the live line. May be called from any thread.
  void print(std::string_view lines);

  // Replaces the live line, cut to the terminal's width; empty removes it. Without a terminal it
  // does nothing.
  void live(std::string_view line);

 private:
  void write(std::string_view text);

  std::mutex mutex_;
  std::FILE* stream_;
  bool terminal_;
  std::string live_;
};

// From now on spdlog::info, warn and error write plain messages to the console; warnings and errors
// begin with their level.
void start_logging(std::shared_ptr<Console> console);

// From now on nobody hears spdlog's messages: another process says the same.
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
