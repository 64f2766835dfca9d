#include "bench/kernel_cases.hpp"

#include <memory>
#include <utility>

#include "core/clock.hpp"
#include "train/config/config.hpp"

namespace tapehead {

namespace {

// One pass of an op over a tape that is kept, timed apart from what comes before it.
class OpRun {
 public:
  explicit OpRun(const OpCase& subject) : op_(subject.op) {
    for (const Shape& shape : subject.inputs) {
      inputs_.push_back(varied_numbers(shape));
    }
  }

  double forward() {
    std::vector<Var> inputs = fresh_inputs();
    const auto begin = Clock::now();
    const Var y = op_(std::move(inputs));
    return seconds_since(begin);
  }

  double backward() {
    const Var y = op_(fresh_inputs());
    Tensor cotangent = Tensor::full(y.shape(), 1);
    const auto begin = Clock::now();
    tape_.backward(y, std::move(cotangent));
    return seconds_since(begin);
  }

 private:
  // Copies, since an op may keep an input and write its gradient over it.
  std::vector<Var> fresh_inputs() {
    tape_.clear();
    std::vector<Var> inputs;
    for (const Tensor& input : inputs_) {
      inputs.push_back(tape_.variable(input.copy()));
    }
    return inputs;
  }

  std::function<Var(std::vector<Var>)> op_;
  std::vector<Tensor> inputs_;
  Tape tape_;
};

}  // namespace

Index shard_rows(const StepSize& size) { return size.tokens() / automatic_shards(size.tokens()); }

void register_case(const std::string& name, const Work& work, std::function<Call()> make) {
  benchmark::RegisterBenchmark(name.c_str(), [work,
                                              make = std::move(make)](benchmark::State& state) {
    const Call call = make();
    call();  // takes the memory that later calls keep
    for ([[maybe_unused]] auto step : state) {
      state.SetIterationTime(call());
    }
    constexpr auto rate = benchmark::Counter::kIsIterationInvariantRate;
    state.counters["flops"] = benchmark::Counter(work.flops, rate);
    state.counters["bytes"] = benchmark::Counter(work.bytes, rate);
  })->UseManualTime();
}

Tensor varied_numbers(const Shape& shape) {
  Tensor tensor = Tensor::empty(shape);
  Index at = 0;
  for (Scalar& number : tensor.values()) {
    number = static_cast<Scalar>(at++ * 37 % 101 - 50) / 50;
  }
  return tensor;
}

void register_op(const OpCase& subject) {
  register_case(subject.name + "/forward", subject.forward, [subject] {
    return [run = std::make_shared<OpRun>(subject)] { return run->forward(); };
  });
  if (subject.backward.flops + subject.backward.bytes > 0) {
    register_case(subject.name + "/backward", subject.backward, [subject] {
      return [run = std::make_shared<OpRun>(subject)] { return run->backward(); };
    });
  }
}

}  // namespace tapehead
