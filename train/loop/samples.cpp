#include "train/loop/samples.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// `margin` is before each line.
std::vector<std::string> sample_texts(const Split& split, const Evaluation& evaluation, Index count,
                                      std::string_view margin) {
  std::vector<std::string> texts(
      std::min(evaluation.outputs.size(), static_cast<std::size_t>(count)));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] =
        fmt::format("{0}{1}\n{0}  -> {2}", margin, split.source_texts[i], evaluation.outputs[i]);
    if (!evaluation.right[i]) {
      texts[i] += fmt::format("\n{}  != {}", margin, split.references[i]);
    }
  }
  return texts;
}

}  // namespace

std::vector<std::string> samples_of(const Split& split, const Evaluation& evaluation, Index count) {
  return sample_texts(split, evaluation, count, "");
}

void show_samples(const Split& split, const Evaluation& evaluation, Index count) {
  for (const std::string& text : sample_texts(split, evaluation, count, "    ")) {
    spdlog::info("{}", text);
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
