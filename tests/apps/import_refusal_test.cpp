// `tapehead import` rejects what does not fit or is not supported, by name, and leaves no files
// behind.
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/pretrained_models.hpp"
#include "tests/support/testing.hpp"

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
                                       HasSubstr("h.0.ln_1.scale is left over")));
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
    EXPECT_THAT(complaint(name), HasSubstr(biases + ".decoder.bias differs from " + biases +
                                           ".bias, to which it is tied"));
  }
}

TEST_F(ImportRefusal, names_what_cannot_be_done_here) {
  const auto refuse = [&](const std::string& name, const char* setting, const Json& value) {
    fs::remove_all(here / name);
    const fs::path directory = model(name);
    change_config(directory, [&](Json& config) { config[setting] = value; });
    return complaint(name);
  };
  EXPECT_THAT(
      refuse("gpt2", "model_type", "t5"),
      HasSubstr("config.json: model_type: \"t5\" is none of gpt2, llama, bert, albert, marian"));
  EXPECT_THAT(refuse("gpt2", "scale_attn_by_inverse_layer_idx", true),
              HasSubstr("scale_attn_by_inverse_layer_idx: true cannot be done here, only false"));
  EXPECT_THAT(refuse("gpt2", "activation_function", "mish"), HasSubstr("no activation \"mish\""));
  EXPECT_THAT(refuse("gpt2", "n_layer", "two"), HasSubstr("n_layer: \"two\" is no whole number"));
  EXPECT_THAT(refuse("gpt2", "n_embd", nullptr), HasSubstr("n_embd: it is missing"));
  EXPECT_THAT(refuse("llama", "rope_scaling", {{"rope_type", "yarn"}}),
              HasSubstr("rope_scaling.rope_type: there is no rotation of type \"yarn\""));
  EXPECT_THAT(refuse("llama", "rope_scaling", {{"rope_type", 3}}),
              HasSubstr("rope_scaling.rope_type: 3 is no text"));
  EXPECT_THAT(refuse("llama", "rope_scaling", {{"rope_type", nullptr}, {"factor", 2.0}}),
              HasSubstr("rope_scaling.factor: 2.0 cannot be done here, only 1"));
  EXPECT_THAT(refuse("llama", "rope_parameters", {{"partial_rotary_factor", 0.5}}),
              HasSubstr("rope_parameters.partial_rotary_factor: 0.5 cannot be done here, only 1"));
  EXPECT_THAT(refuse("llama", "rope_parameters", {{"rope_theta", "many"}}),
              HasSubstr("rope_parameters.rope_theta: \"many\" is no number"));
  EXPECT_THAT(refuse("gpt2", "quantization_config", {{"bits", 4}}),
              HasSubstr("quantization_config: {\"bits\":4} cannot be done here, only null"));
  for (const std::string kind : {"regression", "multi_label_classification"}) {
    EXPECT_THAT(refuse("bert_classes", "problem_type", kind),
                HasSubstr("problem_type: \"" + kind + "\" cannot be done here"));
  }
  EXPECT_THAT(refuse("bert", "position_embedding_type", "relative_key"),
              HasSubstr("position_embedding_type"));
  EXPECT_THAT(refuse("albert", "inner_group_num", 2), HasSubstr("inner_group_num"));
  // The errors do not name --set: the options follow from settings of the imported model.
  EXPECT_THAT(
      refuse("albert", "num_hidden_groups", 6),
      AllOf(HasSubstr("albert/config.json: num_hidden_groups: 6: "), Not(HasSubstr("--set"))));
  EXPECT_THAT(
      refuse("gpt2", "layer_norm_epsilon", -1.0),
      AllOf(HasSubstr("gpt2/config.json: layer_norm_epsilon: -1.0: "), Not(HasSubstr("--set"))));
  EXPECT_THAT(
      refuse("llama", "head_dim", 3),
      AllOf(HasSubstr("llama/config.json: "), HasSubstr("head_dim: 3"), Not(HasSubstr("--set"))));
  EXPECT_THAT(refuse("llama", "vocab_size", 900'000'000), HasSubstr("about 900000000 entries"));
  EXPECT_THAT(refuse("llama", "intermediate_size", 60'000), HasSubstr("parameters, and the"));
}

// In this project, an encoder that labels tokens reads no marks around a text.
TEST_F(ImportRefusal, is_of_labels_for_tokens_between_marks) {
  for (const std::string name : {"bert", "albert"}) {
    const std::string labels =
        name == "bert" ? "BertForTokenClassification" : "AlbertForTokenClassification";
    const fs::path directory = model(name);
    change_config(directory, [&](Json& config) { config["architectures"] = {labels}; });
    EXPECT_THAT(complaint(name), AllOf(HasSubstr("architectures: " + labels + " labels tokens"),
                                       HasSubstr("only with a tokenizer.json that adds none")));
    for (const Json& processor : {Json{{"type", "BertProcessing"}, {"cls", {"a", 1}}},
                                  Json{{"type", "RobertaProcessing"}, {"cls", {"a", 1}}}}) {
      Json tokenizer{{"post_processor", processor}};
      tokenizer["post_processor"]["sep"] = {"b", 2};
      std::ofstream(directory / "tokenizer.json") << tokenizer.dump();
      EXPECT_THAT(complaint(name), HasSubstr("tokenizer.json adds marks, so it cannot"));
    }
    // Only an end mark.
    std::ofstream(directory / "tokenizer.json") << R"({"post_processor": {
      "type": "TemplateProcessing",
      "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "b"}}],
      "special_tokens": {"b": {"ids": [2]}}}})";
    EXPECT_THAT(complaint(name), HasSubstr("tokenizer.json adds marks, so it cannot"));
  }
}

TEST_F(ImportRefusal, is_of_targets_for_all_but_a_translation) {
  model("gpt2");
  const ProgramResult refused =
      run({"import", "gpt2", "--run", "a", "--token-texts", "--target-text", "targets"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("--target-text: a gpt2 has no targets, only a marian has"));
  EXPECT_FALSE(fs::exists(here / "a"));
  EXPECT_THAT(run({"import", "gpt2", "--run", "a", "--token-texts", "--texts", "2"}).errors,
              HasSubstr("--texts: only a model of classes reads them"));
  model("marian");
  output({"import", "marian", "--run", "b", "--token-texts", "--target-text", "targets"});
}

TEST_F(ImportRefusal, without_a_tokenizer_says_how_it_can_be_done) {
  model("gpt2");
  EXPECT_THAT(run({"import", "gpt2", "--run", "a"}).errors,
              AllOf(HasSubstr("no tokenizer in gpt2"), HasSubstr("with --token-texts")));
}

TEST_F(ImportRefusal, is_of_files_that_are_damaged_or_elsewhere) {
  fs::create_directory(here / "empty");
  EXPECT_THAT(complaint("empty"), HasSubstr("it has no config.json"));
  const fs::path directory = model("gpt2");
  std::ofstream(directory / "vocab.json") << R"({"a": 1, "b": 99})";
  EXPECT_THAT(complaint("gpt2"), HasSubstr("does not fit into 19 entries"));
  fs::remove(directory / "vocab.json");
  std::ofstream(directory / "vocab.txt") << "a\nb\na\n";
  EXPECT_THAT(complaint("gpt2"), HasSubstr("the entry a occurs twice"));
  fs::remove(directory / "vocab.txt");
  fs::resize_file(directory / "model.safetensors", 1000);
  EXPECT_THAT(complaint("gpt2"), HasSubstr("model.safetensors"));
  fs::remove(directory / "model.safetensors");
  std::ofstream(directory / "pytorch_model.bin") << "x";
  EXPECT_THAT(complaint("gpt2"), HasSubstr("safe_serialization=True"));
  std::ofstream(directory / "model.safetensors.index.json")
      << R"({"weight_map": {"wte.weight": "../model.safetensors"}})";
  EXPECT_THAT(complaint("gpt2"), HasSubstr("is no name of a file beside it"));
  std::ofstream(directory / "config.json") << "{";
  EXPECT_THAT(complaint("gpt2"), HasSubstr("config.json: not JSON"));
  std::ofstream(directory / "config.json") << std::string(200'000, '[');
  EXPECT_THAT(complaint("gpt2"), HasSubstr("config.json: nested deeper"));
}

}}  // namespace tapehead
