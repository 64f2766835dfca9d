// Training steps with options of attention beside steps without them, in turns.
#include <string>
#include <vector>

#include "bench/apart.hpp"
#include "bench/heads.hpp"
#include "bench/report.hpp"
#include "bench/step_run.hpp"

namespace tapehead {

namespace {

const StepSize& size_for(const HeadsBenchOptions& options) {
  return step_sizes[options.quick ? 0 : 1];
}

StepSize with_length(StepSize size, Index length) {
  size.sequences = size.tokens() / length;
  size.length = length;
  return size;
}

StepSubject named(const StepSize& size, const std::string& name, const Overrides& overrides) {
  StepSubject subject = subject_of(size, overrides);
  subject.name = name;
  return subject;
}

Report variants_table(bool json) {
  return Report(
      {{.place = "/options", .title = "options", .width = 36},
       {.place = "/threads", .title = "threads"},
       {.place = "/plain_ms", .title = "beside ms", .decimals = 2},
       {.place = "/ms", .title = "ms", .decimals = 2},
       {.place = "/time_ratio", .title = "x time", .decimals = 2},
       {.place = "/time_ratio_per_multiply_add", .title = "a multiply-add", .decimals = 2}},
      json);
}

// Every list of overrides beside none.
void compare(const HeadsBenchOptions& options, const StepSize& size,
             const std::vector<Overrides>& variants) {
  Report table = variants_table(options.json);
  for (const Overrides& variant : variants) {
    std::string name;
    for (const std::string& option : variant) {
      name += (name.empty() ? "" : " ") + option;
    }
    table.row(measure_apart([&] {
      const auto rows = compare_steps({named(size, "plain", {}), named(size, name, variant)},
                                      options.threads, options.quick ? 0 : options.seconds);
      nlohmann::ordered_json row = rows.back();
      row["plain_ms"] = rows.front().at("ms");
      return row;
    }));
  }
}

}  // namespace

void steps_over_options(const HeadsBenchOptions& options) {
  std::vector<Overrides> variants;
  for (const char* option : {"positions=rotary",   "positions=alibi",
                             "positions=t5",       "positions=relative_keys",
                             "positions=relative", "positions=transformer_xl",
                             "score=cosine",       "score=bilinear",
                             "score=additive",     "gates=l0",
                             "scale=learned",      "kv_heads=2",
                             "kv_heads=1",         "sharing=query_key",
                             "sharing=key_value",  "sharing=all",
                             "sharing=identity",   "head_weights=tied",
                             "input=narrow",       "combine=concatenate",
                             "combine=mean",       "combine=weighted",
                             "head_dropout=0.1",   "pattern=window 8",
                             "pattern=top_k 8"}) {
    variants.push_back({std::string("attention.") + option});
    if (options.quick) {
      break;
    }
  }
  compare(options, size_for(options), variants);
}

void steps_over_patterns(const HeadsBenchOptions& options) {
  std::vector<Overrides> variants{{"attention.pattern=window 32"}};
  if (!options.quick) {
    variants.push_back({"attention.pattern=strided 32"});
    variants.push_back({"attention.pattern=blocks 64"});
    variants.push_back({"attention.pattern=fixed 32 4"});
  }
  compare(options, with_length(size_for(options), 512), variants);
}

// As tapehead prune leaves it: heads as wide as they were.
void steps_without_heads(const HeadsBenchOptions& options) {
  const StepSize& size = size_for(options);
  const std::string width = std::to_string(size.d_model / size.heads);
  const Overrides half{"attention.heads=" + std::to_string(size.heads / 2),
                       "attention.d_qk=" + width, "attention.d_v=" + width};
  compare(options, size, {half});
  if (!options.quick) {
    compare(options, with_length(size, 512), {half});
  }
}

}  // namespace tapehead
