#include "datasets/sources.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

// The side that is read, if its rows see each other before the target's.
Index prefix_of(const Example& example, const Layout& layout) {
  return layout.full_prefix ? std::ssize(example.source) : 0;
}

// Pairs, with marks added and targets shifted. Where the source alone is read, each of its tokens
// has a token of the target as label.
struct PairSource : Source {
  PairSource(const std::vector<Example>& all, const Layout& read) : pairs(all), layout(read) {}

  SequenceLengths lengths(Index number) const override {
    const auto& [source, target] = pairs[static_cast<std::size_t>(number)];
    const Index read = std::ssize(source);
    const Index labels = std::ssize(target) + 1;
    switch (layout.input) {
      case InputRows::source:
        return {.input = read};
      case InputRows::source_and_target:
        return {.input = read + labels};
      default:
        return {.context = read + 1, .input = labels};
    }
  }

  Sequence at(Index number) const override {
    const Example& pair = pairs[static_cast<std::size_t>(number)];
    const auto& [source, target] = pair;
    if (layout.input == InputRows::source) {
      return {
          .input = {source}, .labels = {target}, .predicted = std::ssize(source), .number = number};
    }
    Sequence sequence{.labels = {target, end_id},
                      .predicted = std::ssize(target) + 1,
                      .prefix = prefix_of(pair, layout),
                      .number = number};
    if (layout.in_one_sequence()) {
      sequence.input = {source, begin_id, target};
      sequence.first_label = std::ssize(source);
    } else {
      sequence.context = {source, end_id};
      sequence.input = {begin_id, target};
    }
    return sequence;
  }

  const std::vector<Example>& pairs;
  Layout layout;
};

// Texts with a class. Where the text alone is read, it is between a begin mark, whose row has the
// class, and an end mark (Devlin et al. 2019, section 3); the tokens behind an end mark in it are a
// second text. Else the class follows the text and a begin mark.
struct ClassSource : Source {
  ClassSource(const std::vector<Example>& all, const Layout& read) : texts(all), layout(read) {}

  SequenceLengths lengths(Index number) const override {
    const Index marks = layout.input == InputRows::source ? 2 : 1;
    return {.input = std::ssize(texts[static_cast<std::size_t>(number)].source) + marks};
  }

  Sequence at(Index number) const override {
    const Example& text = texts[static_cast<std::size_t>(number)];
    const auto& [source, label] = text;
    if (layout.input == InputRows::source) {
      const auto first_text = std::ranges::find(source, end_id) - source.begin() + 2;
      return {.input = {begin_id, source, end_id},
              .labels = {label},
              .predicted = 1,
              .second_text = std::min(first_text, std::ssize(source) + 2),
              .number = number};
    }
    return {.input = {source, begin_id},
            .labels = {label},
            .predicted = 1,
            .first_label = std::ssize(source),
            .prefix = prefix_of(text, layout),
            .number = number};
  }

  const std::vector<Example>& texts;
  Layout layout;
};

// Windows of a text: each row has the token after it as label.
struct WindowSource : Source {
  explicit WindowSource(const TextWindows& all) : windows(all) {}

  SequenceLengths lengths(Index number) const override {
    const Window window = windows.list[number];
    return {.input = window.rows, .remembered = std::min(windows.memory, window.position)};
  }

  Sequence at(Index number) const override {
    const Window window = windows.list[number];
    const TokenText& text = *windows.text;
    const Index labels = window.rows - window.unlabelled;
    Sequence sequence{.labels = {{text, window.first + window.unlabelled, labels}},
                      .predicted = labels,
                      .first_label = window.unlabelled,
                      .number = number};
    if (window.opens) {
      sequence.input = {begin_id, {text, window.first, window.rows - 1}};
    } else {
      sequence.input = {{text, window.first - 1, window.rows}};
    }
    if (windows.memory > 0) {
      sequence.lane = window.run;
      sequence.position = window.position;
    }
    return sequence;
  }

  const TextWindows& windows;
};

// A begin mark and a window's own tokens. Those that are masked have their token as label.
struct MaskedSource : WindowSource {
  using WindowSource::WindowSource;

  SequenceLengths lengths(Index number) const override {
    return {.input = windows.list[number].rows + 1};
  }

  Sequence at(Index number) const override {
    struct Masked {
      std::vector<TokenId> read;
      std::vector<TokenId> labels;
      std::vector<Index> rows;
    };
    const Window window = windows.list[number];
    PoolVector<TokenId> tokens;
    windows.text->append_to(tokens, window.first, window.rows);
    const auto masked = std::make_shared<Masked>();
    masked->read.assign(tokens.begin(), tokens.end());
    for (const auto& [row, read] : windows.masking->of({tokens.begin(), tokens.end()}, window)) {
      masked->labels.push_back(tokens[static_cast<std::size_t>(row)]);
      masked->rows.push_back(row + 1);
      masked->read[static_cast<std::size_t>(row)] = read;
    }
    return {.input = {begin_id, masked->read},
            .labels = {masked->labels},
            .predicted = std::ssize(masked->rows),
            .label_rows = masked->rows,
            .number = number,
            .holds = masked};
  }
};

}  // namespace

std::unique_ptr<const Source> source_of(const Split& split, const Layout& layout) {
  if (split.is_text()) {
    if (layout.input == InputRows::source) {
      return std::make_unique<MaskedSource>(split.windows);
    }
    return std::make_unique<WindowSource>(split.windows);
  }
  if (split.classes) {
    return std::make_unique<ClassSource>(split.examples, layout);
  }
  return std::make_unique<PairSource>(split.examples, layout);
}

Batch make_batch(const Split& split, const std::vector<Index>& examples, const Layout& layout) {
  return pack(*source_of(split, layout), examples);
}

Prompts make_prompts(const Split& split, const std::vector<Index>& examples, const Layout& layout) {
  const auto source = source_of(split, layout);
  std::vector<Sequence> sequences;
  for (const Index number : examples) {
    sequences.push_back(source->at(number));
  }
  return pack_prompts(sequences);
}

void expect_fits(const Split& split, const Layout& layout) {
  if (layout.input != InputRows::source || split.classes) {
    return;
  }
  for (std::size_t i = 0; i < split.examples.size(); ++i) {
    const auto& [source, target] = split.examples[i];
    if (source.size() != target.size()) {
      throw DataError(fmt::format(
          "{} split, example {}: the source has {} tokens and the target {}; an encoder gives one "
          "label to each token of the source, so both need one length",
          split.name, i + 1, source.size(), target.size()));
    }
  }
}

}  // namespace tapehead
