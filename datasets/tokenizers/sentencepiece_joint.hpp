// A joint model in the order that a model of both languages wants: what the target language never
// uses comes last, so that it needs no logits.
#pragma once

#include <span>
#include <string>

namespace tapehead {

// The same pieces, those that no target line needs marked unused (as SentencePiece calls it) and
// moved behind all others. Marks and single characters are always used, so that any text of these
// characters can be written. Ids change; how a text is cut does not, except where it has a piece
// that no target line has.
std::string with_target_pieces_first(const std::string& model,
                                     std::span<const std::string> target_lines);

}  // namespace tapehead
