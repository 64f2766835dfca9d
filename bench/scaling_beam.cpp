// Decoding over the beam width, by a model of size B with its first weights.
#include <algorithm>
#include <vector>

#include "bench/apart.hpp"
#include "bench/report.hpp"
#include "bench/scaling.hpp"
#include "bench/step_subject.hpp"
#include "core/clock.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "nn/generation/decoding.hpp"
#include "train/experiment.hpp"

namespace tapehead {

namespace {

nlohmann::ordered_json measure(Index beam, Index sentences) {
  const StepSubject subject = subject_of(step_sizes[1]);
  const Model model(subject.config, subject.source_vocabulary, subject.target_vocabulary);
  const Batch& batch = subject.steps.front().front();
  Tokens sources = batch.context;
  sources.segments.list.resize(static_cast<std::size_t>(sentences));
  sources.ids.resize(static_cast<std::size_t>(row_count(sources.segments)));
  const Prompts prompts = prompts_after(sources, begin_id);
  double best = 1e9;
  Index written = 0;
  for (int i = 0; i < 3; ++i) {
    const auto begin = Clock::now();
    const auto outputs = decode_batch(model.transformer, model.store, prompts,
                                      {.beam = beam, .max_extra_length = 1});
    best = std::min(best, seconds_since(begin));
    written = 0;
    for (const auto& hypotheses : outputs) {
      written += static_cast<Index>(hypotheses.front().tokens.size());
    }
  }
  return {{"beam", beam},
          {"sentences", sentences},
          {"ms", 1e3 * best},
          {"ms_per_sentence", 1e3 * best / static_cast<double>(sentences)},
          {"tokens_per_second", static_cast<double>(written) / best}};
}

}  // namespace

void scale_beam(const ScalingOptions& options) {
  Report report({{.place = "/beam", .title = "beam"},
                 {.place = "/sentences", .title = "sentences"},
                 {.place = "/ms", .title = "ms", .decimals = 1},
                 {.place = "/ms_per_sentence", .title = "a sentence", .decimals = 2},
                 {.place = "/tokens_per_second", .title = "tokens/s"},
                 {.place = "/times_greedy", .title = "x greedy", .decimals = 2}},
                options.json);
  double greedy = 0;
  for (const Index beam :
       options.quick ? std::vector<Index>{1} : std::vector<Index>{1, 2, 4, 8, 16}) {
    auto row = measure_apart([&] { return measure(beam, options.quick ? 2 : 32); });
    greedy = greedy == 0 ? row.at("ms").get<double>() : greedy;
    row["times_greedy"] = row.at("ms").get<double>() / greedy;
    report.row(row);
  }
}

}  // namespace tapehead
