// Metrics of predicted classes, with the figures of scikit-learn: accuracy, macro F1, Matthews'
// coefficient; and the confusion matrix. The output of an example is the predicted class, its
// reference the right one. The metrics of labels of tokens are here, too; of these, output and
// reference have a label for each token, with blanks between them.
#pragma once

#include "core/files/json_text.hpp"
#include "train/metrics/metric_kind.hpp"

namespace tapehead {

// For each class that occurs, in the order of their bytes: how often it is the output and right,
// the output, the reference.
std::vector<double> class_summands(ExampleScores examples, const EvaluationOptions& options);

// The mean over the classes of the harmonic mean of precision and recall: with P times predicted,
// R times right, and T both, F1 = 2 T / (P + R). A class with P + R = 0 does not count.
double macro_f1_of(std::span<const double> sums);

// The coefficient of Matthews (1975) for any number of classes (Gorodkin 2004): with N examples, of
// which C are right, (N C - Σ P R) / sqrt((N² - Σ P²) (N² - Σ R²)), from -1 to 1; 0 if all
// examples, or all predictions, are of one class.
double matthews_of(std::span<const double> sums);  // of class_summands()

// For each label: how many tokens have it in both, in the output, in the reference. A token that
// only one of the two has counts there alone.
std::vector<double> token_label_summands(ExampleScores examples, const EvaluationOptions& options);

// Entities in both, in the output, in the reference. Those of IOB2 (Tjong Kim Sang and Veenstra
// 1999): B-X begins one of the type X, and each I-X that follows it goes on with it; B and I have
// no type. As in seqeval's strict mode, an I-X behind anything else is outside, and two entities
// are the same if they begin and end at the same tokens and have the same type. Labels of other
// forms, such as NN and BE, are outside, where seqeval refuses them or takes BE for an entity.
std::vector<double> entity_summands(ExampleScores examples, const EvaluationOptions& options);

// 2 T / (P + R), with T in both, P in outputs and R in references; 0 if there are none.
double f1_of(std::span<const double> sums);

std::string entity_signature(const EvaluationOptions& options);

inline constexpr MetricKind label_f1_metric{.name = "label_f1",
                                            .words = "label F1",
                                            .percent = true,
                                            .of = &Measurable::tags,
                                            .summands = token_label_summands,
                                            .value = macro_f1_of};
inline constexpr MetricKind entity_f1_metric{.name = "entity_f1",
                                             .words = "entity F1",
                                             .percent = true,
                                             .of = &Measurable::tags,
                                             .further = true,
                                             .summands = entity_summands,
                                             .value = f1_of,
                                             .signature = entity_signature};

inline constexpr MetricKind accuracy_metric{
    .name = "accuracy",
    .percent = true,
    .of = &Measurable::labels,
    .summands = mean_summands<compared<std::ranges::equal_to{}>>};
inline constexpr MetricKind macro_f1_metric{.name = "macro_f1",
                                            .words = "macro F1",
                                            .percent = true,
                                            .of = &Measurable::labels,
                                            .summands = class_summands,
                                            .value = macro_f1_of};
inline constexpr MetricKind mcc_metric{.name = "mcc",
                                       .words = "MCC",
                                       .decimals = 4,
                                       .of = &Measurable::labels,
                                       .further = true,
                                       .summands = class_summands,
                                       .value = matthews_of};

// The confusion matrix of predicted classes: how often each class was predicted for each.
struct Confusion {
  std::vector<std::string> classes;  // that occur, each once, in the order of their bytes
  std::vector<Index> counts;         // (right class, predicted class)
};

Confusion confusion_of(ExampleScores examples);

// {"classes": ["ABBR", ...], "counts": [[9, 0, ...], ...]}, a row for each right class.
Json confusion_json(const Confusion& confusion);

}  // namespace tapehead
