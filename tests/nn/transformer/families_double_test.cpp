// One-stack models: gradients, parameters, and labels on some rows.
#include "tests/nn/model_gradients.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Unequal lengths. The last two sequences have no row that predicts a next token; one has no rows.
const std::vector<Sentence> sequences{{3, 4, 5, 6, 7}, {8, 3, 4}, {}, {5, 5}};

ModelOptions options_with(NormPosition position, Tying tying = Tying::none) {
  ModelOptions options = tiny_options();
  options.norm_position = position;
  options.tie_embeddings = tying;
  options.positions = PositionKind::learned;
  return options;
}

TEST(Families, gradients_are_the_losses_slopes) {
  const Batch next = next_token_batch(sequences);
  for (const NormPosition position : {NormPosition::pre, NormPosition::post}) {
    expect_gradients(of_family(options_with(position), Family::decoder), next);
    ModelOptions tied = of_family(options_with(position, Tying::target_output), Family::decoder);
    expect_gradients(tied, next);
    tied.bias_output = true;
    expect_gradients(tied, next);
    // Fewer labels than tokens.
    expect_gradients(of_family(options_with(position), Family::encoder),
                     first_row_batch({{3, 4, 5}, {6}, {7, 8, 3, 3}}, 4), tiny_vocabulary + 4);
  }
}

TEST(Families, have_parameters_of_their_own_stack_alone) {
  for (const Family family : {Family::decoder, Family::encoder}) {
    const TinyModel model(of_family(tiny_options(), family));
    const bool decoder = family == Family::decoder;
    for (const NamedParameter& parameter : model.store.parameters()) {
      EXPECT_THAT(parameter.name.substr(0, parameter.name.find('.')),
                  AnyOf("output", decoder ? "decoder" : "encoder", decoder ? "target" : "source"));
      EXPECT_THAT(parameter.name, Not(HasSubstr("cross")));
    }
    EXPECT_EQ(model.transformer.vocabulary_tables().size(), 2U);  // embedding and output
  }
}

// Labels on every row, given with every_row or row by row.
TEST(Families, say_the_same_of_labels_on_every_row_however_they_are_given) {
  const TinyModel model(of_family(tiny_options(), Family::decoder));
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

TEST(KeyValueCache, refuses_rows_that_do_not_follow) {
  KeyValueCache cache({4}, 1, 3);
  const std::vector<Index> slot{0};
  cache.extend(slot, segments_of({2}));
  EXPECT_THAT([&] { cache.extend(slot, segments_of({1})); }, throws("1 rows at position 0"));
  const Segments too_many{.list = {{.row = 0, .rows = 2, .position = 2}}, .first_row = 0};
  EXPECT_THAT([&] { cache.extend(slot, too_many); }, throws("limit of 3"));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
