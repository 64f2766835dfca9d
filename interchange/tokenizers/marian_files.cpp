#include "interchange/tokenizers/marian_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

const SentencePieceTokenizer& sentencepiece_of(const Tokenizer& tokenizer, const char* side) {
  const auto* const pieces = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer);
  if (pieces == nullptr) {
    throw DataError(fmt::format(
        "the tokenizer of the {} is no model of SentencePiece, and Marian's files hold no other",
        side));
  }
  return *pieces;
}

// Without the pieces at the end that the tokenizer may not use.
Json ids_of_entries(const SentencePieceTokenizer& tokenizer) {
  Json::object_t ids;
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    ids.emplace_back(tokenizer.entry(id), id);
  }
  return ids;
}

}  // namespace

void write_marian_tokenizers(const Tokenizers& tokenizers, Index longest,
                             const fs::path& directory) {
  const SentencePieceTokenizer& source = sentencepiece_of(*tokenizers.source, "source");
  const SentencePieceTokenizer& target = sentencepiece_of(*tokenizers.target, "target");
  const Json source_ids = ids_of_entries(source);
  const Json target_ids = ids_of_entries(target);
  const bool separate = source_ids != target_ids;
  const Json marks{{"unk_token", source.entry(unknown_id)},
                   {"eos_token", source.entry(end_id)},
                   {"pad_token", source.entry(begin_id)}};
  Json config{{"tokenizer_class", "MarianTokenizer"},
              {"separate_vocabs", separate},
              {"clean_up_tokenization_spaces", false},
              {"split_special_tokens", true}};
  if (longest > 0) {
    config["model_max_length"] = longest;
  }
  config.update(marks);
  make_directories(directory);
  write_file_atomically(directory / "source.spm", with_additions(source.model_in_use(), {}));
  write_file_atomically(directory / "target.spm", with_additions(target.model_in_use(), {}));
  write_json(directory / "vocab.json", source_ids);
  if (separate) {
    write_json(directory / "target_vocab.json", target_ids);
  }
  write_json(directory / "tokenizer_config.json", config);
  write_json(directory / "special_tokens_map.json", marks);
}

}  // namespace tapehead
