#include "bench/measure.hpp"

#include <cstdio>

#include "core/product/matrix_product.hpp"
#include "core/random/draws.hpp"
#include "train/plan/step_flops.hpp"
#include "train/step/training_position.hpp"

namespace tapehead {

namespace {

constexpr std::size_t most_steps = 64;

// `count` sequences of `length` target rows each and, with `has_source`, of `length` source rows.
Batch random_batch(Index count, Index length, Index vocabulary, bool has_source) {
  const Draws draws(1, "bench.step", 0);
  const auto token = [&](Index at) {
    return static_cast<TokenId>(draw_below(draws, static_cast<std::uint64_t>(at), vocabulary));
  };
  Batch batch;
  const std::vector<Index> lengths(static_cast<std::size_t>(count), length);
  const std::vector<Index> none(lengths.size(), 0);
  batch.input.segments = segments_of(lengths);
  batch.context.segments = segments_of(has_source ? lengths : none);
  for (Index i = 0; i < count * length; ++i) {
    if (has_source) {
      batch.context.ids.push_back(token(3 * i));
    }
    batch.input.ids.push_back(token(3 * i + 1));
    batch.labels.ids.push_back(token(3 * i + 2));
  }
  for (Index i = 0; i < count; ++i) {
    batch.examples.push_back(i);
  }
  return batch;
}

StepSubject random_subject(const std::string& name, const std::string& text, Index vocabulary,
                           Batch batch, const Overrides& overrides) {
  return {.name = name,
          .config = parse_config(text, "size " + name, overrides).config,
          .source_vocabulary = vocabulary,
          .target_vocabulary = vocabulary,
          .steps = {{std::move(batch)}}};
}

StepSubject subject_of_config(const std::string& path, const Overrides& overrides) {
  const Config config = load_config(path, overrides).config;
  const Task task = make_task(config, config.task);
  TrainingBatches batches(config, task);
  std::vector<std::vector<Batch>> steps;
  for (TrainingPosition position; position.epoch == 0 && steps.size() < most_steps;) {
    steps.push_back(batches.next(position));
  }
  return {.name = path,
          .config = config,
          .source_vocabulary = task.source_tokenizer->size(),
          .target_vocabulary = task.target_tokenizer->size(),
          .steps = std::move(steps)};
}

}  // namespace

Json measure_apart(const std::function<Json()>& measure) {
  return Json::parse(isolated([&] {
    prepare_blas();
    return measure().dump();
  }));
}

double peak_memory_mb() { return static_cast<double>(process_memory().peak) / 1e6; }

double sgemm_rate(Index rows, Index columns, Index depth) {
  const Tensor a = Tensor::full({rows, depth}, 1);
  const Tensor b = Tensor::full({columns, depth}, 1);
  Tensor c = Tensor::zeros({rows, columns});
  const double flops = 2 * static_cast<double>(rows * columns * depth);
  const auto together = static_cast<Index>(std::max(1.0, 1e8 / flops));  // about a millisecond
  const auto time = [&](const auto& product) {
    return seconds_of([&] {
      for (Index i = 0; i < together; ++i) {
        product(rows, columns, depth, MatrixView{a.data(), depth},
                MatrixView{b.data(), depth, true}, c.data(), columns, false);
      }
    });
  };
  const auto fastest = [](const auto&... arguments) { matrix_product(arguments...); };
  const auto times = repeat(8, 0, [&] { return std::min(time(blas_product), time(fastest)); });
  return static_cast<double>(together) * flops / std::ranges::min(times) / 1e9;
}

double copy_rate() {
  constexpr std::size_t bytes = 64'000'000;
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes, 2);
  const auto copy = [&] {
    std::memcpy(to.data(), from.data(), bytes);
    static_cast<void>(*static_cast<const volatile char*>(&to[bytes / 2]));  // keeps the copy
  };
  const auto times = repeat(5, 0, [&] { return seconds_of(copy); });
  return 2 * static_cast<double>(bytes) / std::ranges::min(times) / 1e9;
}

Tensor varied_numbers(const Shape& shape) {
  Tensor tensor = Tensor::empty(shape);
  Index at = 0;
  for (Scalar& number : tensor.values()) {
    number = static_cast<Scalar>(at++ * 37 % 101 - 50) / 50;
  }
  return tensor;
}

void Report::row(const Json& values) {
  const auto text_of = [](const Json& value) {
    if (!value.is_number_float()) {
      return value.is_string() ? value.get<std::string>() : value.dump();
    }
    const auto number = value.get<double>();
    const int digits = static_cast<int>(std::log10(std::max(1.0, std::abs(number))));
    return fmt::format("{:.{}f}", number, std::max(0, 3 - digits));
  };
  std::string titles;
  std::string cells;
  for (const std::string& column : columns_) {
    const Json::json_pointer place('/' + column);
    const std::string& title = place.back();
    const std::string cell = values.contains(place) ? text_of(values.at(place)) : "-";
    if (titles.empty()) {
      titles = fmt::format("{:<{}}", title, width_);
      cells = fmt::format("{:<{}}", cell, width_);
    } else {
      const std::size_t width = std::max<std::size_t>(7, title.size());
      titles += fmt::format("  {:>{}}", title, width);
      cells += fmt::format("  {:>{}}", cell, width);
    }
  }
  fmt::print("{}\n", json_ ? values.dump() : has_header_ ? cells : titles + '\n' + cells);
  has_header_ = true;
  std::fflush(stdout);
}

const StepSize* size_named(const std::string& name) {
  const auto* const size = std::ranges::find(step_sizes, name, &StepSize::name);
  return size == step_sizes.end() ? nullptr : size;
}

StepSubject subject_of(const StepSize& size, const Overrides& overrides) {
  const std::string text = fmt::format(
      "model: {{d_model: {}, heads: {}, d_ff: {}, layers: {}}}\n"
      "training: {{label_smoothing: 0.1, batch_tokens: {}}}\n",
      size.d_model, size.heads, size.d_ff, size.layers, size.tokens());
  return random_subject(std::string(size.name), text, size.vocabulary,
                        random_batch(size.sequences, size.length, size.vocabulary, true),
                        overrides);
}

StepSubject subject_named(const std::string& name, const Overrides& overrides) {
  if (const StepSize* const size = size_named(name)) {
    return subject_of(*size, overrides);
  }
  if (name == "lm") {
    return random_subject(
        name,
        "model: {preset: gpt2, family: decoder, d_model: 128, heads: 4, layers: 4, dropout: 0, "
        "max_positions: 64, activation: gelu_exact, bias_attention: false, "
        "bias_feed_forward: false, bias_norm: false}\n"
        "training: {optimizer: adamw, weight_decay: 0.1, clip_norm: 1, batch_tokens: 768}\n",
        65, random_batch(12, 64, 65, false), overrides);
  }
  if (!fs::exists(name)) {
    throw ConfigError("no size and no config {}: the sizes are A, B, C, D, lm", name);
  }
  return subject_of_config(name, overrides);
}

StepRun::StepRun(const StepSubject& subject, Index threads, Ranks& ranks)
    : subject_(subject),
      model_(subject.config, subject.source_vocabulary, subject.target_vocabulary),
      workers_(threads),
      loss_(training_loss(model_, subject.config)),
      trainer_(trainer_of(model_, subject.config, {workers_, ranks})) {
  for (const std::vector<Batch>& batches : subject.steps) {
    StepTime& work = work_.emplace_back();
    for (const Batch& batch : batches) {
      work.tokens += static_cast<double>(batch.labels.count());
      work.flops += step_flops(subject.config.model, subject.target_vocabulary,
                               rows_of(batch, subject.config.training.memory), CountedPairs::all);
    }
  }
  step();
}

StepTime StepRun::step(const LossFunction& loss) {
  const std::size_t i = next_++ % work_.size();
  StepTime time = work_[i];
  time.seconds = seconds_of([&] { trainer_.step(subject_.steps[i], loss); });
  return time;
}

}  // namespace tapehead
