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

  Index positions() const override {
    Index longest = 0;
    for (Index i = 0; i < size(); ++i) {
      longest = std::max(longest, windows_[i].rows);
    }
    return longest;
  }

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

class TextLines : public Source {
 public:
  explicit TextLines(std::vector<std::vector<TokenId>> lines) : lines_(std::move(lines)) {}

  Index size() const override { return std::ssize(lines_); }
  SequenceLengths lengths(Index number) const override { return {.input = line(number).size}; }
  Sequence at(Index number) const override {
    const IdView tokens = line(number);
    const IdView labels = tokens.part(1, std::max<Index>(1, tokens.size) - 1);
    return {.source = {tokens},
            .input = {tokens},
            .labels = {labels},
            .predicted = labels.size,
            .number = number};
  }
  bool in_one_pass() const override { return false; }

 private:
  IdView line(Index number) const { return lines_[static_cast<std::size_t>(number)]; }

  std::vector<std::vector<TokenId>> lines_;
};

class MaskedLines : public Source {
 public:
  explicit MaskedLines(std::vector<MaskedLine> lines) : lines_(std::move(lines)) {
    for (const MaskedLine& line : lines_) {
      std::ranges::transform(line.masks, std::back_inserter(rows_.emplace_back()),
                             [](Index token) { return token + 1; });
      labels_.emplace_back(line.masks.size(), unknown_id);
    }
  }

  Index size() const override { return std::ssize(lines_); }
  SequenceLengths lengths(Index number) const override {
    const MaskedLine& line = lines_[static_cast<std::size_t>(number)];
    return {.input = 1 + std::ssize(line.tokens) + (line.ends ? 1 : 0)};
  }
  Sequence at(Index number) const override {
    const MaskedLine& line = lines_[static_cast<std::size_t>(number)];
    const std::vector<Index>& rows = rows_[static_cast<std::size_t>(number)];
    return {.source = {line.tokens},
            .input = {begin_id, line.tokens, line.ends ? IdView(end_id) : IdView()},
            .labels = {labels_[static_cast<std::size_t>(number)]},
            .predicted = std::ssize(rows),
            .label_rows = rows,
            .number = number};
  }
  bool in_one_pass() const override { return true; }

 private:
  std::vector<MaskedLine> lines_;
  std::vector<std::vector<Index>> rows_;
  std::vector<std::vector<TokenId>> labels_;  // all unknown_id
};

IdView all_of(const TokenText& text) { return {text, 0, text.size()}; }

class MaskedSource : public WindowSource {
 public:
  MaskedSource(const std::shared_ptr<const TokenText>& text, WindowList windows, Masking masking)
      : WindowSource(all_of(*text), std::move(windows), 0, text), masking_(std::move(masking)) {}

  SequenceLengths lengths(Index number) const override {
    return {.input = windows_[number].rows + 1};
  }

  Sequence at(Index number) const override {
    struct Masked {
      std::vector<TokenId> read;
      std::vector<TokenId> labels;
      std::vector<Index> rows;
    };
    const Window window = windows_[number];
    const auto masked = std::make_shared<Masked>();
    const std::vector<TokenId> tokens = own(window).list();
    masked->read = tokens;
    for (const auto& [row, read] : masking_.of(tokens, window)) {
      masked->labels.push_back(tokens[static_cast<std::size_t>(row)]);
      masked->rows.push_back(row + 1);
      masked->read[static_cast<std::size_t>(row)] = read;
    }
    return {.source = own(window),
            .input = {begin_id, masked->read},
            .labels = {masked->labels},
            .predicted = std::ssize(masked->rows),
            .label_rows = masked->rows,
            .number = number,
            .holds = masked};
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
  return std::make_shared<TextLines>(std::move(lines));
}

std::shared_ptr<const Source> masked_source(std::vector<MaskedLine> lines) {
  return std::make_shared<MaskedLines>(std::move(lines));
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
        fmt::format("{}: a lane goes on from one document to the next, and the {} split has {} "
                    "documents; set task.stream: true",
                    option, split, text.tokens->documents()));
  }
}

}  // namespace tapehead
