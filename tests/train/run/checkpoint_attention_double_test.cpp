// Models with random combinations of attention options are saved and loaded with their config.
#include "core/files/tensor_file.hpp"
#include "tests/support/random_attention.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"
#include "train/config/config.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Tensor output_of(const TinyModel& model) {
  const Batch batch = batch_of({{3, 4, 5, 6}, {7, 8}}, {{5, 4, 3}, {8, 8, 3, 4, 5}});
  Tape tape(false);
  Pass pass(tape, model.store);
  return model.transformer.hidden(pass, batch).value();
}

TEST(CheckpointOfAttention, gives_the_same_model_back) {
  const TemporaryDirectory directory;
  RandomAttention random(5);
  for (int i = 0; i < 60; ++i) {
    Config config;
    config.model = random.next();
    resolve(config);
    const std::string text = dump_config(config);
    SCOPED_TRACE(text);
    TinyModel model(config.model);
    model.shake(0.2);
    const auto file = directory.path() / "weights.safetensors";
    write_tensor_file(file, weight_entries(model.store), {});

    TinyModel read(parse_config(text, "config.yaml").config.model, 2);
    load_weights(TensorFile(file), read.store);
    EXPECT_THAT(output_of(read).values(), ElementsAreArray(output_of(model).values()));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
