#include "lab/inspection/inspection.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "lab/inspection/mean_by_distance.hpp"
#include "lab/removal/head_importance.hpp"
#include "lab/removal/weights_apart.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// "decoder.layers.0.cross.2"
HeadName head_of(const Transformer& transformer, std::string_view name) {
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  const std::string number(name.substr(std::min(dot + 1, name.size())));
  const char* const last = number.data() + number.size();
  Index head = 0;
  const auto [end, fault] = std::from_chars(number.data(), last, head);
  if (fault != std::errc() || end != last) {
    throw ConfigError(
        fmt::format("{} is no head: a head's name ends in its number, such as {}", shown(name),
                    heads_of(transformer).empty() ? "decoder.layers.0.self.0"
                                                  : heads_of(transformer).back().text()));
  }
  return head_named(transformer, name.substr(0, dot), head);
}

// Gives heads of `model`, a copy of the run's, the mean weights that they have in another text.
void look_by_distance(const SavedRun& run, const std::string& other,
                      const std::vector<HeadName>& heads, Workers& workers, Model& model) {
  const TextBatch read = read_text(run, run.model, other, {}, workers);
  for (const RecordedAttention& seen : inspect(run.model, run.tokenizers, read.batch).heads) {
    if (std::ranges::count(heads, HeadName{.site = seen.site, .head = seen.head}) > 0) {
      MultiHeadAttention& attention = model.transformer.attention_at(seen.site);
      const bool sees_prefix = seen.site.kind == AttentionKind::decoder_self;
      attention.by_distance[seen.head] =
          mean_by_distance(seen.weights, attention.pattern_of(seen.head),
                           sees_prefix ? read.batch.input.segments[seen.segment].prefix : 0);
    }
  }
}

// The same sequence in a changed copy of the model, and what that writes for the text.
WithoutHeads inspect_without(const SavedRun& run, const InspectionRequest& request,
                             const TextBatch& read, Workers& workers) {
  WithoutHeads without{.heads = request.without, .pattern = request.pattern, .sequence = {}};
  std::vector<HeadName> heads;
  for (const std::string& name : request.without) {
    heads.push_back(head_of(run.model.transformer, name));
  }
  const auto model = with_weights_apart(run.model, run.config);
  const HeadGates gates = request.pattern ? HeadGates() : gates_on(*model, heads);
  for (const auto& gate : gates) {
    gate->set(0);
  }
  if (request.pattern) {
    look_by_distance(run, *request.pattern, heads, workers, *model);
  }
  without.sequence = inspect(*model, run.tokenizers, read.batch);
  if (read.generated) {
    without.target = read_text(run, *model, request.text, {}, workers).target;
  }
  return without;
}

}  // namespace

Inspection inspect_text(const SavedRun& run, const InspectionRequest& request, Workers& workers) {
  Inspection inspection{.text = read_text(run, run.model, request.text, request.target, workers),
                        .sequence = {}};
  inspection.sequence = inspect(run.model, run.tokenizers, inspection.text.batch);
  if (!request.without.empty()) {
    inspection.without = inspect_without(run, request, inspection.text, workers);
  }
  return inspection;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
