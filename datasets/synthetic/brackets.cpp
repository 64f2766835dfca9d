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
#include "datasets/task_kind.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct BracketOptions {
  Index kinds = 3;
  Index max_depth = 3;
  Index min_pairs = 1;
  Index max_pairs = 8;

  template <class Visitor>
  void fields(Visitor&& visit) {
    visit(Field{"kinds", "kinds of brackets", 1, 4}, kinds);
    visit(Field{"max_depth", "most brackets that are open at once", 1, 50000}, max_depth);
    visit(Field{"min_pairs", "fewest pairs of brackets", 1, 50000}, min_pairs);
    visit(Field{"max_pairs", "most pairs of brackets", 1, 50000}, max_pairs);
  }
};

constexpr std::array<std::string_view, 4> openings{"(", "[", "{", "<"};
constexpr std::array<std::string_view, 4> closings{")", "]", "}", ">"};
constexpr std::string_view any_closing = "|";

// The ids of brackets: first the opening ones, then the closing ones, then "|".
struct Kinds {
  Index count;

  TokenId opening(Index kind) const { return entry_id(kind); }
  TokenId closing_of(TokenId opening) const { return opening + static_cast<TokenId>(count); }
  TokenId any() const { return entry_id(2 * count); }
};

std::shared_ptr<const Tokenizer> tokenizer_of(Index kinds) {
  const auto end = static_cast<std::ptrdiff_t>(kinds);
  std::vector<std::string> entries(openings.begin(), openings.begin() + end);
  entries.insert(entries.end(), closings.begin(), closings.begin() + end);
  entries.emplace_back(any_closing);
  return std::make_shared<VocabularyTokenizer>(Vocabulary(std::move(entries)), Unit::word);
}

// If both an opening and a closing bracket are possible, they are equally likely.
Example draw(RandomSource& random, const Lengths& pairs, const BracketOptions& options) {
  const Kinds kinds{options.kinds};
  Index to_open = pairs.draw(random);
  std::vector<TokenId> open;
  Example example;
  while (to_open > 0 || !open.empty()) {
    const bool may_open = to_open > 0 && static_cast<Index>(open.size()) < options.max_depth;
    if (may_open && (open.empty() || random.one_in(2))) {
      open.push_back(kinds.opening(random.below(kinds.count)));
      example.source.push_back(open.back());
      example.target.push_back(open.back());
      --to_open;
    } else {
      example.source.push_back(kinds.any());
      example.target.push_back(kinds.closing_of(open.back()));
      open.pop_back();
    }
  }
  return example;
}

// `bracket` pairs each bracket of the target with the source bracket at the same place. `answer`
// pairs it with the opening bracket that has its kind: itself, or its partner.
Relations relations(const Example& example, const Kinds& kinds) {
  Relation bracket{.name = "bracket", .side = RelationSide::across};
  Relation partner{.name = "partner", .side = RelationSide::source};
  Relation answer{.name = "answer", .side = RelationSide::across};
  std::vector<Index> open;
  for (Index row = 0; row < static_cast<Index>(example.source.size()); ++row) {
    const bool closes = example.source[static_cast<std::size_t>(row)] == kinds.any();
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

std::optional<Violation> pairs_out_of_order(const TaskOptions& options) {
  const auto& task = options.as<BracketOptions>();
  if (task.min_pairs <= task.max_pairs) {
    return {};
  }
  return Violation{
      {"task.min_pairs", "task.max_pairs"},
      fmt::format("more than task.max_pairs ({}, {})", task.min_pairs, task.max_pairs)};
}

constexpr std::array rules{
    TaskRule{"`task.min_pairs` is at most `task.max_pairs`.", pairs_out_of_order}};

LongestSide longest(const TaskOptions& options) {
  return {.tokens = 2 * options.as<BracketOptions>().max_pairs, .option = "task.max_pairs"};
}

void shrink(TaskOptions& task, const Shrinking& shrinking) {
  constexpr Index most = Shrinking::most_tokens / 2;
  auto& brackets = task.as<BracketOptions>();
  shrinking.splits(task.as<SplitSizes>());
  shrinking.at_most("task.min_pairs", brackets.min_pairs, most);
  shrinking.at_most("task.max_pairs", brackets.max_pairs, most, brackets.min_pairs);
}

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto brackets = options.as<BracketOptions>();
  const SyntheticTask kind{
      .tokenizer = tokenizer_of(brackets.kinds),
      .draw = [brackets](RandomSource& random,
                         const Lengths& pairs) { return draw(random, pairs, brackets); },
      .relations = [kinds = Kinds{brackets.kinds}](
                       const Example& example) { return relations(example, kinds); },
      .sources = fmt::format("sequences of {} to {} pairs of {} kinds of brackets",
                             brackets.min_pairs, brackets.max_pairs, brackets.kinds),
      .remedy = "task.max_pairs or task.kinds"};
  return make_splits(kind, {options.as<SplitSizes>(), {brackets.min_pairs, brackets.max_pairs}},
                     making);
}

}  // namespace

extern constinit const TaskKind brackets_task{.name = "brackets",
                                              .options = options_of<BracketOptions, SplitSizes>,
                                              .rules = rules,
                                              .longest = longest,
                                              .shrink = shrink,
                                              .make = make};

}  // namespace tapehead
