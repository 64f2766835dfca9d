#include "datasets/pairs.hpp"

namespace tapehead {

namespace {

class PairSource : public Source {
 public:
  PairSource(std::shared_ptr<const Examples> all, const Layout& layout, FindRelations find)
      : pairs_(std::move(all)), layout_(layout), find_relations_(std::move(find)) {}

  Index size() const override { return std::ssize(*pairs_); }

  Sequence at(Index number) const override {
    const auto& [source, target] = pair(number);
    Sequence sequence{.source = {source}, .number = number};
    if (layout_.source_alone()) {
      sequence.input = {source};
      sequence.labels = {target};
      sequence.predicted = std::ssize(source);
      return sequence;
    }
    sequence.labels = {target, end_id};
    sequence.predicted = std::ssize(target) + 1;
    if (layout_.in_one_sequence()) {
      sequence.input = {source, begin_id, target};
      sequence.first_label = std::ssize(source);
      sequence.prefix = prefix_of(source);
    } else {
      sequence.context = {source, end_id};
      sequence.input = {begin_id, target};
    }
    return sequence;
  }

  bool in_one_pass() const override { return layout_.source_alone(); }

  Relations relations(Index number) const override {
    if (!find_relations_) {
      return {};
    }
    const std::vector<TokenId>& source = pair(number).source;
    Relations found = find_relations_(number);
    return layout_.in_one_sequence()
               ? in_one_sequence(std::move(found), std::ssize(source), prefix_of(source))
               : found;
  }

  void add_to(Hash& hash) const override {
    hash.add(pairs_->size());
    for (const auto& [source, target] : *pairs_) {
      hash.add(source).add(target);
    }
  }

 private:
  const Example& pair(Index number) const { return (*pairs_)[static_cast<std::size_t>(number)]; }
  Index prefix_of(const std::vector<TokenId>& source) const {
    return layout_.full_prefix ? std::ssize(source) : 0;
  }

  std::shared_ptr<const Examples> pairs_;
  Layout layout_;
  FindRelations find_relations_;
};

}  // namespace

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

std::shared_ptr<const Source> pair_source(std::shared_ptr<const Examples> pairs,
                                          const Layout& layout, FindRelations relations,
                                          std::string_view split) {
  const auto unequal = std::ranges::find_if(
      *pairs, [](const Example& pair) { return pair.source.size() != pair.target.size(); });
  if (layout.source_alone() && !split.empty() && unequal != pairs->end()) {
    throw DataError(
        "{} split, example {}: the source has {} tokens and the target {}; an encoder gives one "
        "label to each token of the source, so both need the same length",
        split, unequal - pairs->begin() + 1, unequal->source.size(), unequal->target.size());
  }
  return std::make_shared<PairSource>(std::move(pairs), layout, std::move(relations));
}

std::shared_ptr<const Source> pair_source(Examples pairs, const Layout& layout) {
  return pair_source(std::make_shared<const Examples>(std::move(pairs)), layout);
}

}  // namespace tapehead
