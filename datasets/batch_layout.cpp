#include "datasets/batch_layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

namespace {

using Ids = std::vector<TokenId>;

void append(PoolVector<TokenId>& to, const Ids& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Appends a sequence of the last rows of `tokens`, which has no segment for them yet.
void close_sequence(Tokens& tokens, Index prefix = 0) {
  const PoolVector<Segment>& before = tokens.segments.list;
  const Index row = before.empty() ? 0 : before.back().row + before.back().rows;
  tokens.segments.list.push_back({.row = row, .rows = tokens.rows() - row, .prefix = prefix});
}

// Appends what a model reads of a source before it writes.
void append_prompt(const Ids& source, const Layout& layout, Tokens& context, Tokens& input) {
  append(layout.in_one_sequence() ? input.ids : context.ids, source);
  if (!layout.in_one_sequence()) {
    context.ids.push_back(end_id);
  }
  close_sequence(context);
  input.ids.push_back(begin_id);
}

Index prefix_of(const Ids& source, const Layout& layout) {
  return layout.full_prefix ? std::ssize(source) : 0;
}

bool every_row_has_label(const Split& split, const std::vector<Index>& examples,
                         const Layout& layout) {
  if (split.is_text() && layout.input != InputRows::source) {
    return std::ranges::all_of(
        examples, [&](Index number) { return split.windows.list[number].unlabelled == 0; });
  }
  return !split.is_text() && !split.classes && !layout.in_one_sequence();
}

// The rows from `first` on have the batch's latest labels.
void label_rows_from(Batch& batch, Index first) {
  for (Index row = first; !batch.labels.every_row && row < batch.input.rows(); ++row) {
    batch.labels.rows.push_back(row);
  }
}

void append_pair(const Example& example, const Layout& layout, Batch& batch) {
  const auto& [source, target] = example;
  append_prompt(source, layout, batch.context, batch.input);
  const Index first = batch.input.rows() - 1;
  append(batch.input.ids, target);
  close_sequence(batch.input, prefix_of(source, layout));
  append(batch.labels.ids, target);
  batch.labels.ids.push_back(end_id);
  label_rows_from(batch, first);
}

// One label for each token of the source.
void append_labelled_tokens(const Example& example, Batch& batch) {
  append(batch.input.ids, example.source);
  append(batch.labels.ids, example.target);
  close_sequence(batch.context);
  close_sequence(batch.input);
}

// Begin mark, text and end mark, with the class at the first row (Devlin et al. 2019, section 3).
// The tokens after the first end mark, those of a second text, have the type 1.
void append_class_in_front(const Example& example, Batch& batch) {
  const Ids& source = example.source;
  PoolVector<TokenId>& ids = batch.input.ids;
  batch.labels.rows.push_back(batch.input.rows());
  append(batch.labels.ids, example.target);
  ids.push_back(begin_id);
  append(ids, source);
  ids.push_back(end_id);
  const auto first_text = std::ranges::find(source, end_id) - source.begin() + 2;
  const auto row = std::ssize(batch.input.types);
  batch.input.types.resize(ids.size());
  const auto second = std::min(row + first_text, std::ssize(ids));
  std::fill(batch.input.types.begin() + second, batch.input.types.end(), TokenId{1});
  close_sequence(batch.context);
  close_sequence(batch.input);
}

// Text and begin mark, at which the class follows.
void append_class_at_end(const Example& example, const Layout& layout, Batch& batch) {
  append_prompt(example.source, layout, batch.context, batch.input);
  batch.labels.rows.push_back(batch.input.rows() - 1);
  append(batch.labels.ids, example.target);
  close_sequence(batch.input, prefix_of(example.source, layout));
}

void append_window(const TextWindows& windows, const Window& window, Batch& batch) {
  const TokenText& text = *windows.text;
  const Index first = batch.input.rows() + window.unlabelled;
  batch.input.ids.push_back(window.opens ? begin_id : text[window.first - 1]);
  text.append_to(batch.input.ids, window.first, window.rows - 1);
  close_sequence(batch.context);
  close_sequence(batch.input);
  if (windows.memory > 0) {
    batch.input.segments.list.back().position = window.position;
    batch.input.lanes.push_back(window.run);
  }
  text.append_to(batch.labels.ids, window.first + window.unlabelled,
                 window.rows - window.unlabelled);
  label_rows_from(batch, first);
}

// Begin mark and the window's own tokens. Those that are masked have their token as label.
void append_masked_window(const TextWindows& windows, const Window& window, Batch& batch) {
  PoolVector<TokenId>& ids = batch.input.ids;
  ids.push_back(begin_id);
  const auto first = std::ssize(ids);
  windows.text->append_to(ids, window.first, window.rows);
  for (const MaskedToken& masked : windows.masking->of({ids.begin() + first, ids.end()}, window)) {
    TokenId& token = ids[static_cast<std::size_t>(first + masked.row)];
    batch.labels.rows.push_back(first + masked.row);
    batch.labels.ids.push_back(token);
    token = masked.read;
  }
  close_sequence(batch.context);
  close_sequence(batch.input);
}

void append_example(const Split& split, Index number, const Layout& layout, Batch& batch) {
  const bool alone = layout.input == InputRows::source;
  if (split.is_text()) {
    const Window window = split.windows.list[number];
    alone ? append_masked_window(split.windows, window, batch)
          : append_window(split.windows, window, batch);
    return;
  }
  const Example& example = split.examples[static_cast<std::size_t>(number)];
  if (split.classes) {
    alone ? append_class_in_front(example, batch) : append_class_at_end(example, layout, batch);
  } else {
    alone ? append_labelled_tokens(example, batch) : append_pair(example, layout, batch);
  }
}

}  // namespace

ExampleRows example_rows(const Split& split, Index number, const Layout& layout) {
  const bool alone = layout.input == InputRows::source;
  if (split.is_text()) {
    return {.context = 0, .input = split.windows.list[number].rows + (alone ? 1 : 0)};
  }
  const auto& [source, target] = split.examples[static_cast<std::size_t>(number)];
  const Index tokens = std::ssize(source);
  if (split.classes) {
    return {.context = 0, .input = tokens + (alone ? 2 : 1)};
  }
  if (alone) {
    return {.context = 0, .input = tokens};
  }
  const Index labels = std::ssize(target) + 1;
  return layout.in_one_sequence() ? ExampleRows{.context = 0, .input = tokens + labels}
                                  : ExampleRows{.context = tokens + 1, .input = labels};
}

Index remembered_rows(const Split& split, Index number) {
  return split.windows.memory == 0
             ? 0
             : std::min(split.windows.memory, split.windows.list[number].position);
}

Index label_rows(const Split& split, Index number, const Layout& layout) {
  const bool alone = layout.input == InputRows::source;
  if (split.is_text()) {
    const Window window = split.windows.list[number];
    if (!alone) {
      return window.rows - window.unlabelled;
    }
    PoolVector<TokenId> ids;
    split.windows.text->append_to(ids, window.first, window.rows);
    return std::ssize(split.windows.masking->of({ids.begin(), ids.end()}, window));
  }
  const auto& [source, target] = split.examples[static_cast<std::size_t>(number)];
  if (split.classes) {
    return 1;
  }
  return alone ? std::ssize(source) : std::ssize(target) + 1;
}

Batch make_batch(const Split& split, const std::vector<Index>& examples, const Layout& layout) {
  Batch batch;
  batch.examples.assign(examples.begin(), examples.end());
  batch.labels.every_row = every_row_has_label(split, examples, layout);
  for (const Index number : examples) {
    append_example(split, number, layout, batch);
  }
  return batch;
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

Prompts make_prompts(const Split& split, const std::vector<Index>& examples, const Layout& layout) {
  Prompts prompts;
  for (const Index number : examples) {
    const Ids& source = split.examples[static_cast<std::size_t>(number)].source;
    append_prompt(source, layout, prompts.context, prompts.input);
    close_sequence(prompts.input, prefix_of(source, layout));
  }
  return prompts;
}

}  // namespace tapehead
