// Metrics of predicted classes and of token labels: accuracy, macro F1, Matthews' coefficient and
// the confusion matrix, as in scikit-learn, and entity F1. An example's output is the predicted
// class and its reference the right class; for token labels, both have a label for each token,
// separated by blanks.
#pragma once

#include "core/files/json_text.hpp"
#include "train/metrics/metric_kind.hpp"

namespace tapehead {

// Three counts for each class that occurs, in byte order: how often the class is a right output, an
// output, and a reference.
std::vector<double> class_summands(ExampleScores examples, const EvaluationOptions& options);

// The mean F1 of the classes. F1, the harmonic mean of precision and recall, is 2 T / (P + R) for a
// class with P outputs, R references and T right outputs. A class with P + R = 0 does not count.
double macro_f1_of(std::span<const double> sums);

// The coefficient of Matthews (1975) for any number of classes (Gorodkin 2004), from -1 to 1. For N
// examples with C right outputs, and P and R as above, it is (N C - Σ P R) / sqrt((N² - Σ P²) (N² -
// Σ R²)). It is 0 if all examples or all predictions have the same class.
double matthews_of(std::span<const double> sums);  // of class_summands()

// Three counts for each label: tokens with this label in both texts, in the output, and in the
// reference. A token that is in only one text counts for that text.
std::vector<double> token_label_summands(ExampleScores examples, const EvaluationOptions& options);

// Three counts: entities in both texts, in the output, and in the reference. In IOB2 (Tjong Kim
// Sang and Veenstra 1999), B-X begins an entity of type X and each I-X that follows continues it;
// plain B and I have no type. As in seqeval's strict mode, an I-X behind anything else is outside,
// and two entities are equal if they cover the same tokens and have the same type. Labels of other
// forms, such as NN and BE, are outside; seqeval rejects them or takes BE for an entity.
std::vector<double> entity_summands(ExampleScores examples, const EvaluationOptions& options);

// 2 T / (P + R) for T entities in both texts, P in outputs and R in references; 0 if T is 0.
double f1_of(std::span<const double> sums);

inline constexpr MetricKind label_f1_metric{.name = "label_f1",
                                            .words = "label F1",
                                            .percent = true,
                                            .of = &Measurable::tags,
                                            .summands = token_label_summands,
                                            .value = macro_f1_of};
inline constexpr MetricKind entity_f1_metric{
    .name = "entity_f1",
    .words = "entity F1",
    .percent = true,
    .of = &Measurable::tags,
    .further = true,
    .summands = entity_summands,
    .value = f1_of,
    .signature = [](const EvaluationOptions&) {
      return std::string("scheme:IOB2|mode:strict|seqeval:1.2.2");
    }};

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

// The confusion matrix: how often each class was predicted for examples of each right class.
// {"classes": ["ABBR", ...], "counts": [[9, 0, ...], ...]}: the classes that occur, in byte order,
// and a row for each right class.
Json confusion_json(ExampleScores examples);

}  // namespace tapehead
