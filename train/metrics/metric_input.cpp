#include "train/metrics/metric_input.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"

namespace tapehead {

void expect_pairs(std::span<const std::string> hypotheses, std::span<const std::string> references,
                  std::string_view metric) {
  if (hypotheses.size() == references.size()) {
    return;
  }
  throw ShapeError(
      fmt::format("{}: {} hypotheses, but {} references; hypothesis i is compared "
                  "with reference i, so there must be as many",
                  metric, hypotheses.size(), references.size()));
}

}  // namespace tapehead
