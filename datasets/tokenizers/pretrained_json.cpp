#include "datasets/tokenizers/pretrained_json.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "datasets/tokenizers/byte_bpe.hpp"
#include "datasets/tokenizers/pretrained_entries.hpp"

namespace tapehead {

namespace {

using Json = nlohmann::json;

constexpr const char* only_gpt2 = "byte-level BPE as in GPT-2 has none of it";

[[noreturn]] void refuse(std::string_view part, const Json& value, std::string_view supported) {
  throw DataError(fmt::format(
      "{} is {}, which is not supported ({})", part,
      value.is_string() ? fmt::format("`{}`", value.get<std::string>()) : value.dump(), supported));
}

// A part that may be missing.
Json part_of(const Json& of, const char* part) {
  const auto found = of.find(part);
  return found == of.end() ? Json() : *found;
}

// A sequence is named with its steps, and their patterns.
void expect_type(const Json& of, const char* name, const Json& expected) {
  const Json part = part_of(of, name);
  const Json type = part.is_null() ? Json() : part.at("type");
  if (type != expected) {
    refuse(name, type == "Sequence" ? part : type, fmt::format("only {}", expected.dump()));
  }
}

// Options that would change the tokens, with the value that leaves them as they are. A missing
// option has this value.
void expect_options(const Json& part, std::string_view name,
                    std::initializer_list<std::pair<const char*, Json>> expected) {
  for (const auto& [option, usual] : expected) {
    const auto found = part.find(option);
    const bool empty = found == part.end() || found->is_null() || *found == "";
    if (!empty && *found != usual) {
      refuse(fmt::format("{}.{}", name, option), *found, only_gpt2);
    }
  }
}

BytePairs::Pair sides_of(std::string_view merge) {
  const std::size_t space = merge.find(' ');
  if (space == 0 || space == std::string_view::npos || space + 1 == merge.size() ||
      merge.find(' ', space + 1) != std::string_view::npos) {
    throw DataError(fmt::format("the merge `{}` is not two entries with a space between", merge));
  }
  return {std::string(merge.substr(0, space)), std::string(merge.substr(space + 1))};
}

// Each is "a b" or, since version 0.20 of the package, ["a", "b"].
std::vector<BytePairs::Pair> merges_of(const Json& merges) {
  std::vector<BytePairs::Pair> pairs;
  for (const Json& merge : merges) {
    pairs.push_back(merge.is_string() ? sides_of(merge.get_ref<const std::string&>())
                                      : merge.get<BytePairs::Pair>());
  }
  return pairs;
}

PretrainedTokenizer byte_bpe_with(const FileVocabulary& vocabulary,
                                  std::vector<BytePairs::Pair> merges) {
  PretrainedEntries entries = renumbered(vocabulary);
  return {.tokenizer = std::make_shared<ByteBpe>(
              BytePairs{.entries = std::move(entries.entries), .merges = std::move(merges)}),
          .file_ids = std::move(entries.file_ids),
          .mask = entries.mask};
}

// Entries that are not in the vocabulary of the model: marks.
void add_marks(const Json& json, FileVocabulary& vocabulary) {
  for (const Json& token : json.value("added_tokens", Json::array())) {
    const auto content = token.at("content").get<std::string>();
    if (!token.value("special", false)) {
      throw DataError(fmt::format(
          "the added token `{}` is text, which is not supported (only marks: \"special\": true)",
          content));
    }
    vocabulary[content] = token.at("id").get<Index>();
  }
}

PretrainedTokenizer byte_bpe_of_json(const Json& json) {
  expect_type(json, "normalizer", nullptr);
  expect_type(json, "pre_tokenizer", "ByteLevel");
  expect_options(json.at("pre_tokenizer"), "pre_tokenizer",
                 {{"add_prefix_space", false}, {"use_regex", true}});
  const Json& model = json.at("model");
  expect_options(model, "model",
                 {{"dropout", nullptr},
                  {"continuing_subword_prefix", nullptr},
                  {"end_of_word_suffix", nullptr},
                  {"byte_fallback", false},
                  {"ignore_merges", false}});
  auto vocabulary = model.at("vocab").get<FileVocabulary>();
  add_marks(json, vocabulary);
  return byte_bpe_with(vocabulary, merges_of(model.at("merges")));
}

}  // namespace

PretrainedTokenizer tokenizer_of_json(const Json& json) {
  expect_type(json, "model", "BPE");
  return byte_bpe_of_json(json);
}

PretrainedTokenizer byte_bpe_of_files(const FileVocabulary& vocabulary, std::string_view merges) {
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
  return byte_bpe_with(vocabulary, std::move(pairs));
}

}  // namespace tapehead
