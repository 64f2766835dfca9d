#include "train/output/figures.hpp"

namespace tapehead {

void expect_figures(const Json& figures, const std::string& place) {
  if (figures.is_number_float() && std::isnan(figures.get<double>())) {
    throw NumericError(fmt::format("{} is not a number; the weights are too large", place));
  }
  if (figures.is_structured()) {
    for (const auto& [key, value] : figures.items()) {
      expect_figures(value, place.empty() ? key : place + '.' + key);
    }
  }
}

}  // namespace tapehead
