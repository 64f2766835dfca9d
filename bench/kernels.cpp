#include "bench/kernels.hpp"

#include "core/product/matrix_product.hpp"
#include "train/config/config.hpp"
#include "train/step/optimizer.hpp"

namespace tapehead {

Kernels::Kernels(const std::string& filter, double seconds, bool json)
    : filter_(filter),
      seconds_(seconds),
      sgemm_(sgemm_rate()),
      copy_(copy_rate()),
      table_(json, {"kernel", "pass", "us", "gflops", "gigabytes_per_second", "share"}, 46) {
  table_.row({{"kernel", "sgemm 1024 x 1024 x 1024, one core"},
              {"pass", ""},
              {"us", 2.0 * 1024 * 1024 * 1024 / sgemm_ / 1e3},
              {"gflops", sgemm_}});
  table_.row({{"kernel", "copy of 64 MB, one core"},
              {"pass", ""},
              {"us", 2 * 64e6 / copy_ / 1e3},
              {"gigabytes_per_second", copy_}});
}

void Kernels::measure(const std::string& kernel, const std::string& pass, const Work& work,
                      const std::function<double()>& call) {
  if (!wants(kernel, pass)) {
    return;
  }
  ++count_;
  call();  // allocates the memory that later calls reuse
  const double seconds = median(repeat(1, seconds_, call));
  const bool computes = work.flops > 0;
  const double rate = (computes ? work.flops : work.bytes) / seconds / 1e9;
  table_.row({{"kernel", kernel},
              {"pass", pass},
              {"us", 1e6 * seconds},
              {computes ? "gflops" : "gigabytes_per_second", rate},
              {"share", rate / (computes ? sgemm_ : copy_)}});
}

void Kernels::measure_op(const std::string& kernel, const Work& forward, const Work& backward,
                         const std::vector<Shape>& shapes, const Op& op) {
  std::vector<Tensor> inputs;
  std::ranges::transform(shapes, std::back_inserter(inputs), varied_numbers);
  Tape tape;
  const auto fresh_inputs = [&] {  // copies: an op may write a gradient over its input
    tape.clear();
    std::vector<Var> vars;
    std::ranges::transform(inputs, std::back_inserter(vars),
                           [&](const Tensor& input) { return tape.variable(input.copy()); });
    return vars;
  };
  measure(kernel, "forward", forward, [&] {
    std::vector<Var> vars = fresh_inputs();
    return seconds_of([&] { op(std::move(vars)); });
  });
  if (backward.flops + backward.bytes > 0) {
    measure(kernel, "backward", backward, [&] {
      const Var y = op(fresh_inputs());
      Tensor cotangent = Tensor::full(y.shape(), 1);
      return seconds_of([&] { tape.backward(y, std::move(cotangent)); });
    });
  }
}

Index shard_rows(const StepSize& size) { return size.tokens() / automatic_shards(size.tokens()); }

std::string kernel_name(const char* kernel, const StepSize& size, Index rows, Index columns) {
  return fmt::format("{}/{}/{}x{}", kernel, size.name, rows, columns);
}

namespace {

struct KernelsArguments {
  std::vector<std::string> sizes{"A", "B", "C", "D"};
  std::string filter = ".";
  double seconds = 0.1;
  bool json = false;
};

// The products of a linear map: forward, gradient of the input, gradient of the weight.
void measure_products(Kernels& kernels, const StepSize& size) {
  struct Linear {
    const char* name;
    Index in;
    Index out;
  };
  const Index D = size.d_model;
  const Index N = shard_rows(size);
  for (const auto& [name, in, out] :
       {Linear{"query-key-value", D, 3 * D}, Linear{"key-value", D, 2 * D}, Linear{"output", D, D},
        Linear{"inner", D, size.d_ff}, Linear{"outer", size.d_ff, D},
        Linear{"logits", D, size.vocabulary}}) {
    const std::string kernel = fmt::format("linear/{}/{} {}x{}x{}", size.name, name, N, in, out);
    const Tensor x = varied_numbers({N, in});
    const Tensor weight = varied_numbers({out, in});
    const Tensor y = varied_numbers({N, out});
    const auto measure = [&](const char* pass, Index rows, Index columns, Index depth,
                             const MatrixView& a, const MatrixView& b) {
      Tensor c = varied_numbers({rows, columns});
      kernels.measure(kernel, pass, {.flops = 2 * static_cast<double>(N * in * out)}, [&] {
        return seconds_of(
            [&] { matrix_product(rows, columns, depth, a, b, c.data(), columns, false); });
      });
    };
    measure("forward", N, out, in, {x.data(), in}, {weight.data(), in, true});
    measure("input", N, in, out, {y.data(), out}, {weight.data(), in});
    measure("weight", out, in, N, {y.data(), out, true}, {x.data(), in});
  }
}

// An Adam step on all weights with one shard's gradients: reads gradients, weights and both
// moments; writes weights and moments.
void measure_optimizer(Kernels& kernels, const StepSize& size) {
  const Index D = size.d_model;
  const Index parameters = size.layers * (12 * D * D + 4 * D * size.d_ff) + 3 * D * size.vocabulary;
  const std::string kernel = fmt::format("adam/{}/{}", size.name, parameters);
  if (!kernels.wants(kernel, "step")) {
    return;
  }
  ParameterStore store;
  const Parameter weights = store.root().create("weights", ParameterKind::matrix, {parameters},
                                                Initializer::constant(0.5));
  store.initialize(1);
  ParameterGradients gradients(store);
  const GradientSlot slot = gradients.slot(weights.block);
  Tensor memory = slot.memory;
  std::ranges::fill(memory.values(), Scalar(0.01));
  *slot.written = true;
  Optimizer optimizer(store, TrainingOptions{});
  Workers workers(1);
  kernels.measure(
      kernel, "step", {.bytes = 7.0 * sizeof(Scalar) * static_cast<double>(parameters)},
      [&] { return seconds_of([&] { optimizer.step(workers, {&gradients}, 1, 1e-4); }); });
}

void run_kernels_bench(const KernelsArguments& arguments) {
  std::vector<StepSize> sizes;
  for (const std::string& name : arguments.sizes) {
    const StepSize* const size = size_named(name);
    if (size == nullptr) {
      throw ConfigError(fmt::format("no size {}: there are A, B, C, D", name));
    }
    sizes.push_back(*size);
  }
  prepare_blas();
  Kernels kernels(arguments.filter, arguments.seconds, arguments.json);
  for (const auto measure_all :
       {measure_products, measure_attention, measure_row_ops, measure_optimizer}) {
    std::ranges::for_each(sizes, [&](const StepSize& size) { measure_all(kernels, size); });
  }
  if (kernels.empty()) {
    throw ConfigError("no kernel has a name that matches --filter " + arguments.filter);
  }
}

}  // namespace

void add_kernels_bench(CLI::App& program) {
  const auto [command, arguments] = add_bench(
      program, "kernels",
      "Single kernels at the shapes of one shard, on one core, beside the core's sgemm rate and "
      "copy bandwidth",
      run_kernels_bench);
  command.add_option("sizes", arguments.sizes, "Sizes whose shapes are measured: A B C D");
  command.add_option("--filter", arguments.filter,
                     "A regular expression: kernels by name, size, shape and pass");
  command.add_option("--seconds", arguments.seconds, "Time for each row");
}

}  // namespace tapehead
