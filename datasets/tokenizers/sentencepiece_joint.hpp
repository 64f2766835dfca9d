// Reorders a joint model for a model of both languages: pieces that the target language never uses
// come last, so that they need no logits.
#pragma once

#include <span>
#include <string>

namespace tapehead {

// The same pieces, where those that no target line needs are moved to the end, and the number of
// the others (`ModelAdditions::target_pieces`). They get no mark, so other programs that open the
// model cut sources as we do; its `SetVocabulary` with the first pieces cuts targets as we do.
// Marks and single characters always count as used, so that any text of these characters can be
// written. Ids change. How a text is divided does not change, unless it contains a piece that no
// target line has.
std::string with_target_pieces_first(const std::string& model,
                                     std::span<const std::string> target_lines);

}  // namespace tapehead
