// The memory of lanes. If it covers the whole past, windows give the losses of one long sequence;
// otherwise those of a plain recomputation over the remembered rows.
#include "core/gradcheck/model/model.hpp"
#include "core/ops/concatenate.hpp"
#include "tests/support/lanes.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr double near_enough = 1e-12;

// Unequal lengths: one stream ends earlier.
const std::vector<Sentence> streams{{3, 4, 5, 6, 7, 8, 3, 5, 4, 7, 6, 6, 3, 8, 5, 4, 4, 7, 3, 6},
                                    {8, 8, 3, 4, 7, 5, 6, 3, 3, 4, 5, 8, 7, 7, 4, 3, 6, 5, 5, 4},
                                    {5, 6, 5, 3, 8, 4, 7, 4, 6, 3, 5}};

// Reads one window of each lane; only numbers of the result may be used.
CrossEntropy read(const LaneModel& model, LaneMemory& memory, const Batch& batch) {
  Tape tape(false);
  Pass pass(tape, model.store);
  pass.memory = &memory;
  return batch_loss(model.transformer, pass, batch);
}

// The losses of all labels, stream after stream, read in windows of `window` rows.
std::vector<double> losses_by_windows(const LaneModel& model, Index window) {
  std::map<Index, std::vector<double>> losses;  // by lane
  LaneMemory memory = model.memory(std::ssize(streams), 20);
  for (Index first = 0; first < 20; first += window) {
    const Batch batch = window_batch(streams, first, window);
    const CrossEntropy result = read(model, memory, batch);
    auto loss = result.by_row.begin();
    for (Index i = 0; i < batch.sequences(); ++i) {
      auto& of_lane = losses[batch.input.lanes[static_cast<std::size_t>(i)]];
      of_lane.insert(of_lane.end(), loss, loss + batch.input.segments[i].rows);
      loss += batch.input.segments[i].rows;
    }
    memory.commit();
  }
  std::vector<double> all;
  for (const auto& [lane, of_lane] : losses) {
    all.insert(all.end(), of_lane.begin(), of_lane.end());
  }
  return all;
}

// Expects these losses to be those of each stream as one sequence from position 0, without a
// memory.
void expect_losses_of_whole(const LaneModel& model, std::initializer_list<Index> windows) {
  Batch batch = window_batch(streams, 0, 20);
  batch.input.lanes.clear();
  Tape tape(false);
  Pass pass(tape, model.store);
  const auto whole = batch_loss(model.transformer, pass, batch).by_row;
  for (const Index window : windows) {
    EXPECT_THAT(losses_by_windows(model, window), Pointwise(DoubleNear(near_enough), whole))
        << "windows of " << window;
  }
}

// Models with every scheme of positions and every kind of pattern.
std::map<std::string, ModelOptions> schemes() {
  using enum AttentionPositions;
  std::map<std::string, ModelOptions> all;
  for (const auto positions : {none, rotary, relative, relative_keys, transformer_xl, t5, alibi}) {
    for (const std::string pattern :
         {"full", "window 3", "blocks 6", "strided 4", "fixed 5 2", "top_k 3", "sink_window 2 4"}) {
      ModelOptions options = lane_options(positions);
      options.attention.pattern.values = {{{AttentionPattern(pattern)}}};
      all[fmt::format("{}, {}", static_cast<int>(positions), pattern)] = options;
    }
  }
  return all;
}

TEST(LaneMemory, that_covers_the_past_reads_windows_as_one_long_sequence) {
  for (const auto& [name, options] : schemes()) {
    SCOPED_TRACE(name);
    expect_losses_of_whole(LaneModel(options), {5, 7});
  }
}

TEST(LaneMemory, suits_every_variant_of_attention) {
  std::vector<ModelOptions> variants(11, lane_options(AttentionPositions::rotary));
  variants[0].norm_position = NormPosition::post;
  variants[1].attention.sharing.values = {Sharing::query_key};
  variants[2].attention.sharing.values = {Sharing::key_value};
  variants[3].attention.sharing.values = {Sharing::all};
  variants[4].attention.kv_heads.values = {1};
  variants[5].attention.head_weights.values = {HeadWeights::tied};
  variants[6].attention.score.values = {{{Score::bilinear}}};
  variants[7].layer_groups = 1;
  variants[8].bias_attention = false;
  variants[9].attention.sharing.values = {Sharing::query_value};
  variants[10].attention.input.values = {HeadInput::narrow};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    SCOPED_TRACE(i);
    expect_losses_of_whole(LaneModel(variants[i]), {6});
  }
}

// Each layer reads its remembered rows and the window as one sequence; only the window's rows go
// on. Returns the loss, and replaces `remembered`, the rows before each layer.
Var recomputed(const LaneModel& model, Pass& pass, const Batch& batch, Index memory,
               std::vector<Tensor>& remembered) {
  const Stack& stack = model.transformer.main();
  const Segments past = rows_before(batch.input.segments, memory);
  const Segments both = joined(past, batch.input.segments);
  Var x = stack.embedding(pass, batch.input);
  for (std::size_t layer = 0; layer < stack.layers.size(); ++layer) {
    const Index D = x.shape()[1];
    Tensor all = Tensor::empty({past[0].rows + x.shape()[0], D});
    const Tensor& before = remembered[layer];
    std::copy_n(before.data() + before.size() - past[0].rows * D, past[0].rows * D, all.data());
    std::copy_n(x.value().data(), x.value().size(), all.row(past[0].rows));
    const Var known = pass.tape().constant(
        all.part(0, {past[0].rows, D}));  // a single sequence: remembered rows come first
    const Var joined_rows = concatenate({known, x}, 0);
    remembered[layer] = all;
    const Var y = stack.layers[layer](pass, joined_rows, both, {both});
    x = slice(y, 0, past[0].rows, y.shape()[0]);
  }
  if (stack.closing_norm) {
    x = (*stack.closing_norm)(pass, x);
  }
  return cross_entropy(model.transformer.logits(pass, x), batch.labels.ids, 0).loss;
}

// The loss of a pass and the gradients of all parameters.
struct Slopes {
  double loss = 0;
  std::vector<Scalar> gradients;
};

template <class Loss>
Slopes slopes_of(const LaneModel& model, LaneMemory* memory, const Loss& loss) {
  ParameterGradients gradients(model.store);
  Tape tape;
  Pass pass(tape, model.store, gradients);
  pass.memory = memory;
  const Var total = loss(pass);
  tape.backward(total);
  Slopes slopes{.loss = total.value().data()[0], .gradients = {}};
  for (Index block = 0; block < model.store.blocks(); ++block) {
    for (Index i = 0; i < model.store.block_size(block); ++i) {
      slopes.gradients.push_back(gradients.written(block) ? gradients.data(block)[i] : 0);
    }
  }
  return slopes;
}

TEST(LaneMemory, that_is_shorter_has_the_loss_and_gradients_of_a_plain_recomputation) {
  for (auto [name, options] : schemes()) {
    SCOPED_TRACE(name);
    options.norm_position = name.ends_with("full") ? NormPosition::post : NormPosition::pre;
    const LaneModel model(options);
    for (const Index rows : {3, 7}) {  // shorter and longer than a window
      LaneMemory memory = model.memory(1, rows);
      std::vector<Tensor> remembered(2, Tensor::empty({0, options.d_model}));
      for (Index first = 0; first < 20; first += 5) {
        const Batch batch = window_batch({streams[0]}, first, 5);
        const Slopes found = slopes_of(model, &memory, [&](Pass& pass) {
          return batch_loss(model.transformer, pass, batch).loss;
        });
        const Slopes expected = slopes_of(model, nullptr, [&](Pass& pass) {
          return recomputed(model, pass, batch, rows, remembered);
        });
        EXPECT_NEAR(found.loss, expected.loss, near_enough);
        EXPECT_THAT(found.gradients, Pointwise(DoubleNear(near_enough), expected.gradients));
        memory.commit();
      }
    }
  }
}

TEST(LaneMemory, gradients_are_the_slopes_of_the_loss_with_the_memory_as_it_is) {
  LaneModel model(lane_options(AttentionPositions::transformer_xl));
  LaneMemory memory = model.memory(3, 4);
  for (const Index first : {0, 5}) {
    read(model, memory, window_batch(streams, first, 5));
    memory.commit();
  }
  const Batch batch = window_batch(streams, 10, 5);
  const ModelGradcheckReport report =
      gradcheck_model(model.store, [&](Tape& tape, ParameterGradients& gradients) {
        Pass pass(tape, model.store, gradients, 11, 3);
        pass.memory = &memory;
        return batch_loss(model.transformer, pass, batch).loss;
      });
  EXPECT_TRUE(report.ok()) << report.message();
}

TEST(LaneMemory, stays_as_it_was_until_a_step_has_succeeded) {
  const LaneModel model(lane_options());
  LaneMemory memory = model.memory(3, 6);
  const auto loss = [&](Index first) {
    return read(model, memory, window_batch(streams, first, 4)).negative_log_likelihood;
  };
  loss(0);
  memory.commit();
  const double once = loss(4);
  EXPECT_EQ(loss(4), once);  // repeated without commit, as after a result that is not finite
  memory.commit();
  EXPECT_NE(loss(4), once);  // the past has changed
}

TEST(LaneMemory, of_a_lane_without_a_new_window_stays) {
  const LaneModel model(lane_options());
  LaneMemory memory = model.memory(3, 6);
  const auto after = [&](Index first) {  // the third stream has 11 tokens
    read(model, memory, window_batch(streams, first, 6));
    memory.commit();
    const auto all =
        memory.committed().values().last(static_cast<std::size_t>(memory.numbers_of_lane()));
    return std::vector<Scalar>(all.begin(), all.end());
  };
  after(0);
  const auto last = after(6);
  EXPECT_EQ(after(12), last);
  EXPECT_EQ(after(18), last);
  LaneMemory two_lanes = model.memory(2, 6);
  EXPECT_THAT([&] { read(model, two_lanes, window_batch(streams, 0, 4)); },
              throws("lane 2 is outside 0 ... 1"));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
