#include "datasets/corpus/windows.hpp"

#include <algorithm>

#include "core/random/draws.hpp"

namespace tapehead {

namespace {

// Calls visit(begin, end, number) for each run of tokens that windows may not leave.
template <class Visitor>
void for_each_run(const TokenText& text, bool stream, const Visitor& visit) {
  if (stream) {
    visit(Index{0}, text.size(), Index{0});
    return;
  }
  for (Index document = 0; document < text.documents(); ++document) {
    visit(text.begin_of(document), text.begin_of(document + 1), document);
  }
}

}  // namespace

std::vector<Window> training_windows(const TokenText& text, const Windowing& windowing,
                                     std::uint64_t seed, Index epoch) {
  const Draws draws(seed, "text/windows", epoch);
  std::vector<Window> windows;
  for_each_run(text, windowing.stream, [&](Index begin, Index end, Index number) {
    const bool cut = end - begin > windowing.context;
    const Index shift = cut ? draw_below(draws, number, windowing.context) : 0;
    Index last = begin + (shift > 0 ? shift : windowing.context);
    for (Index first = begin; first < end; first = last, last += windowing.context) {
      windows.push_back(
          {.first = first, .rows = std::min(last, end) - first, .opens = first == begin});
    }
  });
  return windows;
}

std::vector<Window> evaluation_windows(const TokenText& text, const Windowing& windowing,
                                       Index stride) {
  std::vector<Window> windows;
  for_each_run(text, windowing.stream, [&](Index begin, Index end, Index) {
    Index labelled = begin;
    for (Index first = begin; labelled < end; first += stride) {
      const Index last = std::min(first + windowing.context, end);
      windows.push_back({.first = first,
                         .rows = last - first,
                         .unlabelled = labelled - first,
                         .opens = first == begin});
      labelled = last;
    }
  });
  return windows;
}

}  // namespace tapehead
