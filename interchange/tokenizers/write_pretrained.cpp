// Writes a tokenizer in the file formats of published models, for the Python package transformers
// (AutoTokenizer.from_pretrained).
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr const char* pieces_file = "tokenizer.model";

// Null if the tokenizer is of another kind.
template <class Kind>
const Kind* as(const Tokenizer& tokenizer) {
  return dynamic_cast<const Kind*>(&tokenizer);
}

TokenizerParts parts_of_any(const Tokenizer& tokenizer) {
  if (const auto* units = as<VocabularyTokenizer>(tokenizer)) {
    return parts_of(*units);
  }
  if (const auto* bytes = as<ByteBpe>(tokenizer)) {
    return parts_of(*bytes);
  }
  if (const auto* words = as<WordPiece>(tokenizer)) {
    return parts_of(*words);
  }
  if (const auto* pieces = as<SentencePieceTokenizer>(tokenizer)) {
    return parts_of(*pieces);
  }
  throw DataError("the names of classes are no tokenizer of text");
}

// `before`, `after`: whether the token includes the spaces before or after it.
Json added_token(TokenId id, const std::string& text, bool before = false, bool after = false) {
  return {{"id", id},        {"content", text},     {"single_word", false}, {"lstrip", before},
          {"rstrip", after}, {"normalized", false}, {"special", true}};
}

// A subword at the beginning of a word includes the space before it, and so does the mask. After a
// mask, the package inserts a space for SentencePiece models, so the original one is removed.
Json added_tokens(const Tokenizer& tokenizer, const MarkTexts& texts,
                  const PretrainedMarks& marks) {
  Json tokens = Json::array({added_token(unknown_id, texts.unknown),
                             added_token(begin_id, texts.begin), added_token(end_id, texts.end)});
  if (marks.mask) {
    tokens.push_back(added_token(static_cast<TokenId>(tokenizer.size()), texts.mask,
                                 !tokenizer.word_fronts().begins.empty(),
                                 tokenizer.model() != nullptr));
  }
  return tokens;
}

// The entries of a vocabulary in the order of their ids, without the marks. Throws DataError.
std::vector<std::string> entries_in(const Json& vocabulary) {
  std::vector<std::string> entries(vocabulary.size());
  for (const auto& [entry, id] : vocabulary.items()) {
    const std::size_t at = id.is_number_unsigned() ? id.get<std::size_t>() : entries.size();
    if (at >= entries.size()) {
      throw DataError("the ids are not 0, 1, 2, ...");
    }
    entries[at] = entry;
  }
  entries.erase(entries.begin(),
                entries.begin() + std::min(std::ssize(entries), Index{mark_count}));
  return entries;
}

// The tokenizer that may have written the file; null: none of ours. Throws DataError.
std::shared_ptr<const Tokenizer> tokenizer_in(const fs::path& directory, const Json& file) {
  if (fs::exists(directory / pieces_file)) {
    return std::make_shared<SentencePieceTokenizer>(read_file(directory / pieces_file));
  }
  const Json& model = file.at("model");
  const bool words = model.value("type", "") == "WordLevel";
  if (!words && !(model.value("type", "") == "BPE" && model.at("merges").empty())) {
    return nullptr;
  }
  const bool bytes = !words && !file.value("pre_tokenizer", Json()).is_null();
  return std::make_shared<VocabularyTokenizer>(
      bytes ? all_bytes() : Vocabulary(entries_in(model.at("vocab"))), words   ? Unit::word
                                                                       : bytes ? Unit::byte
                                                                               : Unit::character);
}

// A canonical form, independent of the program that wrote the file: sorted members, no null members
// (RFC 7396), each merge as "a b" instead of ["a", "b"] (since version 0.20 of the package).
nlohmann::json content_of(const Json& part) {
  nlohmann::json content;
  content.merge_patch(part);
  if (content.contains("merges")) {
    for (nlohmann::json& merge : content["merges"]) {
      if (merge.is_array()) {
        merge = join(merge.get<std::vector<std::string>>(), " ");
      }
    }
  }
  return content;
}

bool is_written_of(const Tokenizer& tokenizer, const Json& file) {
  const TokenizerParts parts = parts_of_any(tokenizer);
  const Json own = {{"normalizer", parts.normalizer},
                    {"pre_tokenizer", parts.pre_tokenizer},
                    {"model", parts.model},
                    {"decoder", parts.decoder}};
  return std::ranges::all_of(own.items(), [&](const auto& part) {
    return content_of(file.value(part.key(), Json())) == content_of(part.value());
  });
}

}  // namespace

std::optional<PretrainedTokenizer> read_written_tokenizer(const fs::path& directory) {
  const fs::path whole = directory / "tokenizer.json";
  if (!fs::exists(whole)) {
    return std::nullopt;
  }
  const Json file = parse_json_file(whole);
  try {
    PretrainedTokenizer read{.tokenizer = tokenizer_in(directory, file)};
    if (!read.tokenizer || !is_written_of(*read.tokenizer, file)) {
      return std::nullopt;
    }
    const Index size = read.tokenizer->size();
    read.file_ids = mapped(numbers_below(size), std::identity());
    if (std::ssize(file.at("added_tokens")) > mark_count) {
      read.mask = size;
    }
    return read;
  } catch (const DataError&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

void write_pretrained_tokenizer(const Tokenizer& tokenizer, const PretrainedMarks& marks,
                                const fs::path& directory) {
  const TokenizerParts parts = parts_of_any(tokenizer);
  make_directories(directory);
  write_json(directory / "tokenizer.json",
             {{"version", "1.0"},
              {"truncation", nullptr},
              {"padding", nullptr},
              {"added_tokens", added_tokens(tokenizer, parts.marks, marks)},
              {"normalizer", parts.normalizer},
              {"pre_tokenizer", parts.pre_tokenizer},
              {"post_processor", post_processor(parts.marks, marks)},
              {"decoder", parts.decoder},
              {"model", parts.model}});
  write_json(directory / "tokenizer_config.json", tokenizer_config(parts.marks, marks));
  write_json(directory / "special_tokens_map.json", named_marks(parts.marks, marks));
  if (const auto* bytes = as<ByteBpe>(tokenizer)) {
    // GPT-2's own files, for programs that do not read tokenizer.json.
    std::string merges = "#version: 0.2\n";
    for (const auto& [left, right] : bytes->pairs().merges) {
      merges += left + ' ' + right + '\n';
    }
    write_json(directory / "vocab.json", parts.model.at("vocab"));
    write_file_atomically(directory / "merges.txt", merges);
  }
  if (tokenizer.model() != nullptr) {
    write_file_atomically(directory / pieces_file, *tokenizer.model());
  }
}

}  // namespace tapehead
