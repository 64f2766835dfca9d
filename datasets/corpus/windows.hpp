// Windows: the parts of a text that a model reads as sequences. A language model reads the previous
// token at each row, and the label is the token itself. A masked language model has labels only at
// masked tokens, and reads other tokens in their place.
#pragma once

#include "datasets/corpus/token_text.hpp"

namespace tapehead {

struct Window {
  Index first = 0;  // index in the text of the token that is the label of the first row
  Index rows = 0;
  Index unlabelled = 0;  // number of its first rows that have no label
  bool opens = false;    // its first row reads a begin mark, not the previous token
  Index run = 0;         // the number of its run
  Index position = 0;    // tokens of its run before its first row
};

struct Windowing {
  Index context = 0;    // most rows of a window
  bool stream = false;  // a window may cross the end of a document
  // Without `stream`: a begin mark precedes each document; if false, first tokens have no label.
  bool begin_mark = true;
};

// A run of tokens that no window leaves. The first window ends after `head` tokens, each later one
// `step` tokens further. A window labels the tokens since the end of the previous window.
struct WindowRun {
  Index begin;
  Index end;
  Index head;
  Index step;
  bool opens = true;  // its first row reads a begin mark

  Index count() const;
};

// Computes each window on request, since the windows of a text may not fit into memory.
class WindowList {
 public:
  WindowList() = default;  // without windows
  explicit WindowList(Index context) : context_(context) {}

  void add(const WindowRun& run);
  WindowList with(const std::vector<Index>& numbers) const;  // these of all windows, in this order

  // About all runs, including the windows that with() left out.
  Index runs() const { return std::ssize(entries_); }
  Index count_of(Index run) const { return entry(run).run.count(); }
  Index first_of(Index run) const { return entry(run).number; }

  Index size() const { return chosen_ ? std::ssize(*chosen_) : windows_; }
  Window operator[](Index number) const;

 private:
  struct Entry {
    WindowRun run;
    Index number;  // of its first window
  };
  const Entry& entry(Index run) const { return entries_[static_cast<std::size_t>(run)]; }

  Index context_ = 0;
  std::vector<Entry> entries_;
  Index windows_ = 0;
  std::optional<std::vector<Index>> chosen_;
};

// Windows for training: they do not overlap, and have at most `windowing.context` rows. If the text
// (with a stream) or a document (without a stream) is longer, the end of its first window is drawn
// from (seed, epoch), so that epochs cut the text differently.
WindowList training_windows(const TokenText& text, const Windowing& windowing, std::uint64_t seed,
                            Index epoch);

// Windows for evaluation: each token is a label once. A later window begins `stride` rows after the
// previous one, and labels only its last `stride` rows. A stride of `context` means no overlap.
WindowList evaluation_windows(const TokenText& text, const Windowing& windowing, Index stride);

// Leaves out windows of a whole list in which no token can be masked: they hold only end marks.
WindowList maskable_windows(const TokenText& text, const WindowList& windows);

// Lanes: a text is cut evenly into streams, which a model with a memory reads side by side, window
// after window (Dai et al. 2019). Here the first `windows` windows of a text, of `context` rows
// each, are divided into lanes of successive windows. Each lane is a run of the list, and positions
// count from its beginning. The first window of a lane has `head` rows; if `head` is `context`, the
// windows are those for evaluation.
WindowList lane_windows(const TokenText& text, Index windows, Index lanes, Index context,
                        Index head);

// Successive lanes, which are read together.
struct LaneGroup {
  Index first = 0;
  Index count = 0;
};

// All lanes, in groups of `together` lanes; the last group may be smaller.
std::vector<LaneGroup> lane_groups(Index lanes, Index together);

// The numbers of the windows in each batch, in the order of the steps. A batch has one window of
// each lane of a group. The groups take turns: first all groups read their first windows, then
// their second windows, and so on.
std::vector<std::vector<Index>> lane_batches(const WindowList& windows,
                                             const std::vector<LaneGroup>& groups);

// A token that a masked language model predicts (Devlin et al. 2019, section 3.1).
struct MaskedToken {
  Index row = 0;     // of the window
  TokenId read = 0;  // the token that the model reads in its place
};

// The id that stands for a masked token. It follows the ids of the tokenizer.
inline TokenId mask_id(const Tokenizer& tokenizer) {
  return static_cast<TokenId>(tokenizer.size());
}

// How an entry, or the mask, is shown.
inline std::string entry_or_mask(const Tokenizer& tokenizer, TokenId token) {
  return token == mask_id(tokenizer) ? "<mask>" : tokenizer.entry(token);
}

struct Masking {
  double share = 0;  // of the window's tokens without its marks; at least one is masked
  TokenId mask = 0;
  // For each entry, whether it begins a word. Null: single tokens are masked, not words.
  std::shared_ptr<const std::vector<bool>> words;
  TokenId line_end = unknown_id;  // unknown_id: none; a line end is no part of a word
  Draws draws{};                  // indexed by the place of the token in the text

  // The masked tokens in the order of their rows. `tokens`: the tokens of the window. Words are
  // chosen in random order while they fit into the share. The model reads 80 % of the masked tokens
  // as the mask, 10 % as a random token, and 10 % unchanged.
  std::vector<MaskedToken> of(const std::vector<TokenId>& tokens, const Window& window) const;
};

}  // namespace tapehead
