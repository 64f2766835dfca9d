// Mistakes in the backward passes of the embeddings and the loss.
#pragma once

#include "core/ops/softmax.hpp"
#include "tests/core/gradcheck/mutants/mistake.hpp"
#include "tests/core/gradcheck/mutants/sequence_subjects.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The gradient of a table if row places[n] had been looked up for row n; -1: row n is lost. Rows
// for one place are added, or the last one stays.
inline Spoil scattered(std::size_t input, const std::vector<Index>& places, Scalar scale,
                       bool added = true) {
  return [=](BackwardPass& pass) {
    Tensor& gradient = pass.gradients[input];
    std::ranges::fill(gradient.values(), Scalar{0});
    for (std::size_t n = 0; n < places.size(); ++n) {
      for (Index d = 0; places[n] >= 0 && d < gradient.dim(1); ++d) {
        Scalar& into = gradient.row(places[n])[d];
        into = (added ? into : 0) + scale * pass.dy.row(static_cast<Index>(n))[d];
      }
    }
  };
}

// The correct positions are 2 and 3 in the first sequence, 0, 1 and 2 in the last.
inline std::vector<Mistake> table_mistakes() {
  using enum WrongKind;
  const std::string positions = "add_positions";
  const std::vector<Index> ids(lookup_ids.begin(), lookup_ids.end());
  const Scalar s = lookup_scale;
  const Spoil last_of_id = scattered(0, ids, s, false);
  const Spoil last_of_position = scattered(1, {2, 3, 0, 1, 2}, 1, false);
  const std::string only_last = "of a position that two sequences hold only the last row";
  const Spoil by_row = scattered(0, {0, 1, 2, 3, 4}, s);
  const Spoil position_by_row = scattered(1, {0, 1, 2, 3, 4}, 1);
  const Spoil from_0 = scattered(1, {0, 1, 0, 1, 2}, 1);
  const Spoil ended = scattered(1, {2, 3, -1, -1, -1}, 1);
  return {
      {"lookup", {0}, "of a repeated id only the last row", {some_rows}, last_of_id},
      {"lookup", {0}, "id 0 gets none, as padding", {some_rows}, scattered(0, {4, 1, 4, -1, 3}, s)},
      {"lookup", {0}, "to row n for row ids[n]", {rows_exchanged, some_rows}, by_row},
      {"lookup", {0}, "the scale left out", {factor}, scattered(0, ids, 1)},
      {"lookup", {0}, "scaled twice", {factor}, scattered(0, ids, s * s)},
      {positions, {1}, only_last, {some_rows}, last_of_position},
      {positions, {1}, "the row for the position", {rows_exchanged, term}, position_by_row},
      {positions, {1}, "all sequences from position 0", {term}, from_0},
      {positions, {1}, "the empty sequence ends the loop", {some_rows}, ended},
  };
}

inline std::vector<Mistake> loss_mistakes() {
  using enum WrongKind;
  // dx = dy slope(p, x, q), where the correct slope is p - q; q is 1 for the target, or else 0.
  const auto slope = [](const std::function<Scalar(Scalar p, Scalar x, Scalar q)>& of) {
    return [of](BackwardPass& pass) {
      const Tensor& x = pass.inputs[0];
      Tape tape(false);
      const Tensor p = softmax(tape.constant(x)).value();
      for (Index i = 0; i < x.size(); ++i) {
        const bool target = loss_targets[static_cast<std::size_t>(i / x.dim(1))] == i % x.dim(1);
        pass.gradients[0].data()[i] =
            pass.dy.data()[0] * of(p.data()[i], x.data()[i], target ? 1 : 0);
      }
    };
  };
  const auto loss_with = [](const std::vector<TokenId>& targets, Scalar smoothing) {
    return as_of([=](const Vars& x) { return cross_entropy(x[0], targets, smoothing).loss; });
  };
  const std::string plain = "cross_entropy";
  const std::string smoothed = "cross_entropy, smoothed";
  const Scalar s = label_smoothing;
  const Spoil no_target = slope([](Scalar p, Scalar, Scalar) { return p; });
  const Spoil targets_alone = slope([](Scalar p, Scalar, Scalar q) { return q * (p - 1); });
  const Spoil logits = slope([](Scalar, Scalar x, Scalar q) { return x - q; });
  const Spoil no_even = slope([s](Scalar p, Scalar, Scalar q) { return p - q * (1 - s); });
  const Spoil even_over_others =
      slope([s](Scalar p, Scalar, Scalar q) { return p - q * (1 - s) - (1 - q) * s / 4; });
  const Spoil whole_target = slope([s](Scalar p, Scalar, Scalar q) { return p - q - s / 5; });
  return {
      // A mistake in only the targets' elements affects some columns.
      {plain, {0}, "the target not taken off", {term, some_columns}, no_target},
      {plain, {0}, "nothing but the target's", {term}, targets_alone},
      {plain, {0}, "the logits for p", {term}, logits},
      {plain, {0}, "targets one row late", {term, some_columns}, loss_with({1, 3, 0, 3}, 0)},
      {smoothed, {0}, "not smoothed", {term}, loss_with(loss_targets, 0)},
      {smoothed, {0}, "smoothed by 0.2", {term}, loss_with(loss_targets, 0.2)},
      {smoothed, {0}, "the even part of q left out", {term}, no_even},
      {smoothed, {0}, "the even part spread over V - 1", {term}, even_over_others},
      {smoothed, {0}, "1 for 1 - smoothing", {term, some_columns}, whole_target},
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
