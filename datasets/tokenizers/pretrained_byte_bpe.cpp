#include "datasets/tokenizers/pretrained_byte_bpe.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/tokenizer_json.hpp"

namespace tapehead {

namespace {

BytePairs::Pair sides_of(std::string_view merge) {
  const std::size_t space = merge.find(' ');
  if (space == 0 || space == std::string_view::npos || space + 1 == merge.size() ||
      merge.find(' ', space + 1) != std::string_view::npos) {
    throw DataError(fmt::format("the merge `{}` is not two entries with a space between", merge));
  }
  return {std::string(merge.substr(0, space)), std::string(merge.substr(space + 1))};
}

// Each is "a b" or, since version 0.20 of the package, ["a", "b"].
std::vector<BytePairs::Pair> merges_of(const nlohmann::json& merges) {
  std::vector<BytePairs::Pair> pairs;
  for (const nlohmann::json& merge : merges) {
    pairs.push_back(merge.is_string() ? sides_of(merge.get_ref<const std::string&>())
                                      : merge.get<BytePairs::Pair>());
  }
  return pairs;
}

PretrainedTokenizer byte_bpe_with(const FileVocabulary& vocabulary,
                                  std::vector<BytePairs::Pair> merges,
                                  const FindMarks& find_marks) {
  PretrainedEntries entries = renumbered(vocabulary, find_marks(vocabulary));
  return {.tokenizer = std::make_shared<ByteBpe>(
              BytePairs{.entries = std::move(entries.entries), .merges = std::move(merges)}),
          .file_ids = std::move(entries.file_ids),
          .mask = entries.mask};
}

}  // namespace

PretrainedTokenizer byte_bpe_of_json(const nlohmann::json& tokenizer, const FindMarks& find_marks) {
  expect_type(tokenizer, "normalizer", nullptr);
  expect_type(tokenizer, "pre_tokenizer", "ByteLevel");
  expect_options(tokenizer, "pre_tokenizer", {{"add_prefix_space", false}, {"use_regex", true}});
  expect_options(tokenizer, "model",
                 {{"dropout", nullptr},
                  {"continuing_subword_prefix", nullptr},
                  {"end_of_word_suffix", nullptr},
                  {"byte_fallback", false},
                  {"ignore_merges", false}});
  return byte_bpe_with(vocabulary_of(tokenizer), merges_of(tokenizer.at("model").at("merges")),
                       find_marks);
}

PretrainedTokenizer byte_bpe_of_files(const FileVocabulary& vocabulary, std::string_view merges,
                                      const nlohmann::json& config, const FindMarks& find_marks) {
  expect_options({{"tokenizer_config", config}}, "tokenizer_config", {{"add_prefix_space", false}});
  std::vector<BytePairs::Pair> pairs;
  while (!merges.empty()) {
    const std::size_t end = std::min(merges.find('\n'), merges.size());
    std::string_view line = merges.substr(0, end);
    merges.remove_prefix(std::min(end + 1, merges.size()));
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (!line.empty() && !line.starts_with("#version")) {
      pairs.push_back(sides_of(line));
    }
  }
  return byte_bpe_with(vocabulary, std::move(pairs), find_marks);
}

}  // namespace tapehead
