// What tapehead's gradient checker says of each case, and how long that takes: one JSON object a
// line, for scripts/compare_gradchecks.py.
#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/beside_pytorch/case.hpp"
#include "core/product/blas_kernels.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using nlohmann::json;

std::vector<Tensor> copies(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  std::ranges::transform(tensors, std::back_inserter(result), &Tensor::copy);
  return result;
}

json described(const Tensor& tensor) {
  json extents = json::array();
  for (Index axis = 0; axis < tensor.shape().rank(); ++axis) {
    extents.push_back(tensor.shape()[axis]);
  }
  return {{"shape", extents}, {"values", tensor.values()}};
}

json described(const std::vector<Tensor>& tensors) {
  json all = json::array();
  for (const Tensor& tensor : tensors) {
    all.push_back(described(tensor));
  }
  return all;
}

// dL/dy = 1, 1.1, 1.2, ...
Tensor rising(const Shape& shape) {
  Tensor result = Tensor::empty(shape);
  for (Index i = 0; i < result.size(); ++i) {
    result.data()[i] = 1 + 0.1 * static_cast<Scalar>(i);
  }
  return result;
}

// The function's value and gradients, for PyTorch's twin of it to be compared with.
void add_numbers(json& line, const Case& subject) {
  Tape tape;
  std::vector<Var> leaves;
  for (const Tensor& input : copies(subject.inputs)) {
    leaves.push_back(tape.variable(input));
  }
  const Var output = subject.function(tape, leaves);
  line["output"] = described(output.value());
  std::vector<Tensor> gradients;
  try {
    tape.backward(output, rising(output.shape()));
  } catch (const std::exception&) {  // the checker will say so
    return;
  }
  for (const Var& leaf : leaves) {
    gradients.push_back(tape.gradient(leaf));
  }
  line["gradients"] = described(gradients);
}

json described(const std::vector<Finding>& findings) {
  json all = json::array();
  for (const Finding& finding : findings) {
    all.push_back({{"verdict", name_of(finding.verdict)},
                   {"kind", name_of(finding.kind)},
                   {"element", finding.element},
                   {"hint", finding.hint}});
  }
  return all;
}

// The median of at least three runs, and of a second's worth of short ones.
template <class Action>
double median_seconds(const Action& action) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  double total = 0;
  while (times.size() < 3 || (total < 1 && times.size() < 101)) {
    const auto begin = Clock::now();
    action();
    times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    total += times.back();
  }
  std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
  return times[times.size() / 2];
}

// What a check finds and how long it takes.
template <class Check>
void add_check(json& line, const Check& check) {
  const auto report = check();
  line["findings"] = described(report.findings);
  line["message"] = report.ok() ? "passes" : report.message();
  line["seconds"] = median_seconds(check);
}

void print(const Case& subject) {
  json line{{"name", subject.name}, {"inputs", described(subject.inputs)}};
  add_numbers(line, subject);
  add_check(line, [&] { return gradcheck(subject.function, subject.inputs); });
  std::cout << line << '\n';
}

void print_along_directions(const Case& subject) {
  json line{{"name", std::string(subject.name) + "_along_directions"}};
  add_check(line, [&] { return check_along_directions(subject); });
  std::cout << line << '\n';
}

}  // namespace

void print_all() {
  for (const auto& cases : {wrong_numbers(), wrong_contracts(), other_backwards(), {decoder()}}) {
    std::ranges::for_each(cases, print);
  }
  print_along_directions(decoder());
}

}}  // namespace tapehead::TAPEHEAD_PRECISION

int main() {
  try {
    tapehead::prepare_blas();
    tapehead::print_all();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
