// The console: lines that stay, and below them, on a terminal, one live line that is rewritten in
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
  // stderr, a terminal or not.
  Console();
  Console(std::FILE* stream, bool terminal);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();  // leaves no live line

  bool terminal() const { return terminal_; }

  // Characters that the live line may have.
  Index width() const;

  // Writes lines that stay, above the live line. May be called from any thread.
  void print(std::string_view lines);

  // Replaces the live line, cut to the terminal's width; empty: none. Does nothing unless on a
  // terminal.
  void live(std::string_view line);

 private:
  void write(std::string_view text);

  std::mutex mutex_;
  std::FILE* stream_;
  bool terminal_;
  std::string live_;
};

}  // namespace tapehead
