// One-stack models: gradients, cut batches, labels on some rows, and decoding from a cache whose
// slots have different lengths.
#include "core/gradcheck/model/model.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Unequal lengths. The last two sequences have no row that predicts a next token; one has no rows.
const std::vector<Sentence> sequences{{3, 4, 5, 6, 7}, {8, 3, 4}, {}, {5, 5}};

struct StackModel {
  StackModel(const ModelOptions& options, Family family, Index labels = tiny_vocabulary)
      : transformer(store.root(), of_family(options, family),
                    {.context = 0, .input = tiny_vocabulary, .labels = labels}) {
    store.initialize(1);
    const Tensor noise = random_tensor({store.size()}, 7, -0.2, 0.2);
    for (Index i = 0; i < store.size(); ++i) {
      store.values().data()[i] += noise.data()[i];
    }
  }

  ParameterStore store;
  Transformer transformer;
};

ModelOptions options_with(NormPosition position, Tying tying = Tying::none) {
  ModelOptions options = tiny_options();
  options.norm_position = position;
  options.tie_embeddings = tying;
  options.positions = PositionKind::learned;
  return options;
}

void expect_gradients(const ModelOptions& options, Family family, Index labels,
                      const Batch& batch) {
  StackModel model(options, family, labels);
  const ModelGradcheckReport report =
      gradcheck_model(model.store, [&](Tape& tape, ParameterGradients& gradients) {
        Pass pass(tape, model.store, gradients, 11, 3);
        return batch_loss(model.transformer, pass, batch, {.label_smoothing = 0.1}).loss;
      });
  EXPECT_TRUE(report.ok()) << report.message();
}

TEST(Families, gradients_are_the_losses_slopes) {
  for (const NormPosition position : {NormPosition::pre, NormPosition::post}) {
    expect_gradients(options_with(position), Family::decoder, tiny_vocabulary,
                     next_token_batch(sequences));
    expect_gradients(options_with(position, Tying::target_output), Family::decoder, tiny_vocabulary,
                     next_token_batch(sequences));
    ModelOptions biased = options_with(position, Tying::target_output);
    biased.bias_output = true;
    expect_gradients(biased, Family::decoder, tiny_vocabulary, next_token_batch(sequences));
    expect_gradients(options_with(position), Family::encoder, 4,
                     first_row_batch({{3, 4, 5}, {6}, {7, 8, 3, 3}}, 4));
  }
}

TEST(Families, have_parameters_of_their_own_stack_alone) {
  for (const Family family : {Family::decoder, Family::encoder}) {
    const StackModel model(tiny_options(), family);
    const bool decoder = family == Family::decoder;
    for (const NamedParameter& parameter : model.store.parameters()) {
      const std::string stack = parameter.name.substr(0, parameter.name.find('.'));
      EXPECT_TRUE(stack == "output" || stack == (decoder ? "decoder" : "encoder") ||
                  stack == (decoder ? "target" : "source"))
          << parameter.name;
      EXPECT_EQ(parameter.name.find("cross"), std::string::npos) << parameter.name;
    }
    EXPECT_EQ(model.transformer.vocabulary_tables().size(), 2U);  // embedding and output
  }
}

// An encoder in an encoder-decoder gives the same output as the encoder alone.
TEST(Families, of_an_encoder_say_what_the_encoder_of_both_does) {
  const ModelOptions options = tiny_options();
  TinyModel both(options);
  const StackModel alone(options, Family::encoder);
  for (const NamedParameter& parameter : alone.store.parameters()) {
    for (const NamedParameter& same : both.store.parameters()) {
      if (same.name == parameter.name && same.shape == parameter.shape) {
        std::ranges::copy(alone.store.value(parameter).values(),
                          both.store.value(same).values().begin());
      }
    }
  }
  const Batch batch = sequences_of(sequences);
  Tape tape(false);
  Pass encoder_pass(tape, alone.store);
  Pass both_pass(tape, both.store);
  const Var found = alone.transformer.hidden(encoder_pass, batch);
  const Var expected = both.transformer.encode(both_pass, batch.input);
  EXPECT_THAT(found.value().values(), Pointwise(DoubleNear(0), expected.value().values()));
}

// However the batch is cut, each row keeps its label and its dropout; parts without labels add
// nothing.
TEST(Families, of_a_cut_batch_have_the_gradient_of_the_whole) {
  ModelOptions options = options_with(NormPosition::pre);
  options.dropout = 0.3;
  const StackModel model(options, Family::decoder);
  const auto run = [&](const PoolVector<Batch>& parts, ParameterGradients& gradients) {
    double loss = 0;
    for (const Batch& part : parts) {
      Tape tape;
      Pass pass(tape, model.store, gradients, 11, 3);
      const CrossEntropy result = batch_loss(model.transformer, pass, part);
      loss += result.loss.value().data()[0];
      tape.backward(result.loss);
    }
    return loss;
  };
  const Batch batch = next_token_batch(sequences);
  ParameterGradients whole(model.store);
  const double expected = run({batch}, whole);
  for (const Index shards : {2, 3, 4}) {
    ParameterGradients cut(model.store);
    const PoolVector<Batch> parts = cut_into_shards(batch, shards);
    Index labels = 0;
    for (const Batch& part : parts) {
      expect_whole(part);
      labels += part.labels.count();
    }
    EXPECT_EQ(labels, batch.labels.count());
    EXPECT_NEAR(run(parts, cut), expected, 1e-12);
    for (Index block = 0; block < model.store.blocks(); ++block) {
      const auto size = static_cast<std::size_t>(model.store.block_size(block));
      EXPECT_THAT(std::span(cut.data(block), size),
                  Pointwise(DoubleNear(1e-12), std::span(whole.data(block), size)));
    }
  }
}

// Labels on every row, given with every_row or row by row.
TEST(Families, say_the_same_of_labels_on_every_row_however_they_are_given) {
  const StackModel model(tiny_options(), Family::decoder);
  Batch batch = sequences_of(sequences);
  for (Index row = 0; row < batch.input.rows(); ++row) {
    batch.labels.rows.push_back(row);
    batch.labels.ids.push_back(static_cast<TokenId>(row % tiny_vocabulary));
  }
  const auto loss_of = [&](const Batch& of) {
    Tape tape(false);
    Pass pass(tape, model.store);
    return batch_loss(model.transformer, pass, of).negative_log_likelihood;
  };
  const double one_by_one = loss_of(batch);
  batch.labels.every_row = true;
  batch.labels.rows.clear();
  EXPECT_EQ(loss_of(batch), one_by_one);
}

// Each prompt in one pass, then token by token; the sequences always have different lengths.
TEST(Families, decode_from_prompts_of_different_lengths_together) {
  const StackModel model(options_with(NormPosition::pre), Family::decoder);
  const std::vector<Sentence> all{{3, 4, 5, 6, 7, 8, 3}, {8, 3, 4, 4}, {5, 5, 6, 7, 3}};
  const std::vector<std::size_t> prompts{4, 1, 2};
  Tape tape(false);
  Pass pass(tape, model.store);
  const Batch batch = sequences_of(all);
  const Tensor whole = model.transformer.hidden(pass, batch).value();
  const Stack& stack = model.transformer.main();
  KeyValueCache cache = stack.make_cache(3, 16);
  const auto expect_rows = [&](const Var& found, const Tokens& fresh,
                               const std::vector<Index>& slots) {
    const auto width = static_cast<std::size_t>(whole.dim(1));
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Segment& segment = fresh.segments[static_cast<Index>(i)];
      for (Index r = 0; r < segment.rows; ++r) {
        const Index row = batch.input.segments[slots[i]].row + segment.position + r;
        EXPECT_THAT(std::span(found.value().row(segment.row + r), width),
                    Pointwise(DoubleNear(1e-12), std::span(whole.row(row), width)));
      }
    }
  };
  // Feeds each sequence's tokens from its slot's length to `end`, if it has that many.
  const auto go_on = [&](const std::function<std::size_t(std::size_t)>& end) {
    Tokens fresh;
    std::vector<Index> slots;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Index length = cache.length(static_cast<Index>(i));
      const auto to = static_cast<Index>(std::min(end(i), all[i].size()));
      if (to > length) {
        fresh.segments.list.push_back(
            {.row = fresh.rows(), .rows = to - length, .position = length});
        fresh.ids.insert(fresh.ids.end(), all[i].begin() + length, all[i].begin() + to);
        slots.push_back(static_cast<Index>(i));
      } else {
        cache.release(static_cast<Index>(i));
      }
    }
    if (!slots.empty()) {
      cache.extend(slots, fresh.segments);
      expect_rows(stack(pass, fresh, nullptr, &cache), fresh, slots);
    }
    return !slots.empty();
  };
  go_on([&](std::size_t i) { return prompts[i]; });
  while (go_on([&](std::size_t i) {
    return static_cast<std::size_t>(cache.length(static_cast<Index>(i))) + 1;
  })) {
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(cache.length(static_cast<Index>(i)), std::ssize(all[i]));
  }
}

TEST(KeyValueCache, refuses_rows_that_do_not_follow) {
  KeyValueCache cache({4}, 1, 3);
  const std::vector<Index> slot{0};
  cache.extend(slot, segments_of({2}));
  EXPECT_THAT([&] { cache.extend(slot, segments_of({1})); },
              ThrowsMessage<ShapeError>(HasSubstr("1 rows at position 0")));
  const Segments too_many{.list = {{.row = 0, .rows = 2, .position = 2}}, .first_row = 0};
  EXPECT_THAT([&] { cache.extend(slot, too_many); },
              ThrowsMessage<ShapeError>(HasSubstr("of at most 3")));
}

TEST(Families, of_one_stack_cannot_tie_source_and_target) {
  for (const Tying tying : {Tying::source_target, Tying::all}) {
    ParameterStore store;
    EXPECT_THAT(
        [&] {
          Transformer(store.root(),
                      of_family(options_with(NormPosition::pre, tying), Family::decoder),
                      {.context = 0, .input = 9, .labels = 9});
        },
        ThrowsMessage<ConfigError>(HasSubstr("there is one embedding")));
  }
  ParameterStore store;
  EXPECT_THAT(
      [&] {
        Transformer(
            store.root(),
            of_family(options_with(NormPosition::pre, Tying::target_output), Family::encoder),
            {.context = 0, .input = 9, .labels = 10});
      },
      ThrowsMessage<ConfigError>(HasSubstr("10 labels and 9 entries")));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
