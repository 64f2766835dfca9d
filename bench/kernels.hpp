// Measures single kernels at the shapes of one shard, one after the other on one core.
#pragma once

#include <regex>

#include "bench/measure.hpp"
#include "core/tape/tape.hpp"

namespace tapehead {

// The arithmetic of one call or, if there is hardly any, its memory: each input read once and each
// output written once.
struct Work {
  double flops = 0;
  double bytes = 0;
};

class Kernels {
 public:
  // Measures the kernels whose name and pass match `filter`, each for `seconds`. The first rows of
  // the table show the core's peak rates.
  Kernels(const std::string& filter, double seconds, bool json);

  // `call` returns the seconds that count.
  void measure(const std::string& kernel, const std::string& pass, const Work& work,
               const std::function<double()>& call);

  // An op, measured forward and, if `backward` has work, backward. It may take over its inputs.
  using Op = std::function<Var(std::vector<Var> inputs)>;
  void measure_op(const std::string& kernel, const Work& forward, const Work& backward,
                  const std::vector<Shape>& shapes, const Op& op);

  bool wants(const std::string& kernel, const std::string& pass) const {
    return std::regex_search(kernel + '/' + pass, filter_);
  }
  bool empty() const { return count_ == 0; }

 private:
  std::regex filter_;
  double seconds_;
  double sgemm_;
  double copy_;
  Report table_;
  int count_ = 0;
};

// The rows of one shard for this size.
Index shard_rows(const StepSize& size);

// For example "layer_norm/A/512x64".
std::string kernel_name(const char* kernel, const StepSize& size, Index rows, Index columns);

void measure_attention(Kernels& kernels, const StepSize& size);
void measure_row_ops(Kernels& kernels, const StepSize& size);  // norms, activations, cross-entropy

}  // namespace tapehead
