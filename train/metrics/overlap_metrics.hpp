// ROUGE-L (Lin 2004), with exactly the figures of the Python package rouge-score; token F1 and
// exact match of answers to questions, as the evaluation script of SQuAD 2.0 compares them
// (Rajpurkar et al. 2016, 2018). As metrics of generated outputs they are means over the examples.
#pragma once

#include "train/metrics/metric_kind.hpp"

namespace tapehead {

// The words of a text, as the package's default tokenizer finds them without a stemmer: after
// str.lower(), the runs of a-z and 0-9. All else separates words, so "naïve" is "na" and "ve", and
// text in other scripts has none.
std::vector<std::string> rouge_words(std::string_view text);

// The F1 of the longest common subsequence (words of both texts in the same order, perhaps with
// others between them), 0 ... 1: with L words of it, precision is L over the words of the
// hypothesis, recall L over those of the reference, and F1 their harmonic mean.
double rouge_l(std::string_view hypothesis, std::string_view reference);

// The words of an answer between white space, after str.lower(), without the punctuation of ASCII
// and without the words a, an and the.
std::vector<std::u32string> answer_words(std::string_view answer);

// Whether the words are the same, in the same order.
bool exact_match(std::string_view answer, std::string_view reference);

// The harmonic mean of precision and recall of the answer's words as a bag: with C words in common,
// each as often as in both, 2 C over the number of words of the two. If one has no words, it is 1
// if the other has none either.
double token_f1(std::string_view answer, std::string_view reference);

std::string rouge_signature(const EvaluationOptions& options);
std::string answer_signature(const EvaluationOptions& options);

inline constexpr MetricKind rouge_l_metric{.name = "rouge_l",
                                           .words = "ROUGE-L",
                                           .decimals = 4,
                                           .of = &Measurable::words,
                                           .further = true,
                                           .summands = mean_summands<compared<rouge_l>>,
                                           .signature = rouge_signature};
inline constexpr MetricKind token_f1_metric{.name = "token_f1",
                                            .words = "token F1",
                                            .percent = true,
                                            .of = &Measurable::words,
                                            .further = true,
                                            .summands = mean_summands<compared<token_f1>>,
                                            .signature = answer_signature};
inline constexpr MetricKind exact_match_metric{.name = "exact_match",
                                               .words = "exact match",
                                               .percent = true,
                                               .of = &Measurable::words,
                                               .further = true,
                                               .summands = mean_summands<compared<exact_match>>,
                                               .signature = answer_signature};

}  // namespace tapehead
