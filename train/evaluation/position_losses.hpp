// The loss by position in the sequence: how much the tokens before help to predict the next one.
#pragma once

#include "core/sequence/batch.hpp"

namespace tapehead {

// The labels of a range of positions. At position p, counted from 1, the model has read p tokens.
struct PositionLoss {
  Index first = 1;
  Index last = 1;
  Index tokens = 0;                    // labels
  double negative_log_likelihood = 0;  // their sum, in nats

  double mean() const { return negative_log_likelihood / static_cast<double>(tokens); }
};

class PositionLosses {
 public:
  PositionLosses() = default;

  // For positions 1 to `positions`: each by itself if there are 32 or fewer. If there are more,
  // they are in 32 ranges, whose ends grow by a constant factor once that is more than one
  // position: the loss falls by about a power of the position (Kaplan et al. 2020, appendix D.5).
  explicit PositionLosses(Index positions);

  // `losses`: -log p of each label of the batch, in order. Without positions nothing is added.
  void add(const Batch& batch, std::span<const double> losses);
  void add(const PositionLosses& other);  // of the same positions

  std::vector<PositionLoss> ranges() const;  // those that have labels

  template <class Bytes>  // train/evaluation/shared_parts.hpp
  friend void serialize(Bytes& bytes, PositionLosses& losses) {
    bytes(losses.ranges_);
  }

 private:
  std::vector<PositionLoss> ranges_;
};

}  // namespace tapehead
