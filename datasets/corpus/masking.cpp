#include "datasets/corpus/masking.hpp"

namespace tapehead {

namespace {

// Of the draws of a token.
enum Draw : std::uint64_t { order, kind, other, count };

// A run of rows that are masked together.
struct Unit {
  Index row;
  Index rows;
  double order;
};

constexpr bool is_mark(TokenId token) { return token == begin_id || token == end_id; }

}  // namespace

std::shared_ptr<const std::vector<bool>> word_beginnings(const Tokenizer& tokenizer) {
  auto beginnings = std::make_shared<std::vector<bool>>();
  for (Index id = 0; id < tokenizer.size(); ++id) {
    beginnings->push_back(begins_word(tokenizer, static_cast<TokenId>(id)));
  }
  return beginnings;
}

std::vector<MaskedToken> Masking::of(const std::vector<TokenId>& tokens,
                                     const Window& window) const {
  const auto at = [&](Index row, Draw which) {
    return static_cast<std::uint64_t>(window.first + row) * Draw::count + which;
  };
  std::vector<Unit> units;
  Index candidates = 0;
  bool joins = false;  // whether the token before can be in the same word
  for (Index row = 0; row < std::ssize(tokens); ++row) {
    const TokenId token = tokens[static_cast<std::size_t>(row)];
    if (is_mark(token)) {
      joins = false;
      continue;
    }
    ++candidates;
    const bool ends_line = line_end != unknown_id && token == line_end;
    if (joins && words && !ends_line && !(*words)[static_cast<std::size_t>(token)]) {
      ++units.back().rows;
    } else {
      units.push_back({.row = row, .rows = 1, .order = draw_uniform(draws, at(row, Draw::order))});
    }
    joins = !ends_line;
  }
  std::ranges::sort(units, {}, [](const Unit& unit) { return std::pair(unit.order, unit.row); });
  const Index most = std::max<Index>(1, std::llround(share * static_cast<double>(candidates)));
  std::vector<MaskedToken> masked;
  for (const Unit& unit : units) {
    const bool fits = std::ssize(masked) + unit.rows <= most;
    if (!fits && !masked.empty()) {
      continue;
    }
    for (Index row = unit.row; row < unit.row + unit.rows; ++row) {
      const double drawn = draw_uniform(draws, at(row, Draw::kind));
      const TokenId random =
          mark_count + static_cast<TokenId>(draw_below(draws, at(row, Draw::other),
                                                       static_cast<Index>(mask) - mark_count));
      masked.push_back({.row = row,
                        .read = drawn < 0.8   ? mask
                                : drawn < 0.9 ? random
                                              : tokens[static_cast<std::size_t>(row)]});
    }
  }
  std::ranges::sort(masked, {}, &MaskedToken::row);
  return masked;
}

}  // namespace tapehead
