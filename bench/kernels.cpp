// tapehead_bench kernels: single kernels at the shapes of one shard, one after the other on one
// core.
#include <regex>

#include "bench/measure.hpp"
#include "core/ops/activation.hpp"
#include "core/ops/attention/attention.hpp"
#include "core/ops/residual.hpp"
#include "core/product/matrix_product.hpp"
#include "core/random/draws.hpp"
#include "train/plan/step_flops.hpp"

namespace tapehead {

namespace {

struct KernelsArguments {
  std::vector<std::string> sizes{"A", "B", "C", "D"};
  std::string filter = ".";
  double seconds = 0.1;
  bool json = false;
};

// The arithmetic of one call or, if there is hardly any, its memory: each input read once and each
// output written once.
struct Work {
  double flops = 0;
  double bytes = 0;
};

// An op, which may take over its inputs.
using Op = std::function<Var(std::vector<Var> inputs)>;

// Measures the kernels that the arguments select. The first rows of the table show the core's peak
// rates.
class Kernels {
 public:
  explicit Kernels(const KernelsArguments& arguments)
      : filter_(arguments.filter),
        seconds_(arguments.seconds),
        table_(arguments.json, {"kernel", "pass", "us", "gflops", "gigabytes_per_second", "share"},
               46) {
    table_.row({{"kernel", "sgemm 1024 x 1024 x 1024, one core"},
                {"pass", ""},
                {"us", 2.0 * 1024 * 1024 * 1024 / sgemm_ / 1e3},
                {"gflops", sgemm_}});
    table_.row({{"kernel", fmt::format("bfloat16 in caches, {}, one core", product_unit().name)},
                {"pass", ""},
                {"gflops", unit_}});
    table_.row({{"kernel", "copy of 64 MB, one core"},
                {"pass", ""},
                {"us", 2 * 64e6 / copy_ / 1e3},
                {"gigabytes_per_second", copy_}});
  }

  bool wants(const std::string& kernel, const std::string& pass) const {
    return std::regex_search(kernel + '/' + pass, filter_);
  }
  bool empty() const { return count_ == 0; }

  // `call` returns the seconds that count.
  void measure(const std::string& kernel, const std::string& pass, const Work& work,
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

  // Measures an op forward and, if `backward` has work, backward.
  void measure_op(const std::string& kernel, const Work& forward, const Work& backward,
                  const std::vector<Shape>& shapes, const Op& op) {
    const std::vector<Tensor> inputs = mapped(shapes, varied_numbers);
    Tape tape;
    const auto fresh_inputs = [&] {  // copies: an op may write a gradient over its input
      tape.clear();
      return mapped(inputs, [&](const Tensor& input) { return tape.variable(input.copy()); });
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

 private:
  std::regex filter_;
  double seconds_;
  double sgemm_ = sgemm_rate();
  double unit_ = product_rate(product_unit());
  double copy_ = copy_rate();
  Report table_;
  int count_ = 0;
};

Index shard_rows(const StepSize& size) { return size.tokens() / automatic_shards(size.tokens()); }

std::string kernel_name(const char* kernel, const StepSize& size, Index rows, Index columns) {
  return fmt::format("{}/{}/{}x{}", kernel, size.name, rows, columns);
}

// The products of a linear map: forward, gradient of the input, gradient of the weight.
void measure_products(Kernels& kernels, const StepSize& size) {
  const Index D = size.d_model;
  const Index N = shard_rows(size);
  for (const auto& [name, in, out] :
       {std::tuple("query-key-value", D, 3 * D), std::tuple("key-value", D, 2 * D),
        std::tuple("output", D, D), std::tuple("inner", D, size.d_ff),
        std::tuple("outer", size.d_ff, D), std::tuple("logits", D, size.vocabulary)}) {
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

Dropout tenth_dropped() {
  return {.probability = 0.1, .draws = Draws(1, "bench.kernels.dropout", 0)};
}

// The dot product as a user-defined score.
struct OwnProduct {
  Scalar operator()(std::span<const Scalar> query, std::span<const Scalar> key) const {
    return std::inner_product(query.begin(), query.end(), key.begin(), Scalar{0});
  }
  void backward(Scalar dscore, std::span<const Scalar> query, std::span<const Scalar> key,
                std::span<Scalar> dquery, std::span<Scalar> dkey) const {
    for (std::size_t c = 0; c < query.size(); ++c) {
      dquery[c] += dscore * key[c];
      dkey[c] += dscore * query[c];
    }
  }
};

// A variant of attention and its inputs besides queries, keys and values. If scores are learned,
// the last input has their parameters.
struct AttentionCase {
  const char* name;
  Pattern pattern = Pattern::full();
  Dropout dropout{};
  std::vector<Shape> inputs{};
  std::function<AttentionBias(const std::vector<Var>& x)> bias{};  // null: none
  PoolVector<std::shared_ptr<const PairScore>> scores{};
};

void measure_attention(Kernels& kernels, const StepSize& size) {
  const Index N = shard_rows(size);
  const Index D = size.d_model;
  const Index H = size.heads;
  const auto far = DistanceBuckets::logarithmic(32, 128);
  const auto near = DistanceBuckets::clipped(16, 16);
  const Segments segments =
      segments_of(std::vector<Index>(static_cast<std::size_t>(N / size.length), size.length));
  const std::vector<AttentionCase> cases{
      {.name = "attention"},
      {.name = "causal attention", .pattern = Pattern::causal()},
      {.name = "attention, dropout", .dropout = tenth_dropped()},
      {.name = "attention, slopes",
       .bias = [H](const auto&) { return AttentionBias{.slopes = alibi_slopes(H)}; }},
      {.name = "attention, rows by head",
       .inputs = {{H, far.count()}},
       .bias = [far](const auto& x) { return AttentionBias{.buckets = far, .by_head = x[1]}; }},
      {.name = "attention, rows by query",
       .inputs = {{N, H * near.count()}},
       .bias = [near](const auto& x) { return AttentionBias{.buckets = near, .by_query = x[1]}; }},
      {.name = "attention, rows by query + values",
       .inputs = {{N, H * near.count()}, {near.count(), D / H}},
       .bias =
           [near](const auto& x) {
             return AttentionBias{.buckets = near, .by_query = x[1], .values = x[2]};
           }},
      {.name = "attention, additive",
       .inputs = {{H, D / H}},
       .scores = {std::make_shared<const AdditiveScore>()}},
      {.name = "attention, a score of one's own", .scores = {score_by(OwnProduct{})}}};
  for (const AttentionCase& one : cases) {
    const AttentionOptions options{.heads = H,
                                   .d_key = D / H,
                                   .d_value = D / H,
                                   .patterns = {one.pattern},
                                   .dropout = one.dropout,
                                   .scores = one.scores};
    const bool has_weights = options.score_weights_before(H) > 0;
    // Forward takes two products over the pairs. Backward takes four and computes the scores again.
    const double product = 2 *
                           allowed_pairs(one.pattern, {size.length, size.length, 0, 0, 0}).scores *
                           static_cast<double>(segments.count() * D);
    std::vector<Shape> inputs{{N, 3 * D}};
    inputs.insert(inputs.end(), one.inputs.begin(), one.inputs.end());
    kernels.measure_op(kernel_name(one.name, size, size.length, D), {.flops = 2 * product},
                       {.flops = 5 * product}, inputs, [&](const std::vector<Var>& x) {
                         return attention({x[0], 0}, {x[0], D}, {x[0], 2 * D}, segments, segments,
                                          options, one.bias ? one.bias(x) : AttentionBias{},
                                          has_weights ? std::optional(x.back()) : std::nullopt);
                       });
  }
}

void measure_row_ops(Kernels& kernels, const StepSize& size) {
  const Index N = shard_rows(size);
  const Index D = size.d_model;
  const Index F = size.d_ff;
  const Index V = size.vocabulary;
  // Counts memory in matrices with `columns` columns: `forward` and `backward` matrices per pass.
  const auto measure = [&](const char* name, Index columns, int forward, int backward,
                           const std::vector<Shape>& inputs, const Op& op) {
    const double bytes = static_cast<double>(N * columns) * sizeof(Scalar);
    kernels.measure_op(kernel_name(name, size, N, columns), {.bytes = forward * bytes},
                       {.bytes = backward * bytes}, inputs, op);
  };
  using Vars = std::vector<Var>;
  measure("layer_norm", D, 2, 3, {{N, D}, {D}, {D}},
          [](const Vars& x) { return layer_norm(x[0], x[1], x[2]); });
  measure("rms_norm", D, 2, 3, {{N, D}, {D}}, [](const Vars& x) { return rms_norm(x[0], x[1]); });
  measure("bias + relu", F, 2, 3, {{N, F}, {F}},
          [](const Vars& x) { return bias_activation(x[0], x[1], Activation::relu); });
  measure("bias + gelu", F, 2, 3, {{N, F}, {F}},
          [](const Vars& x) { return bias_activation(x[0], x[1], Activation::gelu); });
  measure("bias + gated silu", F, 3, 5, {{N, 2 * F}, {2 * F}},
          [](const Vars& x) { return gated_activation(x[0], x[1], Activation::silu); });
  measure("dropout", F, 2, 2, {{N, F}},
          [](const Vars& x) { return dropout(x[0], tenth_dropped()); });
  measure("residual, dropout", D, 3, 2, {{N, D}, {N, D}, {D}},
          [](const Vars& x) { return residual(x[0], x[1], x[2], tenth_dropped()); });
  const std::vector<TokenId> targets(static_cast<std::size_t>(N), 1);
  measure("cross_entropy", V, 2, 0, {{N, V}}, [&](Vars x) {  // forward computes the gradient, too
    return cross_entropy(std::move(x[0]), targets, Scalar(0.1)).loss;
  });
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
  const std::vector<StepSize> sizes = mapped(arguments.sizes, [](const std::string& name) {
    const StepSize* const size = size_named(name);
    if (size == nullptr) {
      throw ConfigError("no size {}: there are A, B, C, D", name);
    }
    return *size;
  });
  prepare_blas();
  Kernels kernels(arguments);
  for (const auto measure_all :
       {measure_products, measure_attention, measure_row_ops, measure_optimizer}) {
    std::ranges::for_each(sizes, [&](const StepSize& size) { measure_all(kernels, size); });
  }
  if (kernels.empty()) {
    throw ConfigError("no kernel has a name that matches --filter " + arguments.filter);
  }
}

}  // namespace

const Command kernels_bench(10, [](CLI::App& program) {
  const auto [command, arguments] = add_bench(
      program, "kernels",
      "Single kernels at the shapes of one shard, on one core, beside the core's sgemm rate and "
      "copy bandwidth",
      run_kernels_bench);
  command.add_option("sizes", arguments.sizes, "Sizes whose shapes are measured: A B C D");
  command.add_option("--filter", arguments.filter,
                     "A regular expression: kernels by name, size, shape and pass");
  command.add_option("--seconds", arguments.seconds, "Time for each row");
});

}  // namespace tapehead
