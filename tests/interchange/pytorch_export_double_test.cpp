// The PyTorch code of an export, run in Python with numpy instead of PyTorch, gives the logits of
// the exported model; and which options it supports.
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "interchange/export.hpp"
#include "interchange/pytorch_module.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/program.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

constexpr Index source_entries = 13;
constexpr Index target_entries = 9;  // distinct from all other sizes
constexpr Index most_numbers = 200'000;

// Ids that jump back and forth.
std::vector<TokenId> some_ids(Index count, Index entries) {
  std::vector<TokenId> ids;
  for (Index i = 0; i < count; ++i) {
    ids.push_back(static_cast<TokenId>((5 * i * i + 3 * i + 1) % entries));
  }
  return ids;
}

Tokens tokens_of(const std::vector<TokenId>& ids, Index prefix = 0) {
  return {.ids = {ids.begin(), ids.end()},
          .segments = {.list = {{.row = 0, .rows = std::ssize(ids), .prefix = prefix}}}};
}

// A batch that the model reads, and the same as inputs of the exported model.
std::pair<Batch, Json> batch_and_inputs(const ModelOptions& options) {
  const std::vector<TokenId> source = some_ids(11, source_entries);
  const std::vector<TokenId> target = some_ids(8, target_entries);
  Batch batch;
  if (options.family == Family::encoder_decoder) {
    batch.context = tokens_of(source);
    batch.input = tokens_of(target);
    return {batch, {{"source", source}, {"target", target}}};
  }
  Json inputs = {{"tokens", source}};
  if (options.family == Family::decoder && options.prefix == SourceRows::full) {
    inputs["prefix"] = 4;
  }
  batch.input = tokens_of(source, inputs.value("prefix", 0));
  if (options.token_types > 0) {
    for (Index i = 0; i < std::ssize(source); ++i) {
      batch.input.types.push_back(static_cast<TokenId>(i % options.token_types));
      inputs["types"].push_back(i % options.token_types);
    }
  }
  return {batch, inputs};
}

// Whether a pattern has sinks, which the PyTorch export does not support.
bool has_sinks(const ModelOptions& options) {
  return std::ranges::any_of(attention_specs(options), &AttentionSpec::has_sinks);
}

// Directories with one exported model each, and the expected logits.
class ExportedModels {
 public:
  // Returns false if the model is too large for a test or is rejected.
  bool add(const Config& config, const std::string& options) {
    ParameterStore store;
    const Transformer model(store.root(), config.model, source_entries, target_entries);
    if (store.size() > most_numbers || has_sinks(config.model)) {
      return false;
    }
    store.initialize(1);
    const Tensor noise = random_tensor({store.size()}, 7, -0.4, 0.4);
    std::ranges::transform(store.values().values(), noise.values(), store.values().values().begin(),
                           std::plus<>());
    const auto [batch, inputs] = batch_and_inputs(config.model);
    Tape tape(false);
    Pass pass(tape, store);
    const Tensor logits = model.logits(pass, model.hidden(pass, batch)).value();
    const fs::path directory = here_ / std::to_string(count_++);
    fs::create_directory(directory);
    write_tensor_file(directory / "model.safetensors", used_weights(model, store),
                      {{"tapehead", pytorch_settings("a test", config, model, false)}});
    Json rows = Json::array();
    for (Index row = 0; row < logits.dim(0); ++row) {
      rows.push_back(std::vector<Scalar>(logits.row(row), logits.row(row) + logits.dim(1)));
    }
    std::ofstream(directory / "case.json") << Json{{"inputs", inputs}, {"logits", rows}};
    std::ofstream(directory / "options") << options;
    return true;
  }

  std::string expect_same() const {
    const ProgramResult result =
        run_script("/usr/bin/env",
                   {"PYTHONPATH=" TAPEHEAD_SOURCE_DIR "/python", "/usr/bin/python3", "-B",
                    TAPEHEAD_SOURCE_DIR "/tests/python/exported_logits.py", here_.path().string()},
                   here_.path());
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    return result.output;
  }

 private:
  TemporaryDirectory here_;
  Index count_ = 0;
};

constexpr const char* small =
    "model.d_model=12;model.heads=2;model.d_ff=10;model.max_positions=40;";

// Options that random configs rarely have.
const std::vector<std::string> choices{
    "",
    "model.family=decoder",
    "model.family=decoder;model.prefix=full",
    "model.family=decoder;model.prefix=full;model.token_types=2;attention.pattern=[[window 1, "
    "causal]]",
    "model.family=encoder;model.token_types=3;model.embedding_norm=true;model.d_embedding=6",
    "model.family=encoder;model.head_transform=masked;model.tie_embeddings=target_output;"
    "model.bias_output=true;model.activation=gelu",
    "model.family=encoder;model.head_transform=pooler;model.activation=gelu_exact",
    "model.family=decoder;model.preset=gpt2",
    "model.preset=llama;attention.kv_heads=1",
    "model.preset=vaswani;model.tie_embeddings=all",
    "model.tie_embeddings=source_target;model.activation=tanh",
    "model.norm=rms_norm;model.norm_position=post;model.positions=learned",
    "model.position_scale=inverse_sqrt_d_model;model.embedding_scale=none",
    "model.positions=learned;model.position_scale=inverse_sqrt_d_model",
    "model.encoder_layers=0;model.feed_forward=none",
    "model.layers=5;model.layer_groups=2",
    "model.layer_groups=1;attention.pattern=[[full], [window 2]];cross.pattern=[[full], [blocks "
    "2]]",
    "model.layers=3;model.layer_groups=1;attention.pattern=[[full], [window 2], [full]]",
    "attention.shared_as=[a, b.c]",
    "attention.shared_as=a;attention.pattern=[[causal], [top_k 3]];cross.shared_as=d",
    "attention.heads=[0, 3];cross.heads=[2, 0]",
    "cross.heads=0;model.bias_attention=false;model.norm_position=post",
    "attention.heads=4;attention.kv_heads=2;attention.d_qk=5;attention.d_v=3",
    "attention.head_weights=tied;attention.input=narrow;attention.scale=learned",
    "attention.input=narrow;attention.heads=4;attention.kv_heads=2;attention.sharing=key_value",
    "attention.sharing=identity;attention.combine=weighted",
    "attention.sharing=identity;attention.input=narrow;attention.combine=concatenate",
    "attention.sharing=identity_query;model.norm=none;attention.score=cosine",
    "attention.sharing=identity_query;attention.heads=4;attention.kv_heads=2;attention.input="
    "narrow",
    "attention.sharing=identity_query;attention.positions=relative;attention.clip=2",
    "model.norm=none;model.family=decoder",
    "attention.sharing=query_value;attention.combine=mean;model.bias_attention=false",
    "attention.sharing=query_key;attention.score=additive;attention.gates=l0",
    "attention.sharing=all;attention.scale=inverse_sqrt_d_model",
    "attention.heads=4;attention.score=[[dot, bilinear, cosine, additive]];attention.scale=none",
    "attention.score=[[additive, cosine]];attention.positions=transformer_xl;attention.clip=3",
    "attention.score=bilinear;attention.head_weights=tied;attention.positions=relative",
    "attention.positions=relative;attention.clip=2;attention.scale=learned",
    "attention.positions=relative_keys;attention.clip=0;attention.score=cosine",
    "attention.positions=transformer_xl;attention.heads=4;attention.kv_heads=2",
    "attention.positions=t5;attention.buckets=8;attention.farthest=6",
    "attention.positions=alibi;attention.heads=6",
    "attention.positions=[rotary, alibi];attention.rotary_pairs=interleaved",
    "encoder_self.positions=rotary;encoder_self.rotary_base=50;decoder_self.positions=t5",
    "attention.pattern=window 3 1;cross.pattern=window 1",
    "attention.pattern=strided 3;cross.pattern=strided 2",
    "attention.pattern=fixed 4 1;cross.pattern=fixed 3 1",
    "attention.pattern=blocks 3;cross.pattern=[[blocks 2, full], [causal, top_k 2]]",
    "attention.pattern=[[full top_k 3, window 2 top_k 1]];attention.head_weights=tied",
};

TEST(PytorchExport, gives_the_logits_of_every_choice) {
  ExportedModels models;
  for (const std::string& choice : choices) {
    SCOPED_TRACE(choice);
    std::istringstream stream(small + choice);
    std::vector<std::string> set;
    for (std::string option; std::getline(stream, option, ';');) {
      set.push_back(option);
    }
    EXPECT_TRUE(models.add(parse_config("task: {name: copy}", "a.yaml", set).config, choice));
  }
  models.expect_same();
}

TEST(ProvePytorch, gives_the_logits_of_models_with_random_options) {
  const Index cases = proof_cases(40, 1000);
  ExportedModels models;
  RandomConfigs configs(3);
  for (Index added = 0; added < cases;) {
    const Config config = configs.next().config;
    SCOPED_TRACE(configs.file);
    added += models.add(config, configs.file) ? 1 : 0;
  }
  tell_figures(fmt::format("pytorch: {} models; {}", cases, models.expect_same()));
}

TEST(KnownOptions, refuses_others_by_name) {
  EXPECT_NO_THROW(expect_known(OptionValues{{"model.norm", "rms_norm"},
                                            {"cross.pattern", "[[window 2 0 top_k 1], [full]]"},
                                            {"cross.shared_as", "[a, \"b\"]"}}));
  for (const auto& [option, value] : {std::pair("model.norm", "no_such_norm"),
                                      {"cross.score", "[[dot, other]]"},
                                      {"model.no_such_option", "3"}}) {
    EXPECT_EQ(
        message_of<ConfigError>([&] { expect_known({{option, value}}); }),
        fmt::format("{}: {}: export --as pytorch does not support this value", option, value));
  }
}

}}  // namespace tapehead
