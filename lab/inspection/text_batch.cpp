#include "lab/inspection/text_batch.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "predict/predictor.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void expect_known(const std::vector<TokenId>& tokens, const std::string& text, const char* what) {
  const auto unknown = [](TokenId token) { return token == unknown_id; };
  if (!tokens.empty() && std::ranges::all_of(tokens, unknown)) {
    throw DataError(
        fmt::format("the run's tokenizer knows no token of the {} {}", what, shown(text)));
  }
}

// A text with a token, at least one of which is known, and likewise its target.
LineRead read_line(const Reader& reader, const AskedLine& line) {
  LineRead read = reader.read(line);
  if (read.tokens.empty()) {
    throw DataError("the text has no token");
  }
  expect_known(read.tokens, line.text, "text");
  const std::vector<EncodedText> texts = reader.encoded(read);
  if (texts.size() > 1) {
    expect_known(texts[1].tokens, texts[1].text, "target");
  }
  return read;
}

}  // namespace

TextBatch read_text(const SavedRun& run, const EnsembleMember& model, const std::string& text,
                    const std::optional<std::string>& target, Workers& workers) {
  const Predictor predictor(run, workers);
  const Reader& reader = predictor.reader();
  if (target && !reader.has_targets()) {
    throw ConfigError(
        fmt::format("run {} is a language model, which reads one text: leave --target out",
                    run.directory.string()));
  }
  LineRead read = read_line(reader, {.text = text, .target = target});
  const auto as_read = [&] { return reader.source({&read, 1}, layout_of(run.config.model)); };
  predictor.expect_positions(read, "the text");
  const bool generated = reader.has_targets() && !target;
  bool unfinished = false;
  if (generated) {
    const ModelAndSource asked{.model = model, .source = as_read()};
    const Hypothesis output = decode_examples({&asked, 1}, decoding_batch_tokens,
                                              decoding_options(run.config.evaluation), workers)
                                  .front()
                                  .front();
    read.target_tokens = output.tokens;
    unfinished = !output.ended;
    // An output that fills all positions has a last token that no position reads.
    const Index too_many = as_read()->lengths(0).input - run.config.model.max_positions;
    if (too_many > 0) {
      read.target_tokens.resize(read.target_tokens.size() - static_cast<std::size_t>(too_many));
    }
  }
  predictor.expect_positions(read, "the text with its target");
  return {.batch = pack(*as_read(), {0}),
          .target = reader.target_text(read),
          .read = std::move(read),
          .generated = generated,
          .unfinished = unfinished};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
