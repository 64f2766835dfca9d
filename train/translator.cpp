#include "train/translator.hpp"

#include "train/example_decoding.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

Translator::Translator(const SavedRun& run, Workers& workers, const DecodingOptions& options,
                       Index batch_tokens)
    : run_(run), workers_(workers), options_(options), batch_tokens_(batch_tokens) {}

std::vector<std::vector<Translation>> Translator::translate(std::span<const std::string> lines,
                                                            const CutWarning& cut) const {
  const Index most = run_.config.model.max_positions - 1;  // the end mark takes one
  std::vector<std::vector<Translation>> results(lines.size());
  Split split;
  std::vector<std::size_t> line_of;  // each example's line
  for (std::size_t line = 0; line < lines.size(); ++line) {
    Example example{.source = run_.tokenizers.source->encode(lines[line]), .target = {}};
    const auto tokens = static_cast<Index>(example.source.size());
    if (tokens == 0) {
      results[line].emplace_back();
      continue;
    }
    if (tokens > most) {
      cut(static_cast<Index>(line), tokens, most);
      example.source.resize(static_cast<std::size_t>(most));
    }
    split.examples.push_back(std::move(example));
    line_of.push_back(line);
  }
  const auto outputs = decode_examples(run_.model.transformer, run_.model.store, split,
                                       batch_tokens_, options_, workers_);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const Hypothesis& hypothesis : outputs[i]) {
      results[line_of[i]].push_back(
          {run_.tokenizers.target->decode(hypothesis.tokens), hypothesis.score});
    }
  }
  return results;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
