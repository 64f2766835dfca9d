#include "apps/generated_output.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/files/standard_streams.hpp"
#include "core/shown.hpp"
#include "train/metrics/distinct.hpp"

namespace tapehead {

namespace {

std::string_view name_of(GenerationEnd end) {
  switch (end) {
    case GenerationEnd::mark:
      return "end";
    case GenerationEnd::max_tokens:
      return "max_tokens";
    case GenerationEnd::context:
      return "context";
    case GenerationEnd::caller:
      return "stop";
  }
  return "";
}

std::string json_of(const std::string& prompt, std::size_t sample, const GeneratedText& generated) {
  const auto [words, pairs] = distinct_ngrams({&generated.text, 1});
  const nlohmann::ordered_json json = {{"prompt", prompt},
                                       {"sample", sample},
                                       {"text", generated.text},
                                       {"tokens", generated.tokens.size()},
                                       {"log_probability", generated.log_probability},
                                       {"end", name_of(generated.end)},
                                       {"slid", generated.slid},
                                       {"distinct_1", words},
                                       {"distinct_2", pairs}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

// What would act on a terminal is not written to one as it is.
std::string for_output(std::string_view text) {
  return ::isatty(STDOUT_FILENO) != 0 ? printable(text) : std::string(text);
}

void say_how_varied(const std::vector<std::string>& texts) {
  if (texts.size() < 2) {
    return;
  }
  const auto [words, pairs] = distinct_ngrams(texts);
  spdlog::info(
      "{} texts: distinct-1 {:.3f}, distinct-2 {:.3f} (different words, and pairs of words, over "
      "all)",
      texts.size(), words, pairs);
}

}  // namespace

GeneratedOutput::GeneratedOutput(const GeneratedFormat& format,
                                 const std::vector<std::string>& prompts)
    : format_(format),
      prompts_(prompts),
      single_(prompts.size() * static_cast<std::size_t>(format.samples) == 1) {}

Generator::EachPiece GeneratedOutput::each() const {
  if (!single_ || format_.json) {
    return {};
  }
  return [](Index, Index, std::string_view piece) {
    write_output(for_output(piece));
    flush_output();
  };
}

void GeneratedOutput::begin() const {
  if (each() && format_.of_text) {
    write_output(for_output(prompts_.front()));
  }
}

void GeneratedOutput::end(const std::vector<std::vector<GeneratedText>>& generated) const {
  if (each()) {
    write_output("\n");
    return;
  }
  for (std::size_t i = 0; i < generated.size(); ++i) {
    for (std::size_t sample = 0; sample < generated[i].size(); ++sample) {
      write(i, sample, generated[i][sample]);
    }
  }
}

void GeneratedOutput::write(std::size_t number, std::size_t sample,
                            const GeneratedText& generated) const {
  const std::string& prompt = prompts_[number];
  if (format_.json) {
    write_output(json_of(prompt, sample + 1, generated));
    return;
  }
  write_output(fmt::format("--- prompt {}, sample {}\n{}{}\n", number + 1, sample + 1,
                           for_output(format_.of_text ? prompt : ""), for_output(generated.text)));
}

void say_how_it_went(const std::vector<std::vector<GeneratedText>>& generated,
                     const GeneratorOptions& options, const Generator& generator) {
  Index slid = 0;
  Index without_stop = 0;
  std::vector<std::string> texts;
  for (const auto& samples : generated) {
    for (const GeneratedText& sample : samples) {
      slid += sample.slid ? 1 : 0;
      without_stop += sample.end == GenerationEnd::max_tokens ? 1 : 0;
      texts.push_back(sample.text);
    }
  }
  if (slid > 0) {
    spdlog::info(
        "{} of the texts became longer than the context of {} tokens; each time, the model {} {}",
        slid, generator.context(), generator.forgets() ? "forgot all but" : "went on from",
        generator.what_is_kept());
  }
  if (!options.stop.empty() && without_stop > 0) {
    spdlog::info("{} of the texts ended after {} tokens without the stop text", without_stop,
                 options.max_tokens);
  }
  say_how_varied(texts);
}

}  // namespace tapehead
