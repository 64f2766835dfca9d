// Windows and lines of text as sequences, which predict next tokens or masked tokens.
#pragma once

#include "datasets/corpus/windows.hpp"
#include "datasets/sequence.hpp"

namespace tapehead {

// A text, and how it is cut into windows. `tokens` is null for other kinds of examples.
struct RunningText {
  std::shared_ptr<const TokenText> tokens{};
  Windowing windowing{};
};

// The labels are the next tokens. If `memory`, in rows, is above 0, each run of windows is a lane.
std::shared_ptr<const Source> window_source(const std::shared_ptr<const TokenText>& text,
                                            WindowList windows, Index memory = 0);

// Windows of one line of tokens, with the next tokens as labels.
std::shared_ptr<const Source> window_source(std::vector<TokenId> line, WindowList windows);

// Whole lines. The label of each row, except the last row of a line, is the next token.
std::shared_ptr<const Source> text_source(std::vector<std::vector<TokenId>> lines);

// A sequence is a begin mark and the tokens of a window. Masked tokens are the labels. Windows in
// which no token can be masked are left out.
std::shared_ptr<const Source> masked_source(const std::shared_ptr<const TokenText>& text,
                                            const WindowList& windows, Masking masking);

struct MaskedLine {
  std::vector<TokenId> tokens;  // with the mask's id in place of masked tokens
  std::vector<Index> masks;     // indices of the masked tokens
  bool ends = false;            // whether an end mark follows
};

// A sequence is a begin mark and a line. The labels of the masked tokens are unknown.
std::shared_ptr<const Source> masked_source(std::vector<MaskedLine> lines);

// Windows in lanes, and their sequences for a model that remembers some rows of each lane.
struct LaneWindows {
  WindowList list;
  std::shared_ptr<const Source> source;
};

// Cuts a text with lane_windows().
LaneWindows in_lanes(const RunningText& text, Index windows, Index lanes, Index memory, Index head);

// Throws ConfigError with option and split if the text has several documents and is no stream.
void expect_one_stream(const RunningText& text, std::string_view option, std::string_view split);

}  // namespace tapehead
