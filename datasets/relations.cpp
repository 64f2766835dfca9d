#include "datasets/relations.hpp"

namespace tapehead {

Relations in_one_sequence(Relations relations, Index source_tokens, Index prefix) {
  for (Relation& relation : relations) {
    const Index query_rows = relation.side == RelationSide::source ? 0 : source_tokens;
    const Index key_rows = relation.side == RelationSide::target ? source_tokens : 0;
    for (PositionPair& pair : relation.pairs) {
      pair = {.query = pair.query + query_rows, .key = pair.key + key_rows};
    }
    std::erase_if(relation.pairs, [prefix](const PositionPair& pair) {
      return pair.key > pair.query && pair.key >= prefix;
    });
    relation.side = RelationSide::target;
  }
  return relations;
}

}  // namespace tapehead
