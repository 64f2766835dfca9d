#include "lab/removal/head_importance.hpp"

#include "core/ops/heads/head_linear.hpp"
#include "core/text.hpp"
#include "nn/transformer/transformer.hpp"
#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Why no head of an attention can be gated; empty if all can.
std::string_view why_ungated(const AttentionSpec& spec) {
  return spec.combine == Combine::output
             ? ""
             : "their outputs go through no projection (combine is not output)";
}

// The output projection of a head's attention. Throws ConfigError if other attentions share it.
Parameter output_weight(const Transformer& transformer, const MultiHeadAttention& attention) {
  const std::string_view why = transformer.shares_weights(attention)
                                   ? "their output projection serves other attentions too"
                                   : why_ungated(attention.spec);
  if (!why.empty()) {
    throw ConfigError(fmt::format("heads of {} cannot be gated: {}", attention.site.text(), why));
  }
  return attention.weights.combination.output_weight;
}

void sentence_gradients(const Model& model, const Batch& sentence, ParameterGradients& gradients) {
  Tape tape;
  Pass pass(tape, model.store, gradients);
  const CrossEntropy result = batch_loss(model.transformer, pass, sentence);
  tape.backward(result.loss, Tensor::full({1}, 1 / static_cast<Scalar>(sentence.labels.count())));
}

// Σ_sentences |dL/dgate| of every gate, over a part of the sentences.
std::vector<double> slope_sums(const Model& model, const Source& source, const HeadGates& gates,
                               Index first, Index last) {
  std::vector<double> sums(gates.size());
  for (Index example = first; example < last; ++example) {
    ParameterGradients gradients(model.store);
    sentence_gradients(model, pack(source, {example}), gradients);
    for (std::size_t i = 0; i < gates.size(); ++i) {
      sums[i] += std::abs(gates[i]->slope(gradients));
    }
  }
  return sums;
}

void set_others(const std::vector<HeadName>& names, const HeadGates& gates, std::size_t head,
                double gate) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != head && names[i].site == names[head].site) {
      gates[i]->set(gate);
    }
  }
}

}  // namespace

std::string HeadName::text() const { return fmt::format("{}.{}", site.text(), head); }

HeadName head_named(const Transformer& transformer, std::string_view attention, Index head) {
  std::vector<std::string> there;
  for (const MultiHeadAttention* one : transformer.attentions()) {
    if (one->site.text() == attention && head >= 0 && head < one->spec.heads) {
      return {.site = one->site, .head = head};
    }
    there.push_back(fmt::format("{} ({})", one->site.text(), one->spec.heads));
  }
  throw ConfigError(
      fmt::format("there is no head {} of {}; heads are counted from 0, and the attentions with "
                  "their numbers of heads are: {}",
                  head, attention, join(there, ", ")));
}

const MultiHeadAttention& attention_of(const Transformer& transformer, const HeadName& head) {
  head_named(transformer, head.site.text(), head.head);
  const auto all = transformer.attentions();
  return **std::ranges::find(all, head.site, &MultiHeadAttention::site);
}

std::vector<HeadName> heads_of(const Transformer& transformer) {
  std::vector<HeadName> names;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    for (Index head = 0; head < attention->spec.heads; ++head) {
      names.push_back({.site = attention->site, .head = head});
    }
  }
  return names;
}

std::vector<HeadName> gateable_heads(const Transformer& transformer) {
  std::vector<HeadName> names = heads_of(transformer);
  std::erase_if(names, [&](const HeadName& name) {
    return !why_ungated(attention_of(transformer, name).spec).empty();
  });
  return names;
}

std::vector<FixedAttention> ungated_attentions(const Transformer& transformer) {
  std::vector<FixedAttention> ungated;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    if (const std::string_view why = why_ungated(attention->spec); !why.empty()) {
      ungated.push_back(
          {.site = attention->site, .heads = attention->spec.heads, .why = std::string(why)});
    }
  }
  return ungated;
}

std::string fixed_text(const std::vector<FixedAttention>& attentions) {
  std::vector<std::pair<std::string, std::string>> reasons;  // with their attentions
  for (const FixedAttention& attention : attentions) {
    const auto known =
        std::ranges::find(reasons, attention.why, &std::pair<std::string, std::string>::first);
    if (known == reasons.end()) {
      reasons.emplace_back(attention.why, attention.site.text());
    } else {
      known->second += ", " + attention.site.text();
    }
  }
  std::string text;
  for (const auto& [why, paths] : reasons) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", paths, why);
  }
  return text;
}

HeadGate::HeadGate(Model& model, const HeadName& head) {
  const MultiHeadAttention& attention = attention_of(model.transformer, head);
  const Parameter weight = output_weight(model.transformer, attention);
  const Index width = attention.spec.d_v;
  weight_ = model.store.value(weight);
  block_ = weight.block;
  first_ = head.head * width;
  kept_ = Tensor::empty({weight_.dim(0), width});
  for (Index i = 0; i < weight_.dim(0); ++i) {
    std::copy_n(weight_.row(i) + first_, width, kept_.row(i));
  }
}

void HeadGate::set(double gate) {
  for (Index i = 0; i < weight_.dim(0); ++i) {
    std::transform(kept_.row(i), kept_.row(i) + kept_.dim(1), weight_.row(i) + first_,
                   [factor = static_cast<Scalar>(gate)](Scalar w) { return factor * w; });
  }
}

double HeadGate::slope(const ParameterGradients& gradients) const {
  const Scalar* gradient = gradients.data(block_);
  double sum = 0;
  for (Index i = 0; i < kept_.dim(0); ++i) {
    for (Index c = 0; c < kept_.dim(1); ++c) {
      sum += static_cast<double>(kept_.row(i)[c]) *
             static_cast<double>(gradient[i * weight_.dim(1) + first_ + c]);
    }
  }
  return sum;
}

HeadGates gates_on(Model& model, const std::vector<HeadName>& heads) {
  HeadGates gates;
  for (const HeadName& head : heads) {
    gates.push_back(std::make_unique<HeadGate>(model, head));
  }
  return gates;
}

std::vector<double> gate_slopes(const Model& model, const Source& source, const HeadGates& gates,
                                Workers& workers) {
  constexpr Index parts = 16;  // not the number of threads, so that the order of sums is fixed
  const auto examples = source.size();
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(parts));
  workers.run(parts, [&](Index part) {
    sums[static_cast<std::size_t>(part)] =
        slope_sums(model, source, gates, part * examples / parts, (part + 1) * examples / parts);
  });
  std::vector<double> slopes(gates.size());
  for (const std::vector<double>& part : sums) {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] += part[i] / static_cast<double>(std::max<Index>(1, examples));
    }
  }
  return slopes;
}

EvaluationOptions without_memory(EvaluationOptions options) {
  options.memory = 0;
  return options;
}

Importance head_importance(Model& model, const Config& config, const Task& task, const Split& split,
                           Workers& workers, const std::function<void(Index, Index)>& progress) {
  if (shares_weights(model.transformer)) {
    const auto apart = with_weights_apart(model, config);
    return head_importance(*apart, config, task, split, workers, progress);
  }
  const auto loss = [&] {
    return evaluate(model, task, split, without_memory(config.evaluation), 0, workers).loss();
  };
  const std::vector<HeadName> names = gateable_heads(model.transformer);
  const HeadGates gates = gates_on(model, names);
  Importance result{.loss = loss(), .ungated = ungated_attentions(model.transformer)};
  const std::vector<double> slopes = gate_slopes(model, *split.source, gates, workers);
  for (std::size_t i = 0; i < names.size(); ++i) {
    gates[i]->set(0);
    const double without = loss();
    gates[i]->set(1);
    set_others(names, gates, i, 0);
    const double alone = loss();
    set_others(names, gates, i, 1);
    result.heads.push_back(
        {.head = names[i], .loss_without = without, .loss_alone = alone, .slope = slopes[i]});
    if (progress) {
      progress(static_cast<Index>(i) + 1, static_cast<Index>(names.size()));
    }
  }
  return result;
}

std::vector<GatedHead> gated_heads(const Model& model) {
  std::vector<GatedHead> heads;
  for (const MultiHeadAttention* attention : model.transformer.attentions()) {
    const std::optional<Parameter>& log_alpha = attention->weights.gates.log_alpha;
    for (Index head = 0; log_alpha && head < attention->spec.heads; ++head) {
      Tape tape(false);
      const Var own = tape.constant(model.store.value(*log_alpha).part(head, {1}));
      heads.push_back({.head = {.site = attention->site, .head = head},
                       .gate = static_cast<double>(settled_gates(own).value().data()[0]),
                       .open = static_cast<double>(open_gates(own).value().data()[0])});
    }
  }
  return heads;
}

std::vector<HeadName> closed_heads(const std::vector<GatedHead>& heads) {
  std::vector<HeadName> closed;
  for (const GatedHead& head : heads) {
    if (head.gate == 0) {
      closed.push_back(head.head);
    }
  }
  return closed;
}

std::size_t PruningCurve::steps_within(double tolerance) const {
  const auto last =
      std::ranges::find_if(steps.rbegin(), steps.rend(),
                           [&](const PruningStep& step) { return step.loss <= loss + tolerance; });
  return static_cast<std::size_t>(steps.rend() - last);
}

PruningCurve prune_heads(Model& model, const Config& config, const Task& task, const Split& split,
                         Index slope_examples, Workers& workers,
                         const std::function<void(Index, Index)>& progress) {
  if (shares_weights(model.transformer)) {
    const auto apart = with_weights_apart(model, config);
    return prune_heads(*apart, config, task, split, slope_examples, workers, progress);
  }
  const auto loss = [&] {
    return evaluate(model, task, split, without_memory(config.evaluation), 0, workers).loss();
  };
  const auto few = first_examples(split, slope_examples).source;
  std::vector<HeadName> left = gateable_heads(model.transformer);
  HeadGates gates = gates_on(model, left);
  HeadGates removed;
  const auto all = static_cast<Index>(left.size());
  PruningCurve curve{.loss = loss(), .ungated = ungated_attentions(model.transformer)};
  while (!left.empty()) {
    const std::vector<double> slopes = gate_slopes(model, *few, gates, workers);
    const auto least = std::ranges::min_element(slopes) - slopes.begin();
    const auto at = static_cast<std::size_t>(least);
    gates[at]->set(0);
    curve.steps.push_back({.removed = left[at], .importance = slopes[at], .loss = loss()});
    removed.push_back(std::move(gates[at]));
    gates.erase(gates.begin() + least);
    left.erase(left.begin() + least);
    if (progress) {
      progress(static_cast<Index>(curve.steps.size()), all);
    }
  }
  return curve;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
