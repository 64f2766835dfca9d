#include "interchange/export_settings.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "interchange/exported_tokenizers.hpp"
#include "train/config/config.hpp"
#include "train/config/meaning.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Json = nlohmann::ordered_json;

Purpose purpose_of(const Config& config) {
  switch (application_of(config)) {
    case Application::classify:
      return Purpose::classes;
    case Application::translate:
      return config.model.family == Family::encoder ? Purpose::token_labels : Purpose::tokens;
    default:
      return Purpose::tokens;
  }
}

std::string_view class_of(const Config& config, const Architecture& architecture) {
  return architecture.classes[static_cast<std::size_t>(purpose_of(config))];
}

Json marks_of(Family family) {
  Json marks = {
      {"bos_token_id", begin_id}, {"eos_token_id", end_id}, {"pad_token_id", padding_of(family)}};
  if (family == Family::encoder_decoder) {
    marks["decoder_start_token_id"] = begin_id;
    marks["forced_eos_token_id"] = end_id;
  }
  return marks;
}

Json labels_of(const Tokenizer& classes) {
  Json names = Json::object();
  Json numbers = Json::object();
  for (Index i = 0; i < classes.size(); ++i) {
    const std::string name = classes.entry(static_cast<TokenId>(i));
    names[std::to_string(i)] = name;
    numbers[name] = i;
  }
  return {{"num_labels", classes.size()}, {"id2label", names}, {"label2id", numbers}};
}

// Two tables have the rows of the larger one there.
Json sizes_of(const SavedRun& run) {
  const Vocabularies& entries = run.model.transformer.vocabularies();
  const Index size = std::max(entries.context, entries.input);
  Json sizes = {{"vocab_size", size}};
  if (run.config.model.family == Family::encoder_decoder) {
    sizes["decoder_vocab_size"] = size;
  }
  return sizes;
}

// Options that a model of theirs may have where ours has none: then those weights are 0 there.
constexpr std::array may_be_zeros{"model.bias_attention", "model.bias_feed_forward",
                                  "model.bias_norm", "model.bias_output", "model.token_types"};

}  // namespace

Json exported_config(const SavedRun& run, const Architecture& architecture) {
  const Purpose purpose = purpose_of(run.config);
  const std::string_view name = class_of(run.config, architecture);
  if (name.empty()) {
    throw ConfigError(fmt::format("a {} that is used by `{}` cannot be exported",
                                  architecture.model_type, command_of(application_of(run.config))));
  }
  Json config = {{"architectures", {name}},
                 {"model_type", architecture.model_type},
                 {"torch_dtype", sizeof(Scalar) == sizeof(float) ? "float32" : "float64"}};
  config.update(architecture.settings(run.config.model));
  config.update(sizes_of(run));
  config.update(marks_of(run.config.model.family));
  if (purpose != Purpose::tokens) {
    config.update(labels_of(*run.tokenizers.target));
  }
  return config;
}

void expect_counterpart(const SavedRun& run, const Architecture& architecture,
                        const TheirConfig& theirs) {
  std::vector<std::string> options = architecture.options(theirs);
  for (const auto& [option, value] : option_values(run.config)) {
    if (std::ranges::find(may_be_zeros, option) != may_be_zeros.end()) {
      options.push_back(fmt::format("{}={}", option, value));
    }
  }
  const std::string task = fmt::format("task:\n{}", dump_section(run.config, "task"));
  const Config there = parse_config(task, "the exported model", options).config;
  const auto differences = meaning_differences(run.config, there);
  if (!differences.empty()) {
    throw ConfigError(fmt::format(
        "the model has no counterpart in another program; the nearest is {}, but these differ:\n"
        "  {}",
        class_of(run.config, architecture), join(differences, "\n  ")));
  }
}

Json exported_generation(const Json& config, const std::vector<TokenId>& never_written,
                         const std::vector<Index>& never_predicted) {
  Json generation = {{"do_sample", false}, {"num_beams", 1}};
  for (const char* setting : {"bos_token_id", "eos_token_id", "pad_token_id",
                              "decoder_start_token_id", "forced_eos_token_id"}) {
    if (config.contains(setting)) {
      generation[setting] = config[setting];
    }
  }
  const char* longest = config.contains("n_positions") ? "n_positions" : "max_position_embeddings";
  generation["max_length"] = config.at(longest);
  std::set<Index> suppressed(never_written.begin(), never_written.end());
  suppressed.insert(never_predicted.begin(), never_predicted.end());
  generation["suppress_tokens"] = suppressed;
  for (const Index id : never_predicted) {
    if (id == unknown_id || id == begin_id) {
      generation["bad_words_ids"].push_back(Json::array({id}));
    }
  }
  return generation;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
