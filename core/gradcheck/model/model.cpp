#include "core/gradcheck/model/model.hpp"

#include "core/gradcheck/subject.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// A parameter's gradient; if the parameter shares its block with others, a part of the block's
// gradient.
Tensor gradient_of(const ParameterStore& store, const ParameterGradients& gradients,
                   const NamedParameter& parameter) {
  if (!gradients.written(parameter.block)) {
    return Tensor::zeros(parameter.shape);
  }
  const Scalar* begin =
      gradients.data(parameter.block) + parameter.offset - store.block_begin(parameter.block);
  return Tensor::of(parameter.shape,
                    std::span(begin, static_cast<std::size_t>(parameter.shape.size())));
}

std::vector<Finding> about_loss(Verdict verdict, std::string hint) {
  return {{.verdict = verdict, .subject = "the loss", .hint = std::move(hint)}};
}

class ModelCheck {
 public:
  ModelCheck(ParameterStore& store, const LossAndGradients& loss,
             const ModelGradcheckOptions& options)
      : store_(store), options_(options), loss_(loss), gradients_(store) {}

  ModelGradcheckReport run() {
    ModelGradcheckReport report;
    report.findings = check_repetition();
    if (!report.findings.empty()) {
      return report;
    }
    std::vector<NamedParameter> wanted = store_.parameters();
    std::erase_if(wanted, [this](const NamedParameter& parameter) {
      return options_.wanted && !options_.wanted(parameter.name);
    });
    for (const NamedParameter& parameter : wanted) {
      if (options_.progress) {
        options_.progress(std::ssize(report.parameters), std::ssize(wanted));
      }
      report.parameters.push_back(
          check_parameter({.options = options_,
                           .name = parameter.name,
                           .loss = loss_,
                           .centre = centre_,
                           .parameter = store_.value(parameter),
                           .gradient = gradient_of(store_, gradients_, parameter),
                           .written = gradients_.written(parameter.block),
                           .number = report.parameters.size(),
                           .nearby = [&] { return nearby_gradients(parameter); }}));
    }
    // Differences cannot judge any gradient that is larger than rounding.
    if (std::ranges::any_of(report.parameters, &ParameterCheck::hidden) &&
        std::ranges::all_of(report.parameters, &ParameterCheck::too_small)) {
      report.findings = about_loss(
          Verdict::cannot_tell,
          fmt::format(
              "the loss, {:.1g}, is too large for differences: its rounding hides the slope of "
              "every parameter. Leave out terms that do not depend on the parameters",
              centre_));
    }
    return report;
  }

 private:
  // A second run must give the same bits of loss and gradients, and all must be finite.
  std::vector<Finding> check_repetition() {
    centre_ = loss_(&gradients_);
    if (!std::isfinite(centre_)) {
      return about_loss(Verdict::not_finite,
                        "the gradients cannot be checked without a finite loss");
    }
    ParameterGradients second(store_);
    if (loss_(&second) != centre_ || loss_(nullptr) != centre_) {
      return about_loss(Verdict::nondeterministic,
                        "a second run gives different bits: does the model draw other random "
                        "numbers in each run, or keep a state?");
    }
    for (const NamedParameter& parameter : store_.parameters()) {
      if (!same_bits(gradient_of(store_, gradients_, parameter),
                     gradient_of(store_, second, parameter))) {
        return {{.verdict = Verdict::nondeterministic,
                 .subject = parameter.name,
                 .hint = "a second run gives different bits of its gradient"}};
      }
    }
    return {};
  }

  std::vector<Tensor> nearby_gradients(const NamedParameter& parameter) {
    constexpr std::uint64_t trials = 4;
    for (std::uint64_t trial = nearby_.size(); trial < trials; ++trial) {
      Restored values(store_.values());
      const Tensor other = with_other_bits(values.before, options_.seed + 100 * trial);
      std::ranges::copy(other.values(), values.values.data());
      loss_(&nearby_.emplace_back(store_));
    }
    return mapped(nearby_, [&](const ParameterGradients& gradients) {
      return gradient_of(store_, gradients, parameter);
    });
  }

  ParameterStore& store_;
  const ModelGradcheckOptions& options_;
  const LossAndGradients& loss_;
  ParameterGradients gradients_;
  std::vector<ParameterGradients> nearby_;  // empty: not computed yet
  double centre_ = 0;
};

// A summary if many parameters are wrong: how many, and where to look.
std::string summary(const std::vector<ParameterCheck>& parameters) {
  constexpr Index few = 3;
  const auto count = [&parameters](const auto& condition) {
    return std::ranges::count_if(parameters, condition, &ParameterCheck::finding);
  };
  const auto found = count([](const Finding& f) { return f.verdict != Verdict::correct; });
  if (found <= few) {
    return "";
  }
  const auto without = count([](const Finding& f) {
    return f.kind == WrongKind::no_gradient || f.verdict == Verdict::unused_input;
  });
  const auto doubtful = count([](const Finding& f) {
    return f.verdict == Verdict::too_little_precision || f.verdict == Verdict::kink_nearby;
  });
  const bool nearly_all = 10 * (found - without) >= 9 * std::ssize(parameters);
  return fmt::format("{} of {} parameters are not right{}\n  hint: {}\n", found, parameters.size(),
                     without > 0 ? fmt::format("; no gradient arrives at {} of them", without) : "",
                     doubtful == found ? "no gradient is certainly wrong: see the hints below"
                     : nearly_all
                         ? "nearly all are wrong: is a part of the batch left out or counted "
                           "twice, or the loss itself wrong?"
                         : "a mistake affects all parameters before it in the forward pass: look "
                           "where no gradient arrives, and after the last wrong gradient");
}

}  // namespace

bool ModelGradcheckReport::ok() const {
  return findings.empty() && std::ranges::all_of(parameters, [](const ParameterCheck& parameter) {
           return parameter.finding.verdict == Verdict::correct;
         });
}

std::string ModelGradcheckReport::message() const {
  GradcheckReport all{.findings = findings};
  for (const ParameterCheck& parameter : parameters) {
    if (parameter.finding.verdict != Verdict::correct) {
      all.findings.push_back(parameter.finding);
    }
  }
  return summary(parameters) + all.message();
}

ModelGradcheckReport gradcheck_model(ParameterStore& store, const LossAndGradients& loss,
                                     const ModelGradcheckOptions& options) {
  return ModelCheck(store, loss, options).run();
}

ModelGradcheckReport gradcheck_model(ParameterStore& store, const ModelLoss& loss,
                                     const ModelGradcheckOptions& options) {
  ParameterGradients unused(store);
  const LossAndGradients on_one_tape = [&](ParameterGradients* gradients) {
    Tape tape(gradients != nullptr);
    const Var value = loss(tape, gradients != nullptr ? *gradients : unused);
    if (value.shape().size() != 1) {
      throw ShapeError("gradcheck_model: the loss has shape {}; it must be one number",
                       value.shape().to_string());
    }
    tape.backward(value);
    return static_cast<double>(value.value().data()[0]);
  };
  return gradcheck_model(store, on_one_tape, options);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
