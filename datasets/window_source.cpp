#include "datasets/window_source.hpp"

namespace tapehead {

namespace {

class WindowSource : public Source {
 public:
  // `holds`: owns the ids of `text`.
  WindowSource(const IdView& text, WindowList windows, Index memory,
               std::shared_ptr<const void> holds)
      : text_(text), windows_(std::move(windows)), memory_(memory), holds_(std::move(holds)) {}

  Index size() const override { return windows_.size(); }

  SequenceLengths lengths(Index number) const override {
    const Window window = windows_[number];
    return {.input = window.rows, .remembered = std::min(memory_, window.position)};
  }

  Sequence at(Index number) const override {
    const Window window = windows_[number];
    const Index labels = window.rows - window.unlabelled;
    Sequence sequence{.source = own(window),
                      .labels = {text_.part(window.first + window.unlabelled, labels)},
                      .predicted = labels,
                      .first_label = window.unlabelled,
                      .number = number};
    if (window.opens) {
      sequence.input = {begin_id, text_.part(window.first, window.rows - 1)};
    } else {
      sequence.input = {text_.part(window.first - 1, window.rows)};
    }
    if (memory_ > 0) {
      sequence.lane = window.run;
      sequence.position = window.position;
    }
    return sequence;
  }

  bool in_one_pass() const override { return false; }

  Index positions() const override { return longest_input(); }

  void add_to(Hash& hash) const override {
    hash.add(std::uint64_t{0});  // number of pairs
    hash.add(text_.text->digest());
  }

 protected:
  Ids own(const Window& window) const { return {text_.part(window.first, window.rows)}; }

  IdView text_;
  WindowList windows_;
  Index memory_;
  std::shared_ptr<const void> holds_;
};

// Sequences that hold their ids.
class ReadySequences : public Source {
 public:
  ReadySequences(std::vector<Sequence> all, bool in_one_pass)
      : all_(std::move(all)), in_one_pass_(in_one_pass) {}

  Index size() const override { return std::ssize(all_); }
  Sequence at(Index number) const override { return all_[static_cast<std::size_t>(number)]; }
  bool in_one_pass() const override { return in_one_pass_; }

 private:
  std::vector<Sequence> all_;
  bool in_one_pass_;
};

// A sequence with masked tokens: what is read after the begin mark, and the labels and their rows.
struct Masked {
  std::vector<TokenId> read{};
  std::vector<TokenId> labels{};
  std::vector<Index> rows{};
};

Sequence masked_sequence(const Ids& source, const std::shared_ptr<const Masked>& masked, bool ends,
                         Index number) {
  return {.source = source,
          .input = {begin_id, masked->read, ends ? IdView(end_id) : IdView()},
          .labels = {masked->labels},
          .predicted = std::ssize(masked->rows),
          .label_rows = masked->rows,
          .number = number,
          .holds = masked};
}

IdView all_of(const TokenText& text) { return {text, 0, text.size()}; }

class MaskedSource : public WindowSource {
 public:
  MaskedSource(const std::shared_ptr<const TokenText>& text, WindowList windows, Masking masking)
      : WindowSource(all_of(*text), std::move(windows), 0, text), masking_(std::move(masking)) {}

  SequenceLengths lengths(Index number) const override {
    return {.input = windows_[number].rows + 1};
  }

  Sequence at(Index number) const override {
    const Window window = windows_[number];
    const auto masked = std::make_shared<Masked>();
    const std::vector<TokenId> tokens = own(window).list();
    masked->read = tokens;
    for (const auto& [row, read] : masking_.of(tokens, window)) {
      masked->labels.push_back(tokens[static_cast<std::size_t>(row)]);
      masked->rows.push_back(row + 1);
      masked->read[static_cast<std::size_t>(row)] = read;
    }
    return masked_sequence(own(window), masked, false, number);
  }

  bool in_one_pass() const override { return true; }
  Index positions() const override { return 0; }

 private:
  Masking masking_;
};

}  // namespace

std::shared_ptr<const Source> window_source(const std::shared_ptr<const TokenText>& text,
                                            WindowList windows, Index memory) {
  return std::make_shared<WindowSource>(all_of(*text), std::move(windows), memory, text);
}

std::shared_ptr<const Source> window_source(std::vector<TokenId> line, WindowList windows) {
  const auto held = std::make_shared<const std::vector<TokenId>>(std::move(line));
  return std::make_shared<WindowSource>(*held, std::move(windows), 0, held);
}

std::shared_ptr<const Source> text_source(std::vector<std::vector<TokenId>> lines) {
  std::vector<Sequence> all;
  for (std::vector<TokenId>& line : lines) {
    const auto held = std::make_shared<const std::vector<TokenId>>(std::move(line));
    const IdView tokens(*held);
    const IdView labels = tokens.part(1, std::max<Index>(1, tokens.size) - 1);
    all.push_back({.source = {tokens},
                   .input = {tokens},
                   .labels = {labels},
                   .predicted = labels.size,
                   .number = std::ssize(all),
                   .holds = held});
  }
  return std::make_shared<ReadySequences>(std::move(all), false);
}

std::shared_ptr<const Source> masked_source(std::vector<MaskedLine> lines) {
  std::vector<Sequence> all;
  for (auto& [tokens, masks, ends] : lines) {
    const auto masked = std::make_shared<Masked>();
    masked->read = std::move(tokens);
    masked->labels.resize(masks.size(), unknown_id);
    masked->rows = mapped(masks, [](Index token) { return token + 1; });
    all.push_back(masked_sequence({masked->read}, masked, ends, std::ssize(all)));
  }
  return std::make_shared<ReadySequences>(std::move(all), true);
}

std::shared_ptr<const Source> masked_source(const std::shared_ptr<const TokenText>& text,
                                            const WindowList& windows, Masking masking) {
  return std::make_shared<MaskedSource>(text, maskable_windows(*text, windows), std::move(masking));
}

LaneWindows in_lanes(const RunningText& text, Index windows, Index lanes, Index memory,
                     Index head) {
  const WindowList list = lane_windows(*text.tokens, windows, lanes, text.windowing.context, head);
  return {.list = list, .source = window_source(text.tokens, list, memory)};
}

void expect_one_stream(const RunningText& text, std::string_view option, std::string_view split) {
  if (!text.windowing.stream && text.tokens->documents() > 1) {
    throw ConfigError(
        "{}: a lane continues from one document to the next, but the {} split has {} separate "
        "documents; set task.stream: true",
        option, split, text.tokens->documents());
  }
}

}  // namespace tapehead
