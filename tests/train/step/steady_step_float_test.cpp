// After the first epoch, training steps allocate nothing on the heap.
#include <barrier>

#include "core/kernel/workers.hpp"
#include "core/memory/pool.hpp"
#include "core/product/matrix_product.hpp"
#include "datasets/loader.hpp"
#include "datasets/window_source.hpp"
#include "support/heap_count.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/lanes.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_trainer.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Trainer::Options trainer_options(OptimizerKind optimizer, Index shards) {
  Trainer::Options options;
  options.training.optimizer = optimizer;
  options.training.shards = shards;
  options.training.gate_penalty = 0.1;
  return options;
}

// Together the models have every kind of parameter and block; dropout everywhere.
std::vector<ModelOptions> kinds() {
  std::vector<ModelOptions> result(2, tiny_options());
  result[0].dropout = 0.2;
  result[0].layers = 2;
  result[0].positions = PositionKind::learned;
  result[1].norm_position = NormPosition::post;
  result[1].norm = NormKind::rms_norm;
  result[1].tie_embeddings = Tying::all;
  result[1].attention.gates.values = {HeadGating::l0};
  return result;
}

Split random_split() {
  const std::vector<Sentence> sources = random_sentences(150, 0, 12, 1);
  const std::vector<Sentence> targets = random_sentences(150, 0, 12, 2);
  Examples pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    pairs.push_back({sources[i], targets[i]});
  }
  return split_of_pairs(std::move(pairs));
}

// OpenBLAS allocates a buffer at its first call, and another whenever more threads than before call
// it at once. Here all threads call it at once.
void take_blas_buffers(Index threads) {
  constexpr Index n = 256;
  Workers workers(threads);
  std::barrier together(threads);
  workers.run(threads, [&](Index) {
    const Tensor a = Tensor::full({n, n}, 1);
    Tensor b = Tensor::empty({n, n});
    together.arrive_and_wait();
    for (int i = 0; i < 50; ++i) {
      blas_product(n, n, n, {a.data(), n}, {a.data(), n}, b.data(), n, false);
    }
  });
}

// Checks are off, because they keep copies of gradients.
class SteadyStep : public Test {
 protected:
  void SetUp() override {
    if (!HeapCount::available) {
      GTEST_SKIP() << "a sanitizer has a heap of its own";
    }
    checks().finite = false;
  }
  void TearDown() override { checks().finite = true; }

  // The number of allocations in an epoch, with two batches per step.
  std::int64_t calls_in_epoch(TinyTrainer& training, Index epoch, const LossFunction& loss) const {
    std::int64_t calls = 0;
    const auto lists = epoch_batches(*split_.source, {.tokens = 40}, 1, epoch);
    for (std::size_t i = 0; i + 1 < lists.size(); i += 2) {
      const std::vector<Batch> batches{pack(*split_.source, lists[i]),
                                       pack(*split_.source, lists[i + 1])};
      const HeapCount count;
      training.trainer.step(batches, loss);
      calls += count.calls();
    }
    return calls;
  }

 private:
  Split split_ = random_split();
};

TEST_F(SteadyStep, takes_nothing_from_the_heap) {
  take_blas_buffers(3);
  for (const ModelOptions& options : kinds()) {
    for (const OptimizerKind optimizer :
         {OptimizerKind::sgd, OptimizerKind::adamw, OptimizerKind::muon}) {
      for (const Index threads : {1, 2, 3}) {
        TinyTrainer training(options, trainer_options(optimizer, 3), threads);
        EXPECT_GT(calls_in_epoch(training, 0, training.loss), 0) << "tapes have to grow";
        EXPECT_EQ(calls_in_epoch(training, 1, training.loss), 0);
        EXPECT_EQ(calls_in_epoch(training, 2, training.loss), 0);
      }
    }
  }
}

TEST_F(SteadyStep, with_a_memory_takes_nothing_from_the_heap) {
  take_blas_buffers(2);
  ModelOptions options = lane_options(AttentionPositions::rotary);
  options.dropout = 0.2;
  Trainer::Options with_memory = trainer_options(OptimizerKind::adamw, 3);
  with_memory.memory =
      LaneMemory::Size{.lanes = 9, .layers = options.layers, .rows = 7, .d_model = options.d_model};
  TinyTrainer training(options, with_memory, 2);
  const std::vector<Sentence> streams = random_sentences(9, 20, 30, 1);
  const auto calls_in_lanes = [&] {
    std::int64_t calls = 0;
    for (Index first = 0; first < 20; first += 5) {
      const std::vector<Batch> batches{window_batch(streams, first, 5)};
      const HeapCount count;
      training.trainer.step(batches, training.loss);
      calls += count.calls();
    }
    return calls;
  };
  EXPECT_GT(calls_in_lanes(), 0) << "tapes have to grow";
  EXPECT_EQ(calls_in_lanes(), 0);
}

// Only sources that create tokens, such as masks, allocate memory for them.
TEST_F(SteadyStep, has_windows_of_a_text_from_no_heap) {
  const auto text = std::make_shared<const TokenText>(
      text_of_documents(random_sentences(20, 1, 30, 1), tiny_vocabulary));
  const WindowList windows = training_windows(*text, {.context = 8}, 1, 0);
  const auto calls = [](const Source& source) {
    const HeapCount count;
    for (Index i = 0; i < source.size(); ++i) {
      pack(source, {i});
    }
    return count.calls();
  };
  const auto plain = window_source(text, windows);
  calls(*plain);
  EXPECT_EQ(calls(*plain), 0);
  EXPECT_GT(calls(*masked_source(text, windows,
                                 {.share = 0.5, .mask = tiny_vocabulary, .words = nullptr})),
            0);
}

TEST_F(SteadyStep, is_seen_to_take_what_a_loss_takes) {
  TinyTrainer training(tiny_options(), trainer_options(OptimizerKind::adam, 1));
  calls_in_epoch(training, 0, training.loss);
  std::unique_ptr<Index> planted;
  const LossFunction wasteful = [&](Pass& pass, const Batch& batch) {
    if (planted == nullptr) {
      planted = std::make_unique<Index>(batch.labels.count());
    }
    return training.loss(pass, batch);
  };
  EXPECT_EQ(calls_in_epoch(training, 1, wasteful), 1);
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
