#include "datasets/corpus/windows.hpp"

namespace tapehead {

namespace {

// One run for a stream, otherwise one for each document: windows do not cross the ends of a run.
// `head_of(number, tokens)` gives the head of a run.
WindowList windows_of(const TokenText& text, const Windowing& windowing, Index step,
                      const std::function<Index(Index, Index)>& head_of) {
  WindowList windows(windowing.context);
  const auto add = [&](Index begin, Index end, Index number) {
    windows.add({begin, end, head_of(number, end - begin), step, windowing.begin_mark});
  };
  if (windowing.stream) {
    add(0, text.size(), 0);
    return windows;
  }
  const Index unpredicted = windowing.begin_mark ? 0 : 1;
  for (Index document = 0; document < text.documents(); ++document) {
    add(text.begin_of(document) + unpredicted, text.begin_of(document + 1), document);
  }
  return windows;
}

// The random draws of each token.
enum Draw : std::uint64_t { order, kind, other, count };

// Consecutive rows that are masked together: one word or one token.
struct Unit {
  Index row;
  Index rows;
  double order;
};

}  // namespace

Index WindowRun::count() const {
  const Index tokens = end - begin;
  return tokens <= head ? (tokens > 0 ? 1 : 0) : 1 + (tokens - head + step - 1) / step;
}

void WindowList::add(const WindowRun& run) {
  entries_.push_back({.run = run, .number = windows_});
  windows_ += run.count();
}

WindowList WindowList::with(const std::vector<Index>& numbers) const {
  WindowList some = *this;
  some.chosen_ = numbers;
  return some;
}

// Runs of similar lengths have similar numbers of windows. So the search begins at the proportional
// entry. It doubles the distance on each side until the wanted entry lies between both ends.
Window WindowList::operator[](Index number) const {
  const Index among_all = chosen_ ? (*chosen_)[static_cast<std::size_t>(number)] : number;
  const Index count = std::ssize(entries_);
  const auto begins_behind = [&](Index entry) {
    return entries_[static_cast<std::size_t>(entry)].number > among_all;
  };
  Index low = std::min(among_all * count / windows_, count - 1);
  Index high = low + 1;
  for (Index step = 1; low > 0 && begins_behind(low); step *= 2) {
    low = std::max<Index>(0, low - step);
  }
  for (Index step = 1; high < count && !begins_behind(high); step *= 2) {
    high = std::min(count, high + step);
  }
  const auto after = std::ranges::upper_bound(entries_.begin() + low, entries_.begin() + high,
                                              among_all, {}, &Entry::number);
  const auto& [run, first_number] = *std::prev(after);
  const Index in_run = among_all - first_number;
  const Index end = run.begin + run.head + in_run * run.step;
  const Index first = std::max(run.begin, end - context_);
  const Index labelled = in_run == 0 ? run.begin : end - run.step;
  return {.first = first,
          .rows = std::min(end, run.end) - first,
          .unlabelled = labelled - first,
          .opens = run.opens && first == run.begin,
          .run = std::distance(entries_.begin(), after) - 1,
          .position = first - run.begin};
}

WindowList training_windows(const TokenText& text, const Windowing& windowing, std::uint64_t seed,
                            Index epoch) {
  const Draws draws(seed, "text/windows", epoch);
  const Index context = windowing.context;
  return windows_of(text, windowing, context, [&](Index number, Index tokens) {
    const Index shift = tokens > context ? draw_below(draws, number, context) : 0;
    return shift > 0 ? shift : context;
  });
}

WindowList evaluation_windows(const TokenText& text, const Windowing& windowing, Index stride) {
  return windows_of(text, windowing, stride, [&](Index, Index) { return windowing.context; });
}

WindowList maskable_windows(const TokenText& text, const WindowList& windows) {
  std::vector<Index> numbers;
  for (Index i = 0; i < windows.size(); ++i) {
    const Window window = windows[i];
    const auto rows = std::views::iota(window.first, window.first + window.rows);
    if (std::ranges::any_of(rows, [&](Index row) { return text[row] != end_id; })) {
      numbers.push_back(i);
    }
  }
  return std::ssize(numbers) == windows.size() ? windows : windows.with(numbers);
}

WindowList lane_windows(const TokenText& text, Index windows, Index lanes, Index context,
                        Index head) {
  WindowList list(context);
  const auto begin_of = [&](Index lane) {
    return std::min(text.size(), windows * lane / lanes * context);
  };
  for (Index lane = 0; lane < lanes; ++lane) {
    list.add({.begin = begin_of(lane),
              .end = begin_of(lane + 1),
              .head = head,
              .step = context,
              .opens = lane == 0});
  }
  return list;
}

std::vector<LaneGroup> lane_groups(Index lanes, Index together) {
  std::vector<LaneGroup> groups;
  for (Index first = 0; first < lanes; first += together) {
    groups.push_back({.first = first, .count = std::min(together, lanes - first)});
  }
  return groups;
}

std::vector<std::vector<Index>> lane_batches(const WindowList& windows,
                                             const std::vector<LaneGroup>& groups) {
  std::vector<std::vector<Index>> batches;
  bool any = true;  // whether any lane has a window number i
  for (Index i = 0; std::exchange(any, false); ++i) {
    for (const auto& [first, count] : groups) {
      std::vector<Index> batch;
      for (Index lane = first; lane < first + count; ++lane) {
        if (i < windows.count_of(lane)) {
          batch.push_back(windows.first_of(lane) + i);
        }
      }
      if (!batch.empty()) {
        batches.push_back(std::move(batch));
        any = true;
      }
    }
  }
  return batches;
}

std::vector<MaskedToken> Masking::of(const std::vector<TokenId>& tokens,
                                     const Window& window) const {
  const auto at = [&](Index row, Draw which) {
    return static_cast<std::uint64_t>(window.first + row) * Draw::count + which;
  };
  std::vector<Unit> units;
  Index candidates = 0;
  bool joins = false;  // whether the previous token can belong to the same word
  for (Index row = 0; row < std::ssize(tokens); ++row) {
    const TokenId token = tokens[static_cast<std::size_t>(row)];
    if (token == begin_id || token == end_id) {
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
