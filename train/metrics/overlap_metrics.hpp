// ROUGE-L, token F1 and exact match as metrics of generated outputs: means over
// the examples.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

std::vector<double> rouge_l_summands(std::span<const ExampleScore> examples,
                                     const EvaluationOptions& options);
std::vector<double> token_f1_summands(std::span<const ExampleScore> examples,
                                      const EvaluationOptions& options);
std::vector<double> exact_match_summands(std::span<const ExampleScore> examples,
                                         const EvaluationOptions& options);
std::string rouge_signature_of(const EvaluationOptions& options);
std::string answer_signature_of(const EvaluationOptions& options);

inline constexpr MetricKind rouge_l_metric{.name = "rouge_l",
                                           .words = "ROUGE-L",
                                           .heading = "ROUGE-L",
                                           .decimals = 4,
                                           .of = &Measurable::words,
                                           .further = true,
                                           .summands = rouge_l_summands,
                                           .value = mean_of,
                                           .signature = rouge_signature_of};
inline constexpr MetricKind token_f1_metric{.name = "token_f1",
                                            .words = "token F1",
                                            .heading = "token F1",
                                            .percent = true,
                                            .of = &Measurable::words,
                                            .further = true,
                                            .summands = token_f1_summands,
                                            .value = mean_of,
                                            .signature = answer_signature_of};
inline constexpr MetricKind exact_match_metric{.name = "exact_match",
                                               .words = "exact match",
                                               .heading = "exact match",
                                               .percent = true,
                                               .of = &Measurable::words,
                                               .further = true,
                                               .summands = exact_match_summands,
                                               .value = mean_of,
                                               .signature = answer_signature_of};

// Answers to questions, compared as the evaluation script of SQuAD 2.0 does
// (Rajpurkar et al. 2016, 2018): exact match and token F1.
inline constexpr std::string_view answer_signature = "case:lc|punctuation:no|articles:no|squad:2.0";

// The words of an answer between white space, after str.lower(), without the
// punctuation of ASCII and without the words a, an and the.
std::vector<std::u32string> answer_words(std::string_view answer);

// Whether the words are the same, in the same order.
bool exact_match(std::string_view answer, std::string_view reference);

// The harmonic mean of precision and recall of the answer's words as a bag:
// with C words in common, each as often as in both, 2 C over the number of
// words of the two. If one has no words, it is 1 if the other has none either.
double token_f1(std::string_view answer, std::string_view reference);

}  // namespace tapehead
