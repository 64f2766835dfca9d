// Windows of a text as sequences: to predict each next token, or those that are masked.
#pragma once

#include "datasets/corpus/windows.hpp"
#include "datasets/sequence.hpp"

namespace tapehead {

// A text and how it is cut. `tokens` is null where examples are no windows of a text.
struct RunningText {
  std::shared_ptr<const TokenText> tokens{};
  Windowing windowing{};
};

// Each row has the token after it as label. With a memory of rows, each run of windows is a lane.
std::shared_ptr<const Source> window_source(const std::shared_ptr<const TokenText>& text,
                                            WindowList windows, Index memory = 0);

// The same of a line.
std::shared_ptr<const Source> window_source(std::vector<TokenId> line, WindowList windows);

// Lines as a whole. Each row but a line's last has the token after it as label.
std::shared_ptr<const Source> text_source(std::vector<std::vector<TokenId>> lines);

// A begin mark and a window's own tokens. Those that are masked have their token as label. Windows
// in which none can be are left out.
std::shared_ptr<const Source> masked_source(const std::shared_ptr<const TokenText>& text,
                                            const WindowList& windows, Masking masking);

struct MaskedLine {
  std::vector<TokenId> tokens;  // with the mask's id where one is masked
  std::vector<Index> masks;     // which tokens are masked
  bool ends = false;            // whether an end mark follows
};

// Lines after a begin mark. What is masked is predicted; nobody knows its label.
std::shared_ptr<const Source> masked_source(std::vector<MaskedLine> lines);

// Windows in lanes, and their sequences for a model that remembers some rows of each lane.
struct LaneWindows {
  WindowList list;
  std::shared_ptr<const Source> source;
};

// lane_windows() of a text.
LaneWindows in_lanes(const RunningText& text, Index windows, Index lanes, Index memory, Index head);

// Throws ConfigError, with option and split, if the text is documents that windows may not leave.
void expect_one_stream(const RunningText& text, std::string_view option, std::string_view split);

}  // namespace tapehead
