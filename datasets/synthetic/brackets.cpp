// The task brackets: a well-formed sequence of brackets of several kinds (a Dyck language), in
// whose source every closing bracket is the same token, "|"; the target says which kind closes.
//
//   ( [ | { | |   ->   ( [ ] { } )
//
// The kind stands at the partner, the last opening bracket that is still open. Two layers suffice
// for a bounded depth: an even look at all that stands before counts the depth, and what closes
// looks for the last opening bracket of its own depth (Yao et al. 2021).
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "datasets/synthetic/splits.hpp"
#include "datasets/tasks.hpp"
#include "datasets/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

constexpr std::array<std::string_view, 4> openings{"(", "[", "{", "<"};
constexpr std::array<std::string_view, 4> closings{")", "]", "}", ">"};
constexpr std::string_view any_closing = "|";

// Their ids: first the opening brackets, then the closing ones, then the one that may be any.
struct Kinds {
  Index count;

  TokenId opening(Index kind) const { return mark_count + static_cast<TokenId>(kind); }
  TokenId closing_of(TokenId opening) const { return opening + static_cast<TokenId>(count); }
  TokenId any() const { return mark_count + static_cast<TokenId>(2 * count); }
};

std::shared_ptr<const Tokenizer> tokenizer_of(Index kinds) {
  const auto end = static_cast<std::ptrdiff_t>(kinds);
  std::vector<std::string> entries(openings.begin(), openings.begin() + end);
  entries.insert(entries.end(), closings.begin(), closings.begin() + end);
  entries.emplace_back(any_closing);
  return std::make_shared<VocabularyTokenizer>(Vocabulary(std::move(entries)), Unit::word);
}

// Where both an opening and a closing bracket may come, either is as likely.
Example draw(Dice& dice, const Lengths& pairs, const BracketOptions& options) {
  const Kinds kinds{options.kinds};
  Index to_open = pairs.draw(dice);
  std::vector<TokenId> open;
  Example example;
  while (to_open > 0 || !open.empty()) {
    const bool may_open = to_open > 0 && static_cast<Index>(open.size()) < options.max_depth;
    if (may_open && (open.empty() || dice.one_in(2))) {
      open.push_back(kinds.opening(dice.below(kinds.count)));
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

// Each bracket with the opening one that says its kind: itself, or its partner.
Relations relations(const Example& example, const Kinds& kinds) {
  Relation partner{.name = "partner", .side = RelationSide::source, .pairs = {}};
  Relation answer{.name = "answer", .side = RelationSide::across, .pairs = {}};
  std::vector<Index> open;
  for (Index row = 0; row < static_cast<Index>(example.source.size()); ++row) {
    const bool closes = example.source[static_cast<std::size_t>(row)] == kinds.any();
    if (!closes) {
      open.push_back(row);
    }
    answer.pairs.push_back({row, open.back()});
    if (closes) {
      partner.pairs.push_back({row, open.back()});
      open.pop_back();
    }
  }
  return {partner, answer};
}

}  // namespace

Task make_brackets(const TaskOptions& options, std::uint64_t seed,
                   const std::filesystem::path& tokenizers) {
  const BracketOptions brackets = options.brackets;
  const SyntheticTask kind{
      .tokenizer = tokenizer_of(brackets.kinds),
      .draw = [brackets](Dice& dice, const Lengths& pairs) { return draw(dice, pairs, brackets); },
      .relations = [kinds = Kinds{brackets.kinds}](
                       const Example& example) { return relations(example, kinds); },
      .sources = fmt::format("sequences of {} to {} pairs of {} kinds of brackets",
                             brackets.min_pairs, brackets.max_pairs, brackets.kinds),
      .remedy = "task.max_pairs or task.kinds"};
  return make_splits(kind,
                     {.train = brackets.train_examples,
                      .validation = brackets.validation_examples,
                      .test = brackets.test_examples,
                      .lengths = {brackets.min_pairs, brackets.max_pairs}},
                     seed, tokenizers);
}

}  // namespace tapehead
