// The console: lines that stay and, on a terminal, one live line below them that is rewritten in
// place.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace tapehead {

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

}  // namespace tapehead
