#include "datasets/tokenizers/sentencepiece_joint.hpp"

#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include <sentencepiece_processor.h>

#include "core/errors.hpp"
#include "core/types.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"
#include "datasets/tokenizers/sentencepiece_corpus.hpp"
#include "datasets/tokenizers/sentencepiece_fields.hpp"

namespace tapehead {

namespace {

void expect_ok(const sentencepiece::util::Status& status) {
  if (!status.ok()) {
    throw DataError(std::string("not a SentencePiece model: ") + status.error_message());
  }
}

constexpr std::uint64_t pieces_number = 1;  // of ModelProto.pieces

// The marks that the processor has given are left out: others would cut sources by them.
std::string with_unused_pieces_last(const std::string& model,
                                    const sentencepiece::SentencePieceProcessor& processor) {
  std::string used;
  std::string unused;
  std::string others;
  int id = 0;
  Index target_pieces = 0;
  for (std::string_view rest = model; !rest.empty();) {
    const SerializedField field = take_field(rest);
    const bool piece = field.number == pieces_number;
    const bool left_out = piece && processor.IsUnused(id);
    (!piece ? others : left_out ? unused : used) += field.whole;
    id += piece ? 1 : 0;
    target_pieces += piece && !left_out ? 1 : 0;
  }
  return with_additions(used + unused + others, {.target_pieces = target_pieces});
}

}  // namespace

std::string with_target_pieces_first(const std::string& model,
                                     std::span<const std::string> target_lines) {
  sentencepiece::SentencePieceProcessor processor;
  expect_ok(processor.LoadFromSerializedProto(model));
  std::set<TokenId> seen;
  std::mutex guard;
  for_line_ranges(static_cast<Index>(target_lines.size()), [&](Index first, Index last) {
    std::set<TokenId> here;
    std::vector<TokenId> tokens;
    for (Index i = first; i < last; ++i) {
      expect_ok(processor.Encode(with_spaces(target_lines[static_cast<std::size_t>(i)]), &tokens));
      here.insert(tokens.begin(), tokens.end());
    }
    const std::scoped_lock lock(guard);
    seen.merge(here);
  });
  std::vector<std::string> pieces;
  for (const TokenId token : seen) {
    pieces.push_back(processor.IdToPiece(token));
  }
  // Leaves marks and single characters unchanged, and marks everything else that is not listed as
  // unused.
  expect_ok(processor.SetVocabulary({pieces.begin(), pieces.end()}));
  return with_unused_pieces_last(model, processor);
}

}  // namespace tapehead
