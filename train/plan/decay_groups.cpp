#include "train/plan/decay_groups.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "train/options/weight_decay.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

struct DecayGroup {
  std::string_view name;
  Index parameters = 0;
  bool decays = false;
};

// Kinds that no option tells apart form one group, the weights; gates are named beside them.
std::size_t group_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::embedding:
      return 1;
    case ParameterKind::gain:
      return 2;
    case ParameterKind::bias:
      return 3;
    case ParameterKind::gate:
      return 4;
    default:
      return 0;
  }
}

std::string listed(const std::array<DecayGroup, 5>& groups, bool that_decay) {
  std::vector<std::string> texts;
  for (const DecayGroup& group : groups) {
    if (group.parameters > 0 && group.decays == that_decay) {
      texts.push_back(fmt::format("{} {}", group.parameters, group.name));
    }
  }
  return join(texts, ", ");
}

}  // namespace

std::string decay_text(const ParameterStore& store, const TrainingOptions& options) {
  std::array<DecayGroup, 5> groups{{{"weights"}, {"embeddings"}, {"gains"}, {"biases"}, {"gates"}}};
  for (const NamedParameter& parameter : store.parameters()) {
    DecayGroup& group = groups[group_of(parameter.kind)];
    group.parameters += parameter.frozen ? 0 : parameter.shape.size();
    group.decays = decays(options, parameter.kind);
  }
  const std::string others = listed(groups, false);
  return fmt::format("{} on {}{}", options.weight_decay, listed(groups, true),
                     others.empty() ? "" : "; not on " + others);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
