// The parts of a report about attention: the weights on sentences, and the figures of heads.
#include "lab/report/run.hpp"

#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

Split chosen(const Task& task, const Split& split, const std::vector<Index>& numbers) {
  const auto references = first_references(task, split, static_cast<std::size_t>(split.outputs()));
  Split few{.name = split.name, .source = part_of(split.source, numbers), .kind = split.kind};
  for (const Index i : numbers) {
    const auto at = static_cast<std::size_t>(i);
    few.source_texts.push_back(
        at < split.source_texts.size()
            ? split.source_texts[at]
            : task.source_tokenizer->decode(split.source->at(i).source.list()));
    if (at < references.size()) {
      few.references.push_back(references[at]);
    }
  }
  return few;
}

// A row for the agreement with each relation, then the `rows` that have curves.
HeadFigureRows rows_with_curves(const AttentionReport& attention, HeadFigureRows rows) {
  std::erase_if(rows, [](const HeadFigureRow& row) { return row.curve.empty(); });
  std::ranges::stable_partition(
      rows, [](const HeadFigureRow& row) { return row.key.find('.') == std::string::npos; });
  HeadFigureRows all;
  for (std::size_t r = 0; r < attention.relations.size(); ++r) {
    const auto agreement = [r](const ReportedHead& head) {
      const auto& relations = head.attention.relations;
      return r < relations.size() ? or_null(relations[r].agreement[head.number]) : Json();
    };
    all.push_back({.of = agreement, .curve = "follows " + attention.relations[r].name});
  }
  std::ranges::move(rows, std::back_inserter(all));
  return all;
}

constexpr Index slope_work = 3;  // a gradient takes about as much time as three losses

// With fewer sentences, differences between heads would be due to chance.
constexpr Index least_importance_examples = 10;
constexpr Index least_pruning_examples = 50;

// Adds the losses without heads, as far as the effort allows, and notes about what is missing.
void add_ablations(Json& json, Model& model, const Config& config, const Task& task,
                   const Split& split, const ReportRequest& request, Workers& workers) {
  const ReportEffort& effort = request.effort;
  const auto all = split.size();
  const auto heads = static_cast<Index>(gateable_heads(model.transformer).size());
  if (const auto ungated = fixed_attentions(model.transformer, why_ungated); !ungated.empty()) {
    json["notes"].push_back(
        fmt::format("Heads without importance and pruning: {}.", fixed_text(ungated)));
  }
  if (heads == 0) {
    return;
  }
  const Index weighed = std::min(all, effort.importance / (heads + slope_work));
  const Index pruned = effort.prune ? std::min(effort.watched, all)
                                    : std::min(all, effort.pruning / (heads * (1 + slope_work)));
  if (weighed >= std::min(all, least_importance_examples)) {
    request.progress("the loss without each head");
    json["importance"] = importance_json(
        head_importance(model, config, task, first_examples(split, weighed), workers));
    json["importance"]["examples"] = weighed;
  } else {
    json["notes"].push_back(
        "The importance of the heads is left out, since it would have taken longer than a "
        "validation. The command `report` adds it.");
  }
  if (effort.prune || pruned >= std::min(all, least_pruning_examples)) {
    request.progress("the loss as heads go one by one");
    json["pruning"] = pruning_json(prune_heads(model, config, task, first_examples(split, pruned),
                                               usual_slope_examples, workers));
    json["pruning"]["examples"] = pruned;
  } else {
    json["notes"].push_back(
        fmt::format("There is no pruning curve, since with {} heads it takes longer than a page "
                    "should. The command `report` with --prune adds it.",
                    heads));
  }
}

// Adds the model's outputs without each single head, at most `most` outputs together: of as many
// sentences as they allow or, of one sentence, without as many heads.
void add_outputs_without(Json& sentences, Model& model, const Config& config, const Task& task,
                         const Split& split, Index most, Workers& workers) {
  if (shares_weights(model.transformer)) {
    add_outputs_without(sentences, *with_weights_apart(model, config), config, task, split, most,
                        workers);
    return;
  }
  HeadNames heads = gateable_heads(model.transformer);
  heads.resize(std::min(heads.size(), static_cast<std::size_t>(most)));
  for (const auto& gate : gates_on(model, heads)) {
    gate->set(0);
    const Index count = std::clamp<Index>(most / std::ssize(heads), 1, std::ssize(sentences));
    const std::vector<ExampleScore> outputs = written_examples(
        task, split, decode_tokens(model, split, count, config.evaluation, workers));
    gate->set(1);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      sentences[i]["without"][gate->head().text()] = {{"output", outputs[i].output},
                                                      {"right", outputs[i].right}};
    }
  }
}

}  // namespace

Index weights_of(const Json& sentence) {
  constexpr Index digits = 8;  // of base64 for three weights
  Index weights = 0;
  for (const Json& attention : sentence["attentions"]) {
    for (const Json& head : attention["heads"]) {
      weights += std::ssize(head.get_ref<const std::string&>()) * 3 / digits;
    }
  }
  return weights;
}

Json report_sentences(Model& model, const Config& config, const Task& task, const Split& split,
                      const std::vector<Index>& examples, Index outputs_without, Workers& workers) {
  for (const Index i : examples) {
    if (i < 0 || i >= split.size()) {
      throw ConfigError("there is no sentence {} in {}; it has 1 to {}", i + 1, split.name,
                        split.size());
    }
  }
  const Split few = chosen(task, split, examples);
  const std::vector<ExampleScore> outputs = written_examples(
      task, few, decode_tokens(model, few, few.outputs(), config.evaluation, workers));
  Json sentences = Json::array();
  Index weights = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const InspectedSequence seen = inspect(model, {task.source_tokenizer, task.target_tokenizer},
                                           pack(*few.source, {static_cast<Index>(i)}));
    Json sentence = sentence_json(seen, few.source_texts[i], examples[i] + 1);
    weights += weights_of(sentence);
    if (i > 0 && weights > shown_weights) {
      break;
    }
    if (i < outputs.size()) {
      sentence.update({{"output", outputs[i].output},
                       {"right", outputs[i].right},
                       {"reference", outputs[i].reference}});
    }
    sentences.push_back(std::move(sentence));
  }
  if (!outputs.empty()) {
    add_outputs_without(sentences, model, config, task, few, outputs_without, workers);
  }
  return sentences;
}

Json report_heads_json(Model& model, const Config& config, const Task& task, const Split& split,
                       const ReportRequest& request, Workers& workers) {
  const Index watched = std::min(request.effort.watched, split.size());
  request.progress("watching the heads");
  Json json = {{"split", split.name}, {"watched", watched}};
  json["attentions"] =
      heads_json(study_heads(model, config, task, *first_examples(split, watched).source, workers,
                             request.figures),
                 request.figures);
  for (Json& attention : json["attentions"]) {
    for (Json& head : attention["heads"]) {
      head.erase("divergence_across");  // grows with the square of the number of heads
    }
  }
  json["legend"] = legend_json(request.figures);
  json["notes"] = Json::array();
  add_ablations(json, model, config, task, split, request, workers);
  return json;
}

Json head_curves_json(const ReportRequest& request, const Task& task, const Split& split,
                      Workers& workers) {
  const Index watched = std::min(request.effort.watched, split.size());
  const auto progress = [&](Index done, Index of) {
    request.progress(fmt::format("watching the heads, checkpoints: {} of {}", done, of));
  };
  const HeadHistory history = head_history(request.run, task, first_examples(split, watched),
                                           workers, progress, request.figures);
  Json json = history_json(history);
  json["steps"] = mapped(history, &HeadMoment::step);
  json["attentions"] = Json::array();
  const std::vector<AttentionReport>& last = history.back().attentions;
  for (std::size_t a = 0; a < last.size(); ++a) {
    Json figures = Json::object();
    for (const HeadFigureRow& row : rows_with_curves(last[a], request.figures)) {
      const auto values = [&](const HeadMoment& moment) {
        const AttentionReport& at = moment.attentions[a];
        return mapped(numbers_below(at.heads.size()),
                      [&](std::size_t i) { return value_of(row, ReportedHead{at, i}); });
      };
      const std::vector<std::vector<Json>> curves = mapped(history, values);
      if (!std::ranges::all_of(curves | std::views::join, &Json::is_null)) {
        figures[row.curve] = curves;
      }
    }
    json["attentions"].push_back({{"attention", last[a].site.text()}, {"figures", figures}});
  }
  json["split"] = split.name;
  json["watched"] = watched;
  return json;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
