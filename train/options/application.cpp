#include "train/options/application.hpp"

#include "datasets/text/text_options.hpp"

namespace tapehead {

bool is_measured(const MetricKind& kind, const Config& config) {
  return is_measured(kind, config.task.kind().examples) &&
         (!use_of(config).mask || kind.of != &Measurable::text);
}

Index context_of(const Config& config) {
  const auto* const text = config.task.find<TextOptions>();
  return text != nullptr ? text->context : config.model.max_positions;
}

void expect_used_with(const Config& config, const std::string& run, std::string_view command) {
  if (use_of(config).command != command) {
    throw ConfigError("run {}: its task is {}; use `{} {}`", run, config.task.kind().name,
                      use_of(config).command, run);
  }
}

void expect_writes(const Config& config, const std::string& run) {
  if (!use_of(config).writes) {
    throw ConfigError("run {}: its model does not write token by token; use `{} {}`", run,
                      use_of(config).command, run);
  }
}

std::vector<TokenId> never_written(bool one_document) {
  return one_document ? std::vector{unknown_id, begin_id, end_id}
                      : std::vector{unknown_id, begin_id};
}

}  // namespace tapehead
