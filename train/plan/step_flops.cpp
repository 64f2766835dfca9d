#include "train/plan/step_flops.hpp"

namespace tapehead {

namespace {

void add_sizes(SequenceSizes& sizes, const SequenceSizes& other, double times) {
  for (const auto& [size, count] : other) {
    sizes[size] += times * count;
  }
}

SequenceSizes sizes_of(const Segments& queries, const Segments& keys) {
  SequenceSizes sizes;
  for (Index i = 0; i < queries.count(); ++i) {
    if (queries[i].rows > 0 && keys[i].rows > 0) {
      ++sizes[{.queries = queries[i].rows,
               .keys = keys[i].rows,
               .query_position = queries[i].position,
               .key_position = keys[i].position,
               .prefix = queries[i].prefix}];
    }
  }
  return sizes;
}

// Multiply-adds of the scores and weighted sums of an attention, forward.
double pair_multiply_adds(const AttentionSpec& spec, const SequenceSizes& sizes,
                          CountedPairs counted) {
  const auto& patterns = spec.pattern.values;  // one for each head, or one for all
  const double heads = static_cast<double>(spec.heads) / static_cast<double>(patterns.size());
  double total = 0;
  for (const AttentionPattern& of_head : patterns) {
    const Pattern pattern = counted == CountedPairs::all
                                ? Pattern::full()
                                : of_head.pattern(spec.kind == AttentionKind::decoder_self);
    for (const auto& [size, count] : sizes) {
      const HeadPairs pairs = allowed_pairs(pattern, size);
      total += count * heads *
               (static_cast<double>(spec.d_qk) * pairs.scores +
                static_cast<double>(spec.d_v) * pairs.sums);
    }
  }
  return total;
}

}  // namespace

void StepRows::add(const StepRows& other, double times) {
  source += times * other.source;
  target += times * other.target;
  labels += times * other.labels;
  past += times * other.past;
  add_sizes(source_sizes, other.source_sizes, times);
  add_sizes(target_sizes, other.target_sizes, times);
  add_sizes(cross_sizes, other.cross_sizes, times);
}

StepRows rows_of(const Batch& batch, Index memory) {
  const Segments& source = batch.context.segments;
  const Segments& target = batch.input.segments;
  const Segments past = rows_before(target, memory);
  return {.source = static_cast<double>(batch.context.rows()),
          .target = static_cast<double>(batch.input.rows()),
          .source_sizes = sizes_of(source, source),
          .target_sizes = sizes_of(target, joined(past, target)),
          .cross_sizes = sizes_of(target, source),
          .labels = static_cast<double>(batch.labels.count()),
          .past = static_cast<double>(row_count(past))};
}

// Packs a few examples at a time, because a whole split may need a large part of the memory.
StepRows mean_rows(const Source& source, Index steps, Index memory) {
  constexpr Index together = 256;
  StepRows sum;
  for (Index first = 0; first < source.size(); first += together) {
    const Index end = std::min(first + together, source.size());
    const auto numbers = mapped(std::views::iota(first, end), std::identity());
    sum.add(rows_of(pack(source, numbers), memory));
  }
  StepRows mean;
  mean.add(sum, 1 / static_cast<double>(steps));
  return mean;
}

HeadPairs allowed_pairs(const Pattern& pattern, const SequenceSize& size) {
  const Segment queries{.rows = size.queries, .position = size.query_position};
  const Segment keys{.rows = size.keys, .position = size.key_position};
  std::vector<Index> keys_of(static_cast<std::size_t>(size.queries), 0);
  const auto add = [&](const PatternRange& part) {
    for (Index i = 0; i < part.queries.rows; ++i) {
      const PositionRange seen = part.ranges.of(part.queries.position + i);
      const Index first = std::max(seen.first, part.keys.position);
      const Index last = std::min(seen.last, part.keys.position + part.keys.rows - 1);
      keys_of[static_cast<std::size_t>(part.queries.first + i * part.queries.step)] +=
          std::max<Index>(0, last - first + 1);
    }
  };
  if (pattern.is_range(size.prefix)) {
    add({.queries = {.rows = queries.rows, .position = queries.position},
         .keys = {.rows = keys.rows, .position = keys.position},
         .ranges = pattern.bounds(size.prefix)});
  } else if (size.prefix > 0 || pattern.has_rule()) {
    const auto marks = std::make_unique<bool[]>(static_cast<std::size_t>(size.keys));
    const std::span<bool> allowed(marks.get(), static_cast<std::size_t>(size.keys));
    for (Index i = 0; i < size.queries; ++i) {
      pattern.mark(size.query_position + i, size.key_position, allowed, size.prefix);
      keys_of[static_cast<std::size_t>(i)] = std::ranges::count(allowed, true);
    }
  } else {
    for_each_pattern_range(pattern, queries, keys, add);
  }
  HeadPairs pairs;
  for (const Index count : keys_of) {
    pairs.scores += static_cast<double>(count);
    pairs.sums +=
        static_cast<double>(pattern.top_count() > 0 ? std::min(count, pattern.top_count()) : count);
  }
  return pairs;
}

AttentionParts attention_parts(const AttentionSpec& spec, StackName main_stack,
                               const StepRows& rows, CountedPairs counted, double passes) {
  const AttentionWork work = attention_work(spec);
  const bool of_source = stack_of(spec.kind) != main_stack;
  const double own_rows = of_source ? rows.source : rows.target;
  const SequenceSizes& sizes = !spec.is_self() ? rows.cross_sizes
                               : of_source     ? rows.source_sizes
                                               : rows.target_sizes;
  return {.projections = passes * (work.query_row * own_rows + work.key_row * rows.source +
                                   work.past_row * (of_source ? 0 : rows.past)),
          .pairs = passes * pair_multiply_adds(spec, sizes, counted),
          .output = passes * work.output_row * own_rows};
}

double step_flops(const ModelOptions& model, Index target_vocabulary, const StepRows& rows,
                  CountedPairs counted) {
  const auto D = static_cast<double>(model.d_model);
  const double matrices = model.feed_forward == FeedForwardKind::gated ? 3 : 2;
  const double feed_forward = matrices * D * static_cast<double>(model.feed_forward_width());
  // The map of a factored embedding, and the output head, which sees only rows with a label.
  const double embedding =
      model.factored_embedding() ? static_cast<double>(model.embedding_width()) * D : 0;
  const double transform = model.head_transform == HeadTransform::none ? 0 : D;
  const double output = (transform + static_cast<double>(target_vocabulary)) *
                        static_cast<double>(model.output_width());
  const auto layer_rows = [&](StackName stack) {
    return static_cast<double>(model.layers_of(stack)) *
           (stack == model.traits().main ? rows.target : rows.source);
  };
  double total = (layer_rows(StackName::encoder) + layer_rows(StackName::decoder)) * feed_forward +
                 (rows.source + rows.target) * embedding + rows.labels * output;
  for (const AttentionSpec& spec : attention_specs(model)) {
    total += attention_parts(spec, model.traits().main, rows, counted).all();
  }
  return 6 * total;
}

}  // namespace tapehead
