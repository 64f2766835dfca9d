// The task brackets: a well-formed sequence of brackets of several kinds (a Dyck language). In the
// source every closing bracket is the same token, "|"; the target has the kind of each closing
// bracket.
//
//   ( [ | { | |   ->   ( [ ] { } )
//
// A closing bracket has the kind of its partner, the last opening bracket that is still open. Two
// layers suffice for a bounded depth: uniform attention to all earlier rows counts the depth, and a
// closing bracket attends to the last opening bracket of its own depth (Yao et al. 2021).

#include "datasets/synthetic/splits.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct BracketOptions {
  Index kinds = 3;
  Index max_depth = 3;
  Index min_pairs = 1;
  Index max_pairs = 8;

  LongestSide longest() const { return {2 * max_pairs, "task.max_pairs"}; }
  SyntheticTask task(const SplitSizes& sizes) const;

  void shrink(const Shrinking& shrinking) {
    constexpr Index most = Shrinking::most_tokens / 2;
    shrinking.at_most("task.min_pairs", min_pairs, most);
    shrinking.at_most("task.max_pairs", max_pairs, most, min_pairs);
  }

  void fields(const auto& row) {
    row(kinds, named("kinds", 1, 4), "kinds of brackets");
    row(max_depth, named("max_depth", 1, 50000), "most brackets that are open at once");
    row(min_pairs, named("min_pairs", 1, 50000), "fewest pairs of brackets");
    row(max_pairs, named("max_pairs", 1, 50000), "most pairs of brackets");
  }
};

constexpr std::array<std::string_view, 4> openings{"(", "[", "{", "<"};
constexpr std::array<std::string_view, 4> closings{")", "]", "}", ">"};

// The id of "|", which follows the opening brackets and the closing brackets.
TokenId any_closing_id(const BracketOptions& options) { return entry_id(2 * options.kinds); }

// If both an opening and a closing bracket are possible, they are equally likely.
Example draw(const BracketOptions& options, RandomSource& random, const Lengths& pairs) {
  const TokenId any = any_closing_id(options);
  Index to_open = pairs.draw(random);
  std::vector<TokenId> open;
  Example example;
  while (to_open > 0 || !open.empty()) {
    const bool may_open = to_open > 0 && std::ssize(open) < options.max_depth;
    if (may_open && (open.empty() || random.one_in(2))) {
      open.push_back(entry_id(random.below(options.kinds)));
      example.source.push_back(open.back());
      example.target.push_back(open.back());
      --to_open;
    } else {
      example.source.push_back(any);
      example.target.push_back(open.back() + static_cast<TokenId>(options.kinds));
      open.pop_back();
    }
  }
  return example;
}

// `bracket` pairs each bracket of the target with the source bracket at the same place. `answer`
// pairs it with the opening bracket of its kind in the source: at the same place for an opening
// bracket, the partner for a closing bracket.
Relations relations(TokenId any_closing, const Example& example) {
  Relation bracket{.name = "bracket", .side = RelationSide::across};
  Relation partner{.name = "partner", .side = RelationSide::source};
  Relation answer{.name = "answer", .side = RelationSide::across};
  std::vector<Index> open;
  for (Index row = 0; row < std::ssize(example.source); ++row) {
    const bool closes = example.source[static_cast<std::size_t>(row)] == any_closing;
    if (!closes) {
      open.push_back(row);
    }
    bracket.pairs.push_back({row, row});
    answer.pairs.push_back({row, open.back()});
    if (closes) {
      partner.pairs.push_back({row, open.back()});
      open.pop_back();
    }
  }
  return {bracket, partner, answer};
}

constexpr std::array rules{TaskRule{
    "`task.min_pairs` is at most `task.max_pairs`.", [](const TaskOptions& options) {
      const auto& task = options.as<BracketOptions>();
      return violation_if(task.min_pairs > task.max_pairs, {"task.min_pairs", "task.max_pairs"},
                          "more than task.max_pairs ({}, {})", task.min_pairs, task.max_pairs);
    }}};

SyntheticTask BracketOptions::task(const SplitSizes& sizes) const {
  std::vector<std::string> entries(openings.begin(), openings.begin() + kinds);
  entries.insert(entries.end(), closings.begin(), closings.begin() + kinds);
  entries.emplace_back("|");
  return {.tokenizer =
              std::make_shared<VocabularyTokenizer>(Vocabulary(std::move(entries)), Unit::word),
          .draw = std::bind_front(draw, *this),
          .relations = std::bind_front(relations, any_closing_id(*this)),
          .sources = fmt::format("sequences of {} to {} pairs of {} kinds of brackets", min_pairs,
                                 max_pairs, kinds),
          .remedy = "task.max_pairs or task.kinds",
          .sizes = sizes,
          .lengths = {min_pairs, max_pairs}};
}

}  // namespace

extern constinit const TaskKind brackets_task = drawn_kind<BracketOptions>("brackets", rules);

}  // namespace tapehead
