#include "lab/sweep/chapters.hpp"

#include "core/text.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

namespace {

using ChapterText = std::pair<const char*, std::string SweepChapter::*>;
constexpr std::array chapter_texts{
    ChapterText("question", &SweepChapter::question), ChapterText("look", &SweepChapter::look),
    ChapterText("maps", &SweepChapter::maps), ChapterText("deeper", &SweepChapter::deeper)};
using ChapterList = std::pair<const char*, std::vector<PlacedName> SweepChapter::*>;
constexpr std::array chapter_lists{ChapterList("points", &SweepChapter::points),
                                   ChapterList("figures", &SweepChapter::figures)};
constexpr std::array<std::string_view, 6> chapter_names{"question", "look", "points",
                                                        "figures",  "maps", "deeper"};
constexpr std::array<std::string_view, 3> map_names{"encoder_self", "decoder_self", "cross"};
constexpr std::size_t least_seeds = 3;  // to say better or worse

std::vector<PlacedName> names_in(const ConfigEntry& entry, std::string_view file) {
  std::vector<PlacedName> names;
  for (const ConfigNode& item : entry.value.items) {
    const std::string name = entry.key == "figures" ? present_name(item.text) : item.text;
    if (item.kind != ConfigNode::Kind::scalar ||
        std::ranges::count(names, name, &PlacedName::name) > 0) {
      fail_at(file, item.mark, fmt::format("{}: expected names, none of them twice", entry.key));
    }
    names.push_back({name, fmt::format("{}:{}:{}: {}", shown(file), item.mark.line,
                                       item.mark.column, entry.key)});
  }
  if (names.empty()) {
    fail_at(file, entry.value.mark, fmt::format("{}: expected a list of names", entry.key));
  }
  return names;
}

void read_entry(SweepChapter& chapter, const ConfigEntry& entry, std::string_view file) {
  const auto text = std::ranges::find(chapter_texts, entry.key, &ChapterText::first);
  const auto list = std::ranges::find(chapter_lists, entry.key, &ChapterList::first);
  if (list != chapter_lists.end()) {
    chapter.*(list->second) = names_in(entry, file);
  } else if (text == chapter_texts.end()) {
    const auto near = nearest(entry.key, chapter_names);
    fail_at(file, entry.mark,
            fmt::format("{}: unknown name; {}", shown(entry.key),
                        near ? fmt::format("did you mean {}?", *near)
                             : "a chapter has " + join(chapter_names, ", ")));
  } else if (entry.value.kind != ConfigNode::Kind::scalar || entry.value.text.empty()) {
    fail_at(file, entry.value.mark, fmt::format("{}: expected a text", entry.key));
  } else if (entry.key == "maps" && std::ranges::count(map_names, entry.value.text) == 0) {
    fail_at(file, entry.value.mark, "maps: expected " + join(map_names, ", "));
  } else {
    chapter.*(text->second) = entry.value.text;
  }
}

std::vector<std::string> names_only(const std::vector<PlacedName>& names) {
  return mapped(names, &PlacedName::name);
}

const CellResult* cell_of(const std::string& point, const SweepPlan& plan,
                          const SweepResults& results) {
  const auto found = std::ranges::find_if(results.cells, [&](const CellResult& cell) {
    return plan.cells[cell.cell].front() == point;
  });
  return found == results.cells.end() ? nullptr : &*found;
}

// What the seeds of two cells say about the metric.
std::string verdict_of(const CellResult& cell, const CellResult& first,
                       const SweepResults& results) {
  const auto pair = std::ranges::find_if(results.comparisons, [&](const CellComparison& one) {
    return std::minmax(one.one, one.other) == std::minmax(cell.cell, first.cell);
  });
  if (!pair->difference) {
    return ", other examples";
  }
  const Difference& difference = *pair->difference;
  const bool more = (pair->one == cell.cell) == (difference.mean > 0);
  const char* word = !difference.significant()                         ? "no significant difference"
                     : more == kind_of(results.metric).lower_is_better ? "worse"
                                                                       : "better";
  return difference.pairs < least_seeds ? "" : fmt::format(", {}, p {:.3f}", word, difference.p);
}

// How a point differs from the first: a metric by its difference, other figures by a factor.
std::string compared_text(const std::string& figure, const CellResult& cell,
                          const CellResult& first, const SweepResults& results) {
  const double mean = cell.figures.at(figure).mean;
  const double of_first = first.figures.at(figure).mean;
  if (metric_of_figure(figure) == nullptr) {
    return of_first > 0 ? fmt::format(" ({:.2f} times)", mean / of_first) : "";
  }
  const Spread more{.mean = mean - of_first, .count = 1};
  return fmt::format(
      " ({}{}{})", more.mean > 0 ? "+" : "", figure_text(figure, more),
      figure == kind_of(results.metric).name ? verdict_of(cell, first, results) : "");
}

std::string answer_about(const std::string& figure, const std::vector<PlacedName>& points,
                         const SweepPlan& plan, const SweepResults& results) {
  std::vector<std::string> parts;
  const CellResult* first = nullptr;
  for (const PlacedName& point : points) {
    const CellResult* cell = cell_of(point.name, plan, results);
    if (cell == nullptr || !cell->figures.find(figure)) {
      parts.push_back(point.name + " unknown");
      continue;
    }
    parts.push_back(point.name + ' ' + figure_text(figure, cell->figures.at(figure)));
    if (first != nullptr) {
      parts.back() += compared_text(figure, *cell, *first, results);
    } else if (parts.size() == 1) {
      first = cell;
    }
  }
  return fmt::format("{}: {}", replaced(figure, {{"_", " "}, {".", " "}}), join(parts, ", "));
}

}  // namespace

std::vector<SweepChapter> read_chapters(const ConfigNode& node, std::string_view file) {
  std::vector<SweepChapter> chapters;
  for (const ConfigNode& item : node.items) {
    SweepChapter& chapter = chapters.emplace_back();
    for (const ConfigEntry& entry : item.entries) {
      read_entry(chapter, entry, file);
    }
    if (chapter.question.empty() || chapter.points.empty()) {
      fail_at(file, item.mark, "chapters: a chapter needs a question and points");
    }
  }
  if (chapters.empty()) {
    fail_at(file, node.mark,
            "chapters: expected a list, such as [{question: \"Why several heads?\", points: [one "
            "head, four heads]}]");
  }
  return chapters;
}

Json chapters_json(const std::vector<SweepChapter>& chapters) {
  return mapped(chapters, [](const SweepChapter& chapter) {
    Json json;
    for (const auto& [name, text] : chapter_texts) {
      json[name] = chapter.*text;
    }
    for (const auto& [name, list] : chapter_lists) {
      json[name] = names_only(chapter.*list);
    }
    return json;
  });
}

std::vector<SweepChapter> chapters_of(const JsonObject& plan, const std::string& where) {
  std::vector<SweepChapter> chapters;
  if (!plan.has("chapters")) {  // of a version without chapters
    return chapters;
  }
  for (const Json& json : plan.list("chapters")) {
    const JsonObject object(json, where);
    SweepChapter& chapter = chapters.emplace_back();
    for (const auto& [name, text] : chapter_texts) {
      chapter.*text = object.text(name);
    }
    for (const auto& [name, list] : chapter_lists) {
      chapter.*list = mapped(object.texts(name), [](const std::string& one) {
        return PlacedName{.name = one, .place = ""};
      });
    }
  }
  return chapters;
}

std::string answer_of(const SweepChapter& chapter, const SweepPlan& plan,
                      const SweepResults& results) {
  std::size_t runs = least_seeds;  // of the point with the fewest
  for (const PlacedName& point : chapter.points) {
    if (const CellResult* cell = cell_of(point.name, plan, results)) {
      runs = std::min(runs, cell->runs);
    }
  }
  const auto about = [&](const std::string& figure) {
    return answer_about(figure, chapter.points, plan, results);
  };
  const std::vector<std::string> figures = names_only(chapter.figures);
  return join(mapped(figures, about), "; ") +
         (runs < least_seeds
              ? fmt::format("; {}: try seeds: {}", runs == 1 ? "one run" : "two runs", least_seeds)
              : "");
}

std::string chapters_text(const SweepPlan& plan, const SweepResults& results) {
  std::string text;
  for (const SweepChapter& chapter : plan.chapters) {
    text += fmt::format("\n{}\n  {}\n{}", chapter.question, answer_of(chapter, plan, results),
                        chapter.deeper.empty() ? "" : "  deeper: " + chapter.deeper + '\n');
  }
  return text;
}

}  // namespace tapehead
