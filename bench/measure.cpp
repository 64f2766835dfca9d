#include "bench/measure.hpp"

#include <cstdio>

#include "core/files/isolated.hpp"
#include "core/memory/process_memory.hpp"
#include "core/product/matrix_product.hpp"

namespace tapehead {

Json measure_apart(const std::function<Json()>& measure) {
  return Json::parse(isolated([&] {
    prepare_blas();
    return measure().dump();
  }));
}

double peak_memory_mb() { return static_cast<double>(process_memory().peak) / 1e6; }

double sgemm_rate(Index rows, Index columns, Index depth) {
  const Tensor a = Tensor::full({rows, depth}, 1);
  const Tensor b = Tensor::full({columns, depth}, 1);
  Tensor c = Tensor::zeros({rows, columns});
  const double flops = 2 * static_cast<double>(rows * columns * depth);
  const auto together = static_cast<Index>(std::max(1.0, 1e8 / flops));  // about a millisecond
  const auto time = [&](const auto& product) {
    return seconds_of([&] {
      for (Index i = 0; i < together; ++i) {
        product(rows, columns, depth, {a.data(), depth}, {b.data(), depth, true}, c.data(), columns,
                false);
      }
    });
  };
  const auto times =
      repeat(8, 0, [&] { return std::min(time(blas_product), time(matrix_product)); });
  return static_cast<double>(together) * flops / std::ranges::min(times) / 1e9;
}

double copy_rate() {
  constexpr std::size_t bytes = 64'000'000;
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes, 2);
  const auto copy = [&] {
    std::memcpy(to.data(), from.data(), bytes);
    static_cast<void>(*static_cast<const volatile char*>(&to[bytes / 2]));  // so that it is made
  };
  const auto times = repeat(5, 0, [&] { return seconds_of(copy); });
  return 2 * static_cast<double>(bytes) / std::ranges::min(times) / 1e9;
}

Tensor varied_numbers(const Shape& shape) {
  Tensor tensor = Tensor::empty(shape);
  Index at = 0;
  for (Scalar& number : tensor.values()) {
    number = static_cast<Scalar>(at++ * 37 % 101 - 50) / 50;
  }
  return tensor;
}

void Report::row(const Json& values) {
  const auto text_of = [](const Json& value) {
    if (!value.is_number_float()) {
      return value.is_string() ? value.get<std::string>() : value.dump();
    }
    const auto number = value.get<double>();
    const int digits = static_cast<int>(std::log10(std::max(1.0, std::abs(number))));
    return fmt::format("{:.{}f}", number, std::max(0, 3 - digits));
  };
  std::string titles;
  std::string cells;
  for (const std::string& column : columns_) {
    const Json::json_pointer place('/' + column);
    const std::string& title = place.back();
    const std::string cell = values.contains(place) ? text_of(values.at(place)) : "-";
    if (titles.empty()) {
      titles = fmt::format("{:<{}}", title, width_);
      cells = fmt::format("{:<{}}", cell, width_);
    } else {
      const std::size_t width = std::max<std::size_t>(7, title.size());
      titles += fmt::format("  {:>{}}", title, width);
      cells += fmt::format("  {:>{}}", cell, width);
    }
  }
  fmt::print("{}\n", json_ ? values.dump() : has_header_ ? cells : titles + '\n' + cells);
  has_header_ = true;
  std::fflush(stdout);
}

}  // namespace tapehead
