// Windows: the parts of a text that a model reads as sequences. Each token of the text is the label
// of one row, and at that row the model reads the token before it; or only tokens that are masked
// are labels, and the model reads others in their place.
#pragma once

#include "core/random/draws.hpp"
#include "datasets/corpus/token_text.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

struct Window {
  Index first = 0;  // the token of the text that is the label of its first row
  Index rows = 0;
  Index unlabelled = 0;  // so many rows at its beginning are read only
  bool opens = false;    // its first row reads a begin mark instead of the token before
  Index run = 0;         // the number of its run
  Index position = 0;    // how many tokens of its run are before its first row
};

struct Windowing {
  Index context = 0;    // the rows of a window, at most
  bool stream = false;  // a window may go on from one document to the next
  // Without a stream: each document begins with a begin mark; else its first token is read only.
  bool begin_mark = true;
};

// A run of tokens that no window crosses. Windows end after its first `head` tokens, and then after
// every `step` further ones. Each labels the tokens since the end of the one before.
struct WindowRun {
  Index begin;
  Index end;
  Index head;
  Index step;
  bool opens = true;  // its first row reads a begin mark

  Index count() const;
};

// Computes each window when asked, since a text may have more of them than fit into memory.
class WindowList {
 public:
  WindowList() = default;  // without any
  explicit WindowList(Index context) : context_(context) {}

  void add(const WindowRun& run);
  WindowList with(const std::vector<Index>& numbers) const;  // these, in this order

  // Of the runs, whatever was chosen.
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

// Windows for training: of this many rows, none of whose tokens is in two. If a text or, apart, a
// document is longer than that, its windows begin at a place that is drawn from (seed, epoch), so
// that epochs cut it differently.
WindowList training_windows(const TokenText& text, const Windowing& windowing, std::uint64_t seed,
                            Index epoch);

// Windows for evaluation: each token has a label once. Every window begins `stride` rows after the
// one before, and only its last `stride` rows have labels; a stride of `context` means no overlap.
WindowList evaluation_windows(const TokenText& text, const Windowing& windowing, Index stride);

// Those of the windows in which a token can be masked: the others hold end marks alone.
WindowList maskable_windows(const TokenText& text, const WindowList& windows);

// Lanes: a text cut evenly into streams that are read side by side, window after window, by a model
// with a memory (Dai et al. 2019). These are the lanes of the first `windows` windows of a text, of
// `context` rows each: successive windows form a lane, a run of the list, in which positions count
// from its beginning. The first window of a lane has `head` rows; with `head` = `context`, they are
// the windows of evaluation.
WindowList lane_windows(const TokenText& text, Index windows, Index lanes, Index context,
                        Index head);

// Successive lanes, which are read together.
struct LaneGroup {
  Index first = 0;
  Index count = 0;
};

// All lanes, in groups of so many.
std::vector<LaneGroup> lane_groups(Index lanes, Index together);

// The batches of groups in the order in which steps read them, in turns: the first window of each
// lane of a group, then those of the next group, then the second windows, and so on. Numbers of
// windows.
std::vector<std::vector<Index>> lane_batches(const WindowList& windows,
                                             const std::vector<LaneGroup>& groups);

// The tokens that a masked language model predicts, and reads instead (Devlin et al. 2019, 3.1).
struct MaskedToken {
  Index row = 0;     // of the window
  TokenId read = 0;  // in its place
};

// The entry that stands for a masked token. It follows those of the tokenizer.
inline TokenId mask_id(const Tokenizer& tokenizer) {
  return static_cast<TokenId>(tokenizer.size());
}

// How an entry, or the mask, is shown.
inline std::string entry_or_mask(const Tokenizer& tokenizer, TokenId token) {
  return token == mask_id(tokenizer) ? "<mask>" : tokenizer.entry(token);
}

// Which entries of subwords begin a word.
std::shared_ptr<const std::vector<bool>> word_beginnings(const Tokenizer& tokenizer);

struct Masking {
  double share = 0;  // of a window's tokens, without its marks; at least one is masked
  TokenId mask = 0;
  std::shared_ptr<const std::vector<bool>> words;  // null: single tokens are masked, not words
  TokenId line_end = unknown_id;  // where there is one; it is no part of the words beside it
  Draws draws{};                  // addressed by the token's place in the text

  // The masked tokens in the order of their rows. `tokens`: those of the window. Words are taken in
  // a random order while they fit into the share. Of the masked tokens 80 % are read as the mask,
  // 10 % as a random one, and 10 % as themselves.
  std::vector<MaskedToken> of(const std::vector<TokenId>& tokens, const Window& window) const;
};

}  // namespace tapehead
