// `tapehead import` rejects what does not fit or is not supported, by name, and leaves no files
// behind.
#include "tests/support/pretrained_models.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ImportRefusal : public PretrainedModels {};

TEST_F(ImportRefusal, lists_tensors_that_do_not_fit) {
  const fs::path directory = model("gpt2");
  change_tensors(directory, [&](std::vector<TensorEntry>& entries) {
    for (TensorEntry& entry : entries) {
      if (entry.name == "transformer.ln_f.bias") {
        entry.shape = {3, 4};
      } else if (entry.name == "transformer.h.0.ln_1.weight") {
        entry.name = "transformer.h.0.ln_1.scale";
      }
    }
  });
  EXPECT_THAT(complaint("gpt2"), AllOf(HasSubstr("ln_f.bias has the shape (3, 4) instead of (12)"),
                                       HasSubstr("h.0.ln_1.weight is missing"),
                                       HasSubstr("h.0.ln_1.scale matches no parameter")));
}

// transformers adds only the copy of the bias.
TEST_F(ImportRefusal, is_of_a_copy_of_the_output_bias_that_differs) {
  for (const std::string name : {"bert", "albert"}) {
    const std::string biases = name == "bert" ? "cls.predictions" : "predictions";
    const auto copy_bias = [&](float more) {
      std::vector<float> copy(19);  // one number per entry
      change_tensors(here / name, [&](std::vector<TensorEntry>& entries) {
        std::erase_if(entries, [&](const TensorEntry& entry) {
          return entry.name == biases + ".decoder.bias";
        });
        const auto bias = std::ranges::find(entries, biases + ".bias", &TensorEntry::name);
        copy_values(*bias, std::span(copy));
        copy[7] += more;
        entries.push_back({.name = biases + ".decoder.bias",
                           .shape = {19},
                           .bytes = std::as_bytes(std::span(copy))});
      });
    };
    model(name);
    copy_bias(0);
    output({"import", name, "--run", name + "-run", "--token-texts"});
    copy_bias(1);
    EXPECT_THAT(complaint(name),
                HasSubstr(biases + ".decoder.bias and " + biases + ".bias are tied, but differ"));
  }
}

// An error does not name --set: options follow from settings of the imported model.
TEST_F(ImportRefusal, names_what_cannot_be_done_here) {
  // Model, setting, and two parts of the error.
  const std::vector<std::array<std::string, 4>> cases{
      {"gpt2", R"("model_type": "t5")", R"(model_type: "t5")", "gpt2, llama, bert, albert, marian"},
      {"gpt2", R"("scale_attn_by_inverse_layer_idx": true)", "layer_idx: true", "only false"},
      {"gpt2", R"("activation_function": "mish")", R"(tapehead has no activation "mish")"},
      {"gpt2", R"("n_layer": "two")", R"(n_layer: "two" is not a whole number)"},
      {"gpt2", R"("n_embd": null)", "n_embd: it is missing"},
      {"gpt2", R"("quantization_config": {"bits": 4})", R"(config: {"bits":4})", "only null"},
      {"gpt2", R"("layer_norm_epsilon": -1.0)", "gpt2/config.json: layer_norm_epsilon: -1.0: "},
      {"llama", R"("rope_scaling": {"rope_type": "yarn"})", "rope_scaling.rope_type: ", "yarn"},
      {"llama", R"("rope_scaling": {"rope_type": 3})", "rope_scaling.rope_type: 3 is no text"},
      {"llama", R"("rope_scaling": {"rope_type": null, "factor": 2.0})", "rope_scaling.factor: 2.0",
       "only 1"},
      {"llama", R"("rope_parameters": {"partial_rotary_factor": 0.5})",
       "rope_parameters.partial_rotary_factor: 0.5", "only 1"},
      {"llama", R"("rope_parameters": {"rope_theta": "many"})",
       R"(rope_parameters.rope_theta: "many" is no number)"},
      {"llama", R"("head_dim": 3)", "llama/config.json: ", "head_dim: 3"},
      {"llama", R"("vocab_size": 900000000)", "describes 900000000 entries"},
      {"llama", R"("intermediate_size": 60000)", "parameters, but the"},
      {"bert_classes", R"("id2label": null, "num_labels": 900000000)",
       "describes 900000000 labels"},
      {"bert_classes", R"("problem_type": "regression")", R"(problem_type: "regression")"},
      {"bert_classes", R"("problem_type": "multi_label_classification")",
       R"(problem_type: "multi_label_classification")"},
      {"bert", R"("position_embedding_type": "relative_key")", "position_embedding_type"},
      {"albert", R"("inner_group_num": 2)", "inner_group_num"},
      {"albert", R"("num_hidden_groups": 6)", "albert/config.json: num_hidden_groups: 6: "}};
  for (const auto& [name, setting, one, other] : cases) {
    SCOPED_TRACE(name + ": " + setting);
    fs::remove_all(here / name);
    change_config(model(name),
                  [&](Json& config) { config.update(Json::parse("{" + setting + "}")); });
    EXPECT_THAT(complaint(name), AllOf(HasSubstr(one), HasSubstr(other), Not(HasSubstr("--set"))));
  }
}

// In this project, an encoder that labels tokens reads no marks around a text.
TEST_F(ImportRefusal, is_of_labels_for_tokens_between_marks) {
  for (const std::string name : {"bert", "albert"}) {
    const std::string labels =
        name == "bert" ? "BertForTokenClassification" : "AlbertForTokenClassification";
    const fs::path directory = model(name);
    change_config(directory, [&](Json& config) { config["architectures"] = {labels}; });
    EXPECT_THAT(complaint(name), AllOf(HasSubstr("architectures: " + labels + " labels tokens"),
                                       HasSubstr("needs a tokenizer.json that adds no marks")));
    for (const char* processor : {R"("BertProcessing", "cls": ["a", 1], "sep": ["b", 2])",
                                  R"("RobertaProcessing", "cls": ["a", 1], "sep": ["b", 2])",
                                  R"("TemplateProcessing",
           "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "b"}}],
           "special_tokens": {"b": {"ids": [2]}})"}) {  // the last: an end mark only
      write(name + "/tokenizer.json",
            fmt::format(R"({{"post_processor": {{"type": {}}}}})", processor));
      EXPECT_THAT(complaint(name), HasSubstr("tokenizer.json adds marks, so the model cannot"));
    }
  }
}

TEST_F(ImportRefusal, says_which_options_the_model_needs_or_does_not_read) {
  model("gpt2");
  const Arguments unnamed{"import", "gpt2", "--run", "a"};
  const Arguments by_id = unnamed + Arguments{"--token-texts"};
  expect_refusals({{unnamed, 1, {"no tokenizer in gpt2", "with --token-texts"}},
                   {by_id + Arguments{"--target-text", "targets"},
                    2,
                    {"--target-text: a gpt2 model has no targets", "only a marian"}},
                   {by_id + Arguments{"--texts", "2"},
                    2,
                    {"--texts: only for a model that classifies texts"}}});
  EXPECT_FALSE(fs::exists(here / "a"));
  model("marian");
  output("import marian --run b --token-texts --target-text targets");
}

TEST_F(ImportRefusal, is_of_files_that_are_damaged_or_elsewhere) {
  const std::string weights = content_of(model("gpt2") / "model.safetensors");
  const std::string elsewhere = R"({"weight_map": {"wte.weight": "../model.safetensors"}})";
  const std::vector<std::array<std::string, 3>> cases{
      {"vocab.json", R"({"a": 1, "b": 99})", "does not fit into 19 entries"},
      {"vocab.txt", "a\nb\na\n", "the entry a occurs twice"},
      {"model.safetensors", weights.substr(0, 1000), "model.safetensors"},
      {"pytorch_model.bin", "x", "safe_serialization=True"},
      {"model.safetensors.index.json", elsewhere, "must be a file name in the same directory"},
      {"config.json", "{", "config.json: not JSON"},
      {"config.json", std::string(200'000, '['), "config.json: nested deeper"}};
  for (const auto& [file, content, says] : cases) {
    SCOPED_TRACE(says);
    fs::remove_all(here / "gpt2");
    model("gpt2");
    if (file == "pytorch_model.bin" || file == "model.safetensors.index.json") {
      fs::remove(here / "gpt2/model.safetensors");
    }
    write("gpt2/" + file, content);
    EXPECT_THAT(complaint("gpt2"), HasSubstr(says));
  }
  fs::create_directory(here / "empty");
  EXPECT_THAT(complaint("empty"), HasSubstr("it has no config.json"));
}

}}  // namespace tapehead
