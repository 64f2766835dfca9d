#include "datasets/tokenizers/pretrained_marian.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"

namespace tapehead {

namespace {

namespace fs = std::filesystem;

nlohmann::json read_ids(const fs::path& file) {
  try {
    nlohmann::json ids = nlohmann::json::parse(read_file(file));
    for (const char* mark : {"</s>", "<unk>"}) {
      if (!ids.contains(mark)) {
        throw IoError(fmt::format("{} has no id for {}", file.string(), mark));
      }
    }
    for (const auto& [piece, id] : ids.items()) {
      if (!id.is_number_unsigned()) {
        throw IoError(fmt::format("{}: the id of {} is {}", file.string(), piece, id.dump()));
      }
    }
    return ids;
  } catch (const nlohmann::json::exception& error) {
    throw IoError(fmt::format("{} is no table of ids by piece: {}", file.string(), error.what()));
  }
}

PretrainedTokenizer read_side(const std::string& model, const fs::path& model_file,
                              const fs::path& ids_file, Pieces pieces, Index begin) {
  const nlohmann::json ids = read_ids(ids_file);
  const auto unknown = ids.at("<unk>").get<Index>();
  std::shared_ptr<const SentencePieceTokenizer> tokenizer;
  try {
    tokenizer = std::make_shared<SentencePieceTokenizer>(model, pieces);
  } catch (const DataError& error) {
    throw IoError(fmt::format("{}: {}", model_file.string(), error.what()));
  }
  PretrainedTokenizer read{.tokenizer = tokenizer,
                           .file_ids = {unknown, begin, ids.at("</s>").get<Index>()},
                           .mask = {}};
  for (Index i = mark_count; i < tokenizer->size(); ++i) {
    read.file_ids.push_back(ids.value(tokenizer->piece(static_cast<TokenId>(i)), unknown));
  }
  return read;
}

std::string with_all_pieces(const std::string& model) {
  return SentencePieceTokenizer(model, Pieces::all).model_in_use();
}

// The ids of a target that may use only some pieces are the first of those of its source.
bool begins_with(const std::vector<Index>& ids, const std::vector<Index>& first) {
  return first.size() <= ids.size() && std::equal(first.begin(), first.end(), ids.begin());
}

}  // namespace

// One model for both sides, as a joint vocabulary is exported, marks the pieces unused that only
// the source may use, and these have no ids in target_vocab.json.
PretrainedTokenizers read_marian_tokenizers(const fs::path& directory, Index begin) {
  const fs::path source_file = directory / "source.spm";
  const fs::path target_file = directory / "target.spm";
  const fs::path source_ids = directory / "vocab.json";
  const fs::path own = directory / "target_vocab.json";
  const fs::path target_ids = fs::exists(own) ? own : source_ids;
  const std::string source = read_file(source_file);
  const std::string target = read_file(target_file);
  PretrainedTokenizers apart{read_side(source, source_file, source_ids, Pieces::all, begin),
                             read_side(target, target_file, target_ids, Pieces::all, begin)};
  if (with_all_pieces(source) != with_all_pieces(target)) {
    return apart;
  }
  PretrainedTokenizers joint{read_side(target, target_file, source_ids, Pieces::all, begin),
                             read_side(target, target_file, target_ids, Pieces::used, begin)};
  return begins_with(joint.source.file_ids, joint.target.file_ids) ? joint : apart;
}

}  // namespace tapehead
