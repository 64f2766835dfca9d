// `tapehead export` for transformers: the matching model class, and unsupported options.
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ExportToTransformers : public ProgramRuns {
 protected:
  // Trains one step with these model options.
  void train(const std::string& task, const std::string& model) {
    std::ofstream(here / "a.yaml")
        << "task: {" << task << "}\nmodel: {d_model: 16, heads: 2, "
        << "layers: 1, " << model << "}\ntraining: {steps: 1, batch_tokens: 64}\n"
        << "run: {report: false}\n";
    output({"train", "a.yaml", "--run", "a", "--overwrite"});
  }
  std::string model_type(const std::string& task, const std::string& model) {
    train(task, model);
    const Json said = Json::parse(output({"export", "a", "out", "--json", "--overwrite"}));
    EXPECT_EQ(Json::parse(content_of(here / "out" / "config.json"))["architectures"][0],
              said["model"]);
    for (const std::string file : said["files"]) {
      EXPECT_TRUE(fs::exists(here / "out" / file)) << file;
    }
    return said["model"];
  }
  std::string complaint(const std::string& task, const std::string& model) {
    train(task, model);
    fs::remove_all(here / "refused");
    const ProgramResult result = run({"export", "a", "refused"});
    EXPECT_EQ(result.exit_code, 2) << result.output;  // the exit code of a wrong config
    EXPECT_FALSE(fs::exists(here / "refused")) << "half exported";
    return result.errors;
  }
  // The marks around a text that the PyTorch export reads.
  Json pytorch_reads() {
    output({"export", "a", "out", "--as", "pytorch", "--overwrite"});
    const TensorFile weights(here / "out/model.safetensors", Trust::any);
    return Json::parse(weights.metadata("tapehead"))["reads"];
  }
  std::string text(const std::string& tokenizer = "character") {
    std::ofstream(here / "text") << text_content;
    return "name: text, train_text: text, context: 8, validation_share: 0.2, tokenizer: " +
           tokenizer;
  }
  std::string labelled() {
    std::ofstream file(here / "labelled.tsv");
    for (int line = 0; line < 30; ++line) {
      file << "a cat\tanimal\na tree\tplant\n";
    }
    return "name: labelled_text, train_tsv: labelled.tsv";
  }

  const std::string text_content = [] {
    std::string lines;
    for (int line = 0; line < 30; ++line) {
      lines += "a cat sees a dog\nthe dogs see that cats can run\n";
    }
    return lines;
  }();
  const std::string copy =
      "name: copy, vocabulary: 9, max_length: 6, train_examples: 40, "
      "validation_examples: 5, test_examples: 5";
};

TEST_F(ExportToTransformers, of_every_preset_has_an_architecture) {
  EXPECT_EQ(model_type(copy, "preset: vaswani"), "MarianMTModel");
  EXPECT_EQ(model_type(copy, "preset: gpt2, family: decoder"), "GPT2LMHeadModel");
  EXPECT_EQ(model_type(text(), "preset: gpt2, family: decoder"), "GPT2LMHeadModel");
  EXPECT_EQ(model_type(text(), "preset: llama, family: decoder"), "LlamaForCausalLM");
  EXPECT_EQ(model_type(text(), "preset: bert, family: encoder"), "BertForMaskedLM");
  EXPECT_EQ(model_type(text(), "preset: bert, family: encoder, layer_groups: 1, d_embedding: 8"),
            "AlbertForMaskedLM");
  EXPECT_EQ(model_type(labelled(), "preset: bert, family: encoder"),
            "BertForSequenceClassification");
  EXPECT_EQ(model_type(labelled(), "preset: gpt2, family: decoder, tie_embeddings: none"),
            "GPT2ForSequenceClassification");
  EXPECT_EQ(model_type(copy, "preset: bert, family: encoder"), "BertForTokenClassification");
}

TEST_F(ExportToTransformers, says_what_it_wrote_and_the_classes) {
  train(labelled(), "preset: bert, family: encoder");
  EXPECT_THAT(output({"export", "a", "out"}),
              AllOf(HasSubstr("out: BertForSequenceClassification of "),
                    HasSubstr("files: config.json, model.safetensors, tokenizer.json")));
  const Json config = Json::parse(content_of(here / "out" / "config.json"));
  EXPECT_EQ(config["id2label"], Json({{"0", "animal"}, {"1", "plant"}}));
  EXPECT_FALSE(fs::exists(here / "out" / "generation_config.json"));
}

TEST_F(ExportToTransformers, refuses_options_without_a_counterpart_by_name) {
  EXPECT_THAT(complaint(copy, "norm_position: pre"),
              AllOf(HasSubstr("MarianMTModel"), HasSubstr("model.norm_position: pre, not post")));
  EXPECT_THAT(
      complaint(text(),
                "preset: gpt2, family: decoder, positions: none, norm_epsilon: "
                "1e-3"),
      AllOf(HasSubstr("model.positions: none, not learned"), Not(HasSubstr("norm_epsilon"))));
  EXPECT_THAT(complaint(labelled(), "preset: bert, family: encoder, norm_position: pre"),
              HasSubstr("the nearest is BertForSequenceClassification, but"));
  EXPECT_THAT(complaint(copy, "preset: bert, family: encoder, norm_position: pre"),
              HasSubstr("the nearest is BertForTokenClassification, but"));
  EXPECT_THAT(complaint(text(), "preset: gpt2, family: decoder, bias_output: true"),
              HasSubstr("output.bias has no counterpart in a GPT2LMHeadModel"));
}

// The exported mark before a text equals the mark that the reimported run reads.
TEST_F(ExportToTransformers, puts_the_mark_in_front_of_a_text_that_the_run_reads) {
  const std::string task = text("byte_bpe") + ", vocabulary: 300, documents: line";
  std::ofstream(here / "lines") << "a cat\na dog sees\n";
  for (const std::string stream : {"true", "false"}) {
    train(task + ", stream: " + stream, "preset: gpt2, family: decoder");
    output({"export", "a", "out", "--overwrite"});
    const Json tokenizer = Json::parse(content_of(here / "out" / "tokenizer.json"));
    EXPECT_EQ(tokenizer["post_processor"]["single"][0]["SpecialToken"]["id"],
              stream == "true" ? "</s>" : "<s>");
    output({"import", "out", "--run", "b", "--overwrite"});
    EXPECT_THAT(content_of(here / "b" / "config.yaml"), HasSubstr("stream: " + stream));
    EXPECT_EQ(output({"score", "b", "--input", "lines", "--json"}),
              output({"score", "a", "--input", "lines", "--json"}));
    const auto written = [&](const std::string& run_of) {
      return output(
          {"generate", run_of, "--prompt", "a", "--temperature", "0", "--max-tokens", "4"});
    };
    EXPECT_EQ(written("b"), written("a"));
    EXPECT_EQ(pytorch_reads(), Json({{"front", stream == "true" ? 2 : 1}, {"behind", nullptr}}));
  }
}

TEST_F(ExportToTransformers, puts_nothing_in_front_of_one_document_and_never_ends) {
  train(text(), "preset: gpt2, family: decoder");
  output({"export", "a", "out"});
  EXPECT_EQ(Json::parse(content_of(here / "out" / "tokenizer.json"))["post_processor"], nullptr);
  EXPECT_EQ(Json::parse(content_of(here / "out" / "generation_config.json"))["suppress_tokens"],
            Json::array({0, 1, 2}));  // tokens that such a run never writes
  EXPECT_EQ(pytorch_reads(), Json({{"front", nullptr}, {"behind", nullptr}}));
}

// Marks as `fill` reads a line: with an end mark if a document is a line or a paragraph.
TEST_F(ExportToTransformers, puts_the_marks_around_a_masked_text_that_fill_reads) {
  for (const std::string documents : {"file", "line", "blank_line", "separator"}) {
    const std::string task = text() + ", documents: " + documents;
    std::ofstream(here / "text") << "a cat\n\n==\na dog\n\n==\na cow\n\n==\na hen\n\n==\nan ape\n";
    train(task + (documents == "separator" ? ", separator: '=='" : ""),
          "preset: bert, family: encoder");
    output({"export", "a", "out", "--overwrite"});
    const Json tokenizer = Json::parse(content_of(here / "out" / "tokenizer.json"));
    Json marks = Json::array();
    for (const Json& item : tokenizer["post_processor"]["single"]) {
      marks.push_back(item.begin().value()["id"]);
    }
    EXPECT_EQ(marks, documents == "file" ? Json({"<s>", "A"}) : Json({"<s>", "A", "</s>"}));
    EXPECT_EQ(pytorch_reads(),
              Json({{"front", 1}, {"behind", documents == "file" ? Json() : Json(2)}}));
  }
}

TEST_F(ExportToTransformers, gives_tokens_types_where_the_model_knows_two) {
  for (const std::string types : {"0", "1", "2"}) {
    train(text(), "preset: bert, family: encoder, token_types: " + types);
    output({"export", "a", "out", "--overwrite"});
    const Json tokenizer = Json::parse(content_of(here / "out" / "tokenizer_config.json"));
    EXPECT_EQ(tokenizer["model_input_names"],
              types == "2" ? Json({"input_ids", "token_type_ids", "attention_mask"})
                           : Json({"input_ids", "attention_mask"}))
        << types;
  }
}

TEST_F(ExportToTransformers, leaves_nothing_of_an_earlier_export) {
  train(copy, "preset: vaswani");
  output({"export", "a", "out", "--as", "pytorch"});
  EXPECT_TRUE(fs::exists(here / "out" / "model.py"));
  output({"export", "a", "out", "--overwrite"});
  EXPECT_FALSE(fs::exists(here / "out" / "model.py"));
  train(copy, "preset: vaswani, norm_position: pre");
  EXPECT_EQ(run({"export", "a", "out", "--overwrite"}).exit_code, 2);
  EXPECT_TRUE(fs::exists(here / "out" / "model.safetensors")) << "lost by a refused export";
}

TEST_F(ExportToTransformers, comes_back_as_the_same_model) {
  const fs::path marian = fs::path(TAPEHEAD_FIXTURES) / "pretrained" / "marian";
  const std::string source = "v5 v7 v3\n";
  output({"import", marian.string(), "--run", "a", "--token-texts"});
  output({"export", "a", "out"});
  output({"import", "out", "--run", "b", "--token-texts"});
  const std::string first = output({"translate", "a", "--json"}, source);
  EXPECT_EQ(output({"translate", "b", "--json"}, source), first);
  EXPECT_THAT(first, HasSubstr("v"));
}

// An exported run can be imported again.
class RoundTrip : public ExportToTransformers {
 protected:
  // Expects the same outputs of `command` after export and import.
  void expect_back(const std::string& task, const std::string& model, const Arguments& command,
                   const std::string& input) {
    SCOPED_TRACE(task + " / " + model);
    train(task, model);
    output({"export", "a", "out", "--overwrite"});
    expect_imported(command, input);
  }
  void expect_imported(const Arguments& command, const std::string& input) {
    output({"import", "out", "--run", "b", "--overwrite"});
    Arguments of_a{command.front(), "a", "--json"};
    of_a.insert(of_a.end(), command.begin() + 1, command.end());
    Arguments of_b = of_a;
    of_b[1] = "b";
    const std::string own = output(of_a, input);
    EXPECT_FALSE(own.empty());
    EXPECT_EQ(output(of_b, input), own);
  }
  // Pairs of equal length. With `capitals` the target is in capitals, for a separate vocabulary.
  std::string pairs(bool capitals = false) {
    std::string target = text_content;
    std::ranges::transform(target, target.begin(), [&](char letter) {
      return capitals && letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
    std::ofstream(here / "source") << text_content;
    std::ofstream(here / "target") << target;
    return "name: parallel_text, train_source: source, train_target: target, validation_source: "
           "source, validation_target: target, max_length: 40, tokenizer: ";
  }

  // A table of words and labels.
  std::string tagged() {
    std::ofstream file(here / "columns");
    for (int sentence = 0; sentence < 20; ++sentence) {
      file << "a O\ndog ANIMAL\nsees O\n\nit O\nis O\nmoss PLANT\n\n";
    }
    return "name: tagged_text, train_columns: columns, validation_columns: columns";
  }

  const std::vector<std::string> tokenizers{"word",
                                            "character",
                                            "byte",
                                            "byte_bpe, vocabulary: 270",
                                            "word_piece, vocabulary: 30",
                                            "bpe, vocabulary: 22",
                                            "unigram, vocabulary: 20"};
  const std::string lines = "a dog\nit see\n";
  const std::string bert = "preset: bert, family: encoder";
  const std::string albert = bert + ", layer_groups: 1, d_embedding: 8";
};

TEST_F(RoundTrip, is_exact_with_every_tokenizer) {
  for (const std::string& tokenizer : tokenizers) {
    const std::string running = text(tokenizer) + ", documents: line";
    expect_back(running, "preset: gpt2, family: decoder", {"score"}, lines);
    for (const std::string& documents : {text(tokenizer), running}) {
      expect_back(documents, bert, {"fill"}, "a <mask> s\n");
    }
    expect_back(pairs() + tokenizer, "preset: vaswani", {"translate"}, lines);
    expect_back(pairs() + tokenizer, "preset: gpt2, family: decoder", {"translate"}, lines);
    expect_back(pairs() + tokenizer, bert, {"translate"}, lines);
    expect_back(pairs(true) + tokenizer + ", joint_vocabulary: false", bert, {"translate"}, lines);
  }
  expect_back(pairs() + "word, joint_vocabulary: false",
              "preset: vaswani, tie_embeddings: target_output", {"translate"}, lines);
}

// The form of Tokenizer.save in the package tokenizers 0.23, and in another key order.
TEST_F(RoundTrip, is_exact_if_tokenizer_json_was_saved_again) {
  for (const std::string& tokenizer : tokenizers) {
    SCOPED_TRACE(tokenizer);
    train(pairs(true) + tokenizer + ", joint_vocabulary: false", bert);
    output({"export", "a", "out", "--overwrite"});
    for (const fs::path& file : {here / "out/tokenizer.json", here / "out/target/tokenizer.json"}) {
      Json saved = Json::parse(content_of(file));  // keys are sorted
      for (Json& merge : saved["model"]["merges"]) {
        const auto pair = merge.get<std::string>();
        const std::size_t blank = pair.find(' ');
        merge = Json::array({pair.substr(0, blank), pair.substr(blank + 1)});
      }
      std::ofstream(file) << saved.dump();
    }
    expect_imported({"translate"}, lines);
  }
}

TEST_F(RoundTrip, is_exact_with_every_architecture) {
  const std::string running = text("word") + ", documents: line";
  expect_back(running, "preset: llama, family: decoder", {"score"}, lines);
  expect_back(text("word"), albert, {"fill"}, "a <mask> sees\n");
  for (const std::string& model :
       {albert, bert, std::string("preset: gpt2, family: decoder, tie_embeddings: none"),
        std::string("preset: llama, family: decoder, tie_embeddings: none")}) {
    expect_back(labelled() + ", tokenizer: word", model, {"classify"}, "a cat\na tree\n");
  }
  for (const std::string& model : {std::string("preset: llama, family: decoder"), bert, albert}) {
    expect_back(copy, model, {"translate"}, "1 2 3\n");
  }
  for (const std::string& model : {bert, albert, bert + ", bias_output: true"}) {
    expect_back(tagged(), model, {"translate"}, lines);
    EXPECT_THAT(content_of(here / "b" / "config.yaml"), HasSubstr("name: tagged_text"));
  }
}

// Reads words with labels from a table, or line by line.
TEST_F(RoundTrip, of_labels_reads_data_again) {
  const auto measured = [&](const std::string& run_of, const Arguments& more) {
    const Arguments arguments =
        Arguments{"evaluate", run_of, "--split", "validation", "--json"} + more;
    Json figures = Json::parse(output(arguments));
    figures.erase("seconds");
    return figures;
  };
  train(tagged(), bert);
  output({"export", "a", "out"});
  output({"import", "out", "--run", "b", "--text", "columns"});
  EXPECT_EQ(measured("b", {"--other-data"}), measured("a", {}));
  output({"train", "b/config.yaml", "--run", "c", "--set", "model.init_from=b", "--set",
          "training.steps=1"});
  train(pairs() + "character", bert);
  output({"export", "a", "out", "--overwrite"});
  output({"import", "out", "--run", "b", "--overwrite", "--text", "source", "--target-text",
          "target"});
  EXPECT_EQ(measured("b", {"--other-data"}), measured("a", {}));
}

}}  // namespace tapehead
