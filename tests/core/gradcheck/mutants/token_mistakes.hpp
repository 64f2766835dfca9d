// Mistakes in the backward passes of the embeddings and the loss.
#pragma once

#include "core/ops/softmax.hpp"
#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/sequence_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Writes a row of dy into row `to` of the table's gradient.
using PutRow = std::function<void(Tensor& gradient, Index to, const Scalar* dy)>;

inline void add_row(Tensor& gradient, Index to, const Scalar* dy) {
  std::transform(dy, dy + gradient.dim(1), gradient.row(to), gradient.row(to), std::plus<>());
}

inline void overwrite_row(Tensor& gradient, Index to, const Scalar* dy) {
  std::copy_n(dy, gradient.dim(1), gradient.row(to));
}

// The gradient of a table if row places[n] had been looked up for row n; -1: row n is lost.
inline Spoil scattered(std::size_t input, const std::vector<Index>& places, Scalar factor,
                       const PutRow& put = add_row) {
  return [=](BackwardPass& pass) {
    Tensor& gradient = pass.gradients[input];
    std::ranges::fill(gradient.values(), Scalar{0});
    std::ranges::for_each(pass.dy.values(), [factor](Scalar& number) { number *= factor; });
    for (std::size_t n = 0; n < places.size(); ++n) {
      if (places[n] >= 0) {
        put(gradient, places[n], pass.dy.row(static_cast<Index>(n)));
      }
    }
  };
}

inline std::vector<Mistake> lookup_mistakes() {
  using enum WrongKind;
  const std::vector<Index> ids(lookup_ids.begin(), lookup_ids.end());
  return {
      {"lookup",
       {0},
       "of a repeated id only the last row",
       {some_rows},
       scattered(0, ids, lookup_scale, overwrite_row)},
      {"lookup",
       {0},
       "id 0 gets none, as padding",
       {some_rows},
       scattered(0, {4, 1, 4, -1, 3}, lookup_scale)},
      {"lookup",
       {0},
       "to row n for row ids[n]",
       {rows_exchanged, some_rows},
       scattered(0, {0, 1, 2, 3, 4}, lookup_scale)},
      {"lookup", {0}, "the scale left out", {factor}, scattered(0, ids, 1)},
      {"lookup", {0}, "scaled twice", {factor}, scattered(0, ids, lookup_scale * lookup_scale)},
  };
}

// The correct positions are 2 and 3 in the first sequence, 0, 1 and 2 in the last.
inline std::vector<Mistake> position_mistakes() {
  using enum WrongKind;
  return {
      {"add_positions",
       {1},
       "of a position that two sequences hold only the last row",
       {some_rows},
       scattered(1, {2, 3, 0, 1, 2}, 1, overwrite_row)},
      {"add_positions",
       {1},
       "the row for the position",
       {rows_exchanged, term},
       scattered(1, {0, 1, 2, 3, 4}, 1)},
      {"add_positions",
       {1},
       "all sequences from position 0",
       {term},
       scattered(1, {0, 1, 0, 1, 2}, 1)},
      {"add_positions",
       {1},
       "the empty sequence ends the loop",
       {some_rows},
       scattered(1, {2, 3, -1, -1, -1}, 1)},
  };
}

// dx = dy slope(p, x, target), where the correct slope is p - q; `target`: x is the target's logit.
inline Spoil loss_gradient(const std::function<Scalar(Scalar p, Scalar x, bool target)>& slope) {
  return [slope](BackwardPass& pass) {
    const Tensor& x = pass.inputs[0];
    Tape tape(false);
    const Tensor p = softmax(tape.constant(x)).value();
    for (Index i = 0; i < x.size(); ++i) {
      const bool target = loss_targets[static_cast<std::size_t>(i / x.dim(1))] == i % x.dim(1);
      pass.gradients[0].data()[i] = pass.dy.data()[0] * slope(p.data()[i], x.data()[i], target);
    }
  };
}

inline Spoil loss_with(const std::vector<TokenId>& targets, Scalar smoothing) {
  return as_of([=](const Vars& x) { return cross_entropy(x[0], targets, smoothing).loss; });
}

inline std::vector<Mistake> loss_mistakes() {
  using enum WrongKind;
  const char* const smoothed = "cross_entropy, smoothed";
  const Scalar s = label_smoothing;
  return {
      // A mistake in only the targets' elements affects some columns.
      {"cross_entropy",
       {0},
       "the target not taken off",
       {term, some_columns},
       loss_gradient([](Scalar p, Scalar, bool) { return p; })},
      {"cross_entropy",
       {0},
       "nothing but the target's",
       {term},
       loss_gradient([](Scalar p, Scalar, bool target) { return target ? p - 1 : 0; })},
      {"cross_entropy",
       {0},
       "the logits for p",
       {term},
       loss_gradient([](Scalar, Scalar x, bool target) { return x - (target ? 1 : 0); })},
      {"cross_entropy",
       {0},
       "targets one row late",
       {term, some_columns},
       loss_with({1, 3, 0, 3}, 0)},
      {smoothed, {0}, "not smoothed", {term}, loss_with(loss_targets, 0)},
      {smoothed, {0}, "smoothed by 0.2", {term}, loss_with(loss_targets, 0.2)},
      {smoothed,
       {0},
       "the even part of q left out",
       {term},
       loss_gradient([s](Scalar p, Scalar, bool target) { return p - (target ? 1 - s : 0); })},
      {smoothed,
       {0},
       "the even part spread over V - 1",
       {term},
       loss_gradient([s](Scalar p, Scalar, bool target) { return p - (target ? 1 - s : s / 4); })},
      {smoothed,
       {0},
       "1 for 1 - smoothing",
       {term, some_columns},
       loss_gradient([s](Scalar p, Scalar, bool target) { return p - (target ? 1 : 0) - s / 5; })},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
