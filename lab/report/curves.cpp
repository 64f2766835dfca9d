// The curves of a run, from the files that it writes during the training.
#include "lab/report/records.hpp"

#include "core/files/json_text.hpp"
#include "train/run/metrics_log.hpp"

namespace tapehead {

namespace {

using Lines = std::vector<Json>;

Lines lines_of(const std::filesystem::path& file, Json& faults) {
  Lines lines;
  for_each_line(
      file,
      [&](const JsonObject& line) {
        line.count("step");
        lines.push_back(line.json());
      },
      [&](const std::string& where) {
        faults.push_back(fmt::format("{} is damaged, and left out", where));
      });
  return lines;
}

Index step_of(const Json& line) { return line.at("step").get<Index>(); }

// The figures of the lines, in the order in which they occur.
std::vector<std::string> figures_of(const Lines& lines) {
  static const std::set<std::string> no_figures{"step", "epoch", "tokens", "examples"};
  std::vector<std::string> names;
  std::set<std::string> known = no_figures;
  for (const Json& line : lines) {
    for (const auto& [name, value] : line.items()) {
      if ((value.is_number() || value.is_null()) && known.insert(name).second) {
        names.push_back(name);
      }
    }
  }
  return names;
}

Json mean(const Lines& lines, std::size_t first, std::size_t last, const std::string& name) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = first; i < last; ++i) {
    const auto found = lines[i].find(name);
    if (found != lines[i].end() && found->is_number()) {
      sum += found->get<double>();
      ++count;
    }
  }
  return count > 0 ? Json(sum / count) : Json();
}

std::map<Index, double> seconds_by_step(const std::filesystem::path& times, Json& faults) {
  std::map<Index, double> seconds{{0, 0}};
  for (const Json& line : lines_of(times, faults)) {
    if (line.contains("seconds") && line["seconds"].is_number()) {
      seconds[step_of(line)] = line["seconds"].get<double>();
    }
  }
  return seconds;
}

// The target tokens of the lines by the time from the step before the first to the last.
Json rate(const Lines& lines, std::size_t first, std::size_t last,
          const std::map<Index, double>& seconds) {
  const auto begin = seconds.find(step_of(lines[first]) - 1);
  const auto end = seconds.find(step_of(lines[last - 1]));
  if (begin == seconds.end() || end == seconds.end() || end->second <= begin->second) {
    return {};
  }
  double tokens = 0;
  for (std::size_t i = first; i < last; ++i) {
    tokens += static_cast<double>(count_in(lines[i], "tokens").value_or(0));
  }
  return tokens / (end->second - begin->second);
}

// A point is the mean over `width` lines, and has the step of the last.
Json curves_of(const Lines& lines, std::size_t width) {
  Json curves = {{"step", Json::array()}};
  const std::vector<std::string> names = figures_of(lines);
  for (std::size_t first = 0; first < lines.size(); first += width) {
    const std::size_t last = std::min(first + width, lines.size());
    curves["step"].push_back(step_of(lines[last - 1]));
    for (const std::string& name : names) {
      curves[name].push_back(mean(lines, first, last, name));
    }
  }
  return curves;
}

Json training_curves(const Lines& lines, std::size_t width,
                     const std::map<Index, double>& seconds) {
  Json curves = curves_of(lines, width);
  for (std::size_t first = 0; first < lines.size(); first += width) {
    const std::size_t last = std::min(first + width, lines.size());
    curves["tokens_per_second"].push_back(rate(lines, first, last, seconds));
  }
  return curves;
}

// What a language model wrote at each evaluation.
Json samples_of(const Lines& evaluations) {
  Json samples = Json::array();
  for (const Json& line : evaluations) {
    const auto texts = line.find("samples");
    if (texts != line.end() && texts->is_array()) {
      samples.push_back({{"step", step_of(line)}, {"texts", *texts}});
    }
  }
  return samples;
}

}  // namespace

Json report_curves(const RunFiles& files) {
  Lines training;
  Lines evaluations;
  Json faults = Json::array();
  for (Json& line : lines_of(files.metrics(), faults)) {
    (line.contains("split") ? evaluations : training).push_back(std::move(line));
  }
  const std::size_t width = (training.size() + curve_points - 1) / curve_points;
  const std::map<Index, double> seconds = seconds_by_step(files.times(), faults);
  return {{"training", training_curves(training, width, seconds)},
          {"steps_a_point", width},
          {"evaluations", curves_of(evaluations, 1)},
          {"samples", samples_of(evaluations)},
          {"last_step", training.empty() ? 0 : step_of(training.back())},
          {"faults", std::move(faults)}};
}

}  // namespace tapehead
