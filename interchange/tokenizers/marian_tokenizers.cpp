// The tokenizers of a Marian model in the format of transformers' MarianTokenizer: a SentencePiece
// model for each side, and files with the ids of their pieces.
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

#include <nlohmann/json.hpp>

#include "datasets/tokenizers/sentencepiece_fields.hpp"

namespace tapehead {

namespace {

nlohmann::json read_ids(const fs::path& file) {
  nlohmann::json ids = parse_sorted_json(read_file(file, most_settings_bytes), file.string());
  for (const char* mark : {"</s>", "<unk>"}) {
    if (!ids.contains(mark)) {
      throw IoError("{} has no id for {}", file.string(), mark);
    }
  }
  for (const auto& [piece, id] : ids.items()) {
    if (!id.is_number_unsigned()) {
      throw IoError("{}: the id of {} is {}, not a whole number from 0", file.string(), piece,
                    id.dump());
    }
  }
  return ids;
}

struct MarianSide {
  std::string model;  // all pieces are marked used; no additions
  Index used = 0;     // number of pieces that target.spm or source.spm marks used
  nlohmann::json ids;
};

MarianSide read_side(const fs::path& model_file, const fs::path& ids_file) {
  MarianSide side{.model = {}, .ids = read_ids(ids_file)};
  const std::string content = read_file(model_file);
  try {
    const std::string model = with_additions(content, {});
    side.used = SentencePieceTokenizer(model, Pieces::used).size();
    // Rewrites the model with all pieces used, so that equal models have equal bytes.
    const ModelAdditions all{.target_pieces = SentencePieceTokenizer(model).size()};
    const SentencePieceTokenizer tokenizer(with_additions(model, all), Pieces::used);
    side.model = with_additions(tokenizer.model_in_use(), {});
  } catch (const DataError& error) {
    throw IoError("{}: {}", model_file.string(), error.what());
  }
  return side;
}

PretrainedTokenizer side_tokenizer(const MarianSide& side, const ModelAdditions& additions,
                                   Pieces pieces, Index begin) {
  const auto tokenizer =
      std::make_shared<SentencePieceTokenizer>(with_additions(side.model, additions), pieces);
  const auto unknown = side.ids.at("<unk>").get<Index>();
  PretrainedTokenizer read{.tokenizer = tokenizer,
                           .file_ids = {unknown, begin, side.ids.at("</s>").get<Index>()}};
  for (Index i = mark_count; i < tokenizer->size(); ++i) {
    read.file_ids.push_back(side.ids.value(tokenizer->entry(static_cast<TokenId>(i)), unknown));
  }
  return read;
}

// Whether a text can produce this entry, which is no piece: the entry is the name of a language, or
// unknown text (none of its characters is a piece).
bool is_readable(const std::string& entry, const std::set<std::string, std::less<>>& pieces) {
  return (entry.starts_with(">>") && entry.find("<<") == entry.size() - 2) ||
         std::ranges::none_of(units_of(entry, Unit::character),
                              [&](std::string_view one) { return pieces.contains(one); });
}

// Entries that have an id but are no pieces, such as pieces of the other side and `>>fr<<`. A
// source is only read, so its additions are only the entries that a text can produce.
ModelAdditions marian_additions(const MarianSide& side, Index begin, bool written) {
  ModelAdditions additions{.language_names = true};
  const PretrainedTokenizer pieces = side_tokenizer(side, additions, Pieces::all, begin);
  const std::set<Index> known(pieces.file_ids.begin(), pieces.file_ids.end());
  std::set<std::string, std::less<>> texts;
  for (Index i = mark_count; i < pieces.tokenizer->size(); ++i) {
    texts.insert(pieces.tokenizer->entry(static_cast<TokenId>(i)));
  }
  for (const auto& [entry, id] : side.ids.items()) {
    if (!known.contains(id.get<Index>()) && (written || is_readable(entry, texts))) {
      additions.further_entries.push_back(entry);
    }
  }
  return additions;
}

const SentencePieceTokenizer& sentencepiece_of(const Tokenizer& tokenizer, const char* side) {
  const auto* const pieces = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer);
  if (pieces == nullptr) {
    throw DataError(
        "the tokenizer of the {} is not a SentencePiece model, but Marian's files hold only these "
        "models",
        side);
  }
  return *pieces;
}

// The ids of the tokenizer's entries, without the unused pieces at the end.
Json ids_of_entries(const SentencePieceTokenizer& tokenizer) {
  Json::object_t ids;
  for (TokenId id = 0; id < tokenizer.size(); ++id) {
    ids.emplace_back(tokenizer.entry(id), id);
  }
  return ids;
}

}  // namespace

// The files of a joint vocabulary: both sides have the same model. target.spm marks a piece unused
// if only the source may use it; target_vocab.json has no id for this piece.
PretrainedTokenizers read_marian_tokenizers(const fs::path& directory, Index begin) {
  const fs::path own = directory / "target_vocab.json";
  const fs::path ids = directory / "vocab.json";
  const MarianSide source = read_side(directory / "source.spm", ids);
  const MarianSide target = read_side(directory / "target.spm", fs::exists(own) ? own : ids);
  if (source.model == target.model) {
    ModelAdditions additions = marian_additions(source, begin, true);
    additions.target_pieces = target.used;
    const PretrainedTokenizers joint{side_tokenizer(source, additions, Pieces::all, begin),
                                     side_tokenizer(target, additions, Pieces::used, begin)};
    // In a joint tokenizer the target's entries are the first entries of the source.
    const std::vector<Index>& target_ids = joint.target.file_ids;
    if (std::ranges::equal(joint.source.file_ids | std::views::take(std::ssize(target_ids)),
                           target_ids)) {
      return joint;
    }
  }
  return {side_tokenizer(source, marian_additions(source, begin, false), Pieces::all, begin),
          side_tokenizer(target, marian_additions(target, begin, true), Pieces::all, begin)};
}

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
