// The task two_offsets: the target at place t is the difference of the symbols at t + first_offset
// and t + second_offset. The target has as many places as possible without using a symbol twice.
//
//   2 4 0 1 5 3   ->   3 -5        (offsets 1 and 3)
//
// Let x be the first symbol and y the second. Knowing only one of them, and all earlier answers,
// does not help to guess: for any x, each y gives a different answer. So a model must fetch both x
// and y from the source, which takes two heads in one layer.
//
// One softmax head cannot replace two by attending to both: it fetches an average a v(x) + (1 - a)
// v(y) with 0 <= a <= 1. Exchanging x and y does not change a uniform average (a = 1/2), but
// changes the answer from x - y to y - x. For any average: if x = y, the average is v(x), and the
// answer is 0. So the average for x and y is between two points, v(x) and v(y), for which the
// answer is 0. The region where a linear readout answers 0 is convex, so the readout answers 0
// everywhere between them. From the sum of two heads, A x - A y, a linear readout can compute every
// difference. Only nonlinear parts (norms, feed-forward) can use the small difference between the
// two orders in a non-uniform average.

#include "datasets/synthetic/symbols.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

struct TwoOffsetsOptions {
  Index first_offset = 1;
  Index second_offset = 6;

  Index longer() const { return std::max(first_offset, second_offset); }

  void fields(const auto& row) {
    row(first_offset, named("first_offset", 0, 99999, "tokens"),
        "distance from the place of the answer to the first symbol");
    row(second_offset, named("second_offset", 0, 99999, "tokens"),
        "distance from the place of the answer to the symbol that is subtracted");
  }
};

using Sequence = std::vector<TokenId>;

Sequence answer(const TwoOffsetsOptions& offsets, Index vocabulary, const Sequence& source) {
  const auto [nearer, farther] = std::minmax(offsets.first_offset, offsets.second_offset);
  // The number of places that have both symbols and use no symbol twice.
  const auto places = std::clamp<Index>(std::ssize(source) - farther, 0, farther - nearer);
  Sequence target(static_cast<std::size_t>(places));
  for (std::size_t place = 0; place < target.size(); ++place) {
    const Index first = source[place + static_cast<std::size_t>(offsets.first_offset)];
    const Index second = source[place + static_cast<std::size_t>(offsets.second_offset)];
    target[place] = entry_id(first < second ? vocabulary - 1 + second - first : first - second);
  }
  return target;
}

constexpr std::array rules{
    symbol_rules[0], symbol_rules[1],
    TaskRule{"`two_offsets` has two different offsets, and a `task.min_length` beyond both.",
             [](const TaskOptions& options) {
               const auto& offsets = options.as<TwoOffsetsOptions>();
               const Index shortest = options.as<SyntheticOptions>().min_length;
               return first_violation(
                   {violation_if(offsets.first_offset == offsets.second_offset,
                                 {"task.second_offset", "task.first_offset"},
                                 "the two offsets are both {}: there would be no difference",
                                 offsets.first_offset),
                    violation_if(
                        shortest <= offsets.longer(),
                        {"task.min_length", "task.first_offset", "task.second_offset", "task.name"},
                        "too short for the offsets of two_offsets ({}; allowed: {} or more)",
                        shortest, offsets.longer() + 1)});
             }}};

void shrink(TaskOptions& task, const Shrinking& shrinking) {
  shrink_symbols(task.as<SyntheticOptions>(), shrinking, task.as<TwoOffsetsOptions>().longer() + 1);
}

Task make(const TaskOptions& options, const TaskMaking& making) {
  const auto offsets = options.as<TwoOffsetsOptions>();
  const auto& symbols = options.as<SyntheticOptions>();
  const Index vocabulary = symbols.vocabulary;
  const auto relations = [offsets](const Example& example) {
    Relation first{"first", RelationSide::across};
    Relation second{"second", RelationSide::across};
    for (Index place = 0; place < std::ssize(example.target); ++place) {
      first.pairs.push_back({place, place + offsets.first_offset});
      second.pairs.push_back({place, place + offsets.second_offset});
    }
    return Relations{first, second};
  };
  // The symbols, which are also the differences 0, 1, ..., and then the differences -1, -2, ...
  const auto tokenizer = numbered_tokenizer({{"{}", vocabulary}, {"-{}", vocabulary - 1, 1}});
  return make_symbol_task(symbols,
                          draw_symbols(vocabulary, std::bind_front(answer, offsets, vocabulary)),
                          relations, making, tokenizer);
}

}  // namespace

extern constinit const TaskKind two_offsets_task = symbol_kind(
    "two_offsets", make, options_of<SyntheticOptions, TwoOffsetsOptions>, rules, shrink);

}  // namespace tapehead
