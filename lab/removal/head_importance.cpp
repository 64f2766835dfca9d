#include "lab/removal/head_importance.hpp"

#include "core/ops/heads/head_linear.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The output projection of a head's attention. Throws ConfigError if other attentions share it.
Parameter output_weight(const Transformer& transformer, const MultiHeadAttention& attention) {
  const std::string_view why = transformer.shares_weights(attention)
                                   ? "their output projection serves other attentions too"
                                   : why_ungated(transformer, attention);
  if (!why.empty()) {
    throw ConfigError("heads of {} cannot be gated: {}", attention.site.text(), why);
  }
  return attention.weights.combination.output_weight;
}

}  // namespace

std::string HeadName::text() const { return fmt::format("{}.{}", site.text(), head); }

HeadName head_named(const Transformer& transformer, std::string_view attention, Index head) {
  std::vector<std::string> there;
  for (const MultiHeadAttention* one : transformer.attentions()) {
    if (one->site.text() == attention && head >= 0 && head < one->spec.heads) {
      return {one->site, head};
    }
    there.push_back(fmt::format("{} ({})", one->site.text(), one->spec.heads));
  }
  throw ConfigError(
      "there is no head {} of {}; heads are counted from 0, and the attentions with "
      "their numbers of heads are: {}",
      head, attention, join(there, ", "));
}

const MultiHeadAttention& attention_of(const Transformer& transformer, const HeadName& head) {
  head_named(transformer, head.site.text(), head.head);
  const auto all = transformer.attentions();
  return **std::ranges::find(all, head.site, &MultiHeadAttention::site);
}

HeadNames heads_of(const Transformer& transformer) {
  HeadNames names;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    for (Index head = 0; head < attention->spec.heads; ++head) {
      names.push_back({attention->site, head});
    }
  }
  return names;
}

HeadNames gateable_heads(const Transformer& transformer) {
  HeadNames names = heads_of(transformer);
  std::erase_if(names, [&](const HeadName& name) {
    return !why_ungated(transformer, attention_of(transformer, name)).empty();
  });
  return names;
}

std::string_view why_ungated(const Transformer& /*model*/, const MultiHeadAttention& attention) {
  return attention.spec.combine == Combine::output
             ? ""
             : "their outputs go through no projection (combine is not output)";
}

std::vector<FixedAttention> fixed_attentions(const Transformer& transformer, WhyFixed why) {
  std::vector<FixedAttention> fixed;
  for (const MultiHeadAttention* attention : transformer.attentions()) {
    if (const std::string_view reason = why(transformer, *attention); !reason.empty()) {
      fixed.push_back({.site = attention->site, .heads = attention->spec.heads, .why = reason});
    }
  }
  return fixed;
}

std::string fixed_text(const std::vector<FixedAttention>& attentions) {
  std::vector<std::string> texts;
  std::set<std::string_view> reasons;
  for (const FixedAttention& attention : attentions) {
    if (reasons.insert(attention.why).second) {
      const auto same = [&](const FixedAttention& other) { return other.why == attention.why; };
      const auto paths = mapped(attentions | std::views::filter(same),
                                [](const FixedAttention& one) { return one.site.text(); });
      texts.push_back(fmt::format("{}: {}", join(paths, ", "), attention.why));
    }
  }
  return join(texts, "; ");
}

HeadGate::HeadGate(Model& model, const HeadName& head) : head_(head) {
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

HeadGates gates_on(Model& model, const HeadNames& heads) {
  return mapped(heads,
                [&](const HeadName& head) { return std::make_unique<HeadGate>(model, head); });
}

std::vector<double> gate_slopes(const Model& model, const Source& source, const HeadGates& gates,
                                Workers& workers) {
  constexpr Index parts = 16;  // not the number of threads, so that the order of sums is fixed
  const auto examples = source.size();
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(parts),
                                        std::vector<double>(gates.size()));
  workers.run(parts, [&](Index part) {
    const Index end = (part + 1) * examples / parts;
    for (Index example = part * examples / parts; example < end; ++example) {
      const Batch sentence = pack(source, {example});
      ParameterGradients gradients(model.store);
      Tape tape;
      Pass pass(tape, model.store, gradients);
      const Var loss = batch_loss(model.transformer, pass, sentence).loss;
      tape.backward(loss, Tensor::full({1}, 1 / static_cast<Scalar>(sentence.labels.count())));
      for (std::size_t i = 0; i < gates.size(); ++i) {
        sums[static_cast<std::size_t>(part)][i] += std::abs(gates[i]->slope(gradients));
      }
    }
  });
  std::vector<double> slopes(gates.size());
  for (const std::vector<double>& part : sums) {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] += part[i] / static_cast<double>(std::max<Index>(1, examples));
    }
  }
  return slopes;
}

Evaluation evaluate_memoryless(const Model& model, const Config& config, const Task& task,
                               const Split& split, Workers& workers) {
  EvaluationOptions options = config.evaluation;
  options.memory = 0;
  return evaluate(model, task, split, options, 0, workers);
}

Importance head_importance(Model& model, const Config& config, const Task& task, const Split& split,
                           Workers& workers, const OnProgress& progress) {
  if (shares_weights(model.transformer)) {
    return head_importance(*with_weights_apart(model, config), config, task, split, workers,
                           progress);
  }
  const auto loss = [&] { return evaluate_memoryless(model, config, task, split, workers).loss(); };
  const HeadGates gates = gates_on(model, gateable_heads(model.transformer));
  Importance result{.loss = loss(), .ungated = fixed_attentions(model.transformer, why_ungated)};
  const std::vector<double> slopes = gate_slopes(model, *split.source, gates, workers);
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const HeadName head = gates[i]->head();
    const auto set_others = [&](double gate) {
      for (const auto& other : gates) {
        if (other->head() != head && other->head().site == head.site) {
          other->set(gate);
        }
      }
    };
    gates[i]->set(0);
    const double without = loss();
    gates[i]->set(1);
    set_others(0);
    const double alone = loss();
    set_others(1);
    result.heads.push_back(
        {.head = head, .loss_without = without, .loss_alone = alone, .slope = slopes[i]});
    if (progress) {
      progress(static_cast<Index>(i) + 1, std::ssize(gates));
    }
  }
  return result;
}

std::vector<GatedHead> gated_heads(const Model& model) {
  std::vector<GatedHead> heads;
  for (const MultiHeadAttention* attention : model.transformer.attentions()) {
    const Parameter& log_alpha = attention->weights.gates.log_alpha;
    for (Index head = 0; log_alpha.declared() && head < attention->spec.heads; ++head) {
      Tape tape(false);
      const Var own = tape.constant(model.store.value(log_alpha).part(head, {1}));
      heads.push_back({.head = {attention->site, head},
                       .gate = static_cast<double>(settled_gates(own).value().data()[0]),
                       .open = static_cast<double>(open_gates(own).value().data()[0])});
    }
  }
  return heads;
}

HeadNames closed_heads(const std::vector<GatedHead>& heads) {
  const auto closed = [](const GatedHead& head) { return head.gate == 0; };
  return mapped(heads | std::views::filter(closed), &GatedHead::head);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
