// Language models: every command on runs works, results are bit-identical for any threads and after
// a resume, and the run keeps its own copy of the text.
#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead { namespace {

class LanguageModel : public ProgramRuns {
 protected:
  std::string train(const std::string& name, const Arguments& overrides = {},
                    const Arguments& options = {}) {
    return output(text_training(here, name, overrides, options));
  }
  std::string complaint(const Arguments& overrides) {
    const ProgramResult result = run(text_training(here, "b", overrides));
    EXPECT_NE(result.exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(here / "b"));
    return result.errors;
  }
};

TEST_F(LanguageModel, has_the_same_bits_by_any_threads_and_through_a_resume_without_its_text) {
  train("a", {"training.schedule=constant"}, {"--threads", "1"});
  train("b", {"training.schedule=constant", "training.steps=20"}, {"--threads", "2"});
  std::filesystem::remove(here / "text");
  Arguments resumed{"train", "a.yaml", "--run", "b", "--resume", "--threads", "3"};
  set_options(resumed, {"training.steps=40"});
  output(resumed);
  expect_same_runs(here / "a", here / "b");
}

TEST_F(LanguageModel, that_sees_documents_apart_goes_on_where_it_was_stopped) {
  for (const auto& [tokenizer, vocabulary] : {std::pair{"bpe", 100}, std::pair{"byte_bpe", 300}}) {
    const Arguments lines{"training.schedule=constant", "task.documents=line",
                          fmt::format("task.tokenizer={}", tokenizer),
                          fmt::format("task.vocabulary={}", vocabulary)};
    Arguments fewer = lines;
    fewer.emplace_back("training.steps=20");
    const std::string whole = fmt::format("{}_whole", tokenizer);
    train(whole, lines);
    train(tokenizer, fewer);
    Arguments resumed{"train", "a.yaml", "--run", tokenizer, "--resume"};
    set_options(resumed, {"training.steps=40"});
    output(resumed);
    expect_same_runs(here / whole, here / tokenizer);
  }
}

// The model may write single bytes, so its output need not be UTF-8.
TEST_F(LanguageModel, of_merged_bytes_goes_on_with_any_text) {
  train("a", {"task.tokenizer=byte_bpe", "task.vocabulary=300"});
  const std::string prompt = "  zwölf 狗's\t";
  EXPECT_THAT(output({"generate", "a", "--prompt", prompt, "--max-tokens", "8"}),
              StartsWith(prompt));
}

// From the loss per token, by definition: bits of all tokens per byte, and nats per word.
TEST_F(LanguageModel, is_evaluated_by_token_byte_and_word) {
  train("a", {"task.validation_text=" TAPEHEAD_FIXTURES "/text/validation.en"});
  const auto json =
      nlohmann::json::parse(output({"evaluate", "a", "--split", "validation", "--json"}));
  const std::string text = content_of(TAPEHEAD_FIXTURES "/text/validation.en");
  std::istringstream words(text);
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  const double loss = json["loss"];
  const auto bytes = static_cast<double>(text.size() - 1);  // without the last line end
  const double nats = loss * (bytes + 1);                   // ASCII text and an end mark
  EXPECT_NEAR(json["bits_per_byte"], nats / bytes / std::numbers::ln2, 1e-6);
  EXPECT_NEAR(std::log(json["word_perplexity"].get<double>()), nats / static_cast<double>(count),
              1e-6);
  EXPECT_FALSE(json.contains("bleu"));
}

// With a stride, all windows but the first have fewer labels; the total is the same.
TEST_F(LanguageModel, is_evaluated_with_any_stride) {
  train("a");
  const auto evaluated = [&](const Arguments& stride) {
    const Arguments arguments =
        Arguments{"evaluate", "a", "--split", "validation", "--json"} + stride;
    return nlohmann::json::parse(output(arguments));
  };
  const auto usual = evaluated({});
  const auto same = evaluated({"--stride", "24"});
  const auto overlapping = evaluated({"--stride", "4"});
  EXPECT_EQ(same["loss"], usual["loss"]);
  EXPECT_NE(overlapping["loss"], usual["loss"]);
  EXPECT_GT(overlapping["examples"], 5 * usual["examples"].get<int>());
  EXPECT_TRUE(overlapping.contains("bits_per_byte")) << "so each token has a label once";
  EXPECT_EQ(run({"evaluate", "a", "--split", "validation", "--stride", "25"}).exit_code, 2);
  EXPECT_EQ(run({"evaluate", "a", "--split", "validation", "--beam", "2"}).exit_code, 2);
}

// Killed between the files of its text, the run reads the text again.
TEST_F(LanguageModel, that_was_killed_while_it_began_can_be_resumed) {
  train("a", {"training.schedule=constant"});
  train("b", {"training.schedule=constant", "training.steps=20"});
  std::filesystem::remove(here / "b/tokens/validation.tokens");
  Arguments resumed{"train", "a.yaml", "--run", "b", "--resume"};
  set_options(resumed, {"training.steps=40"});
  output(resumed);
  EXPECT_TRUE(std::filesystem::exists(here / "b/tokens/validation.tokens"));
  expect_same_runs(here / "a", here / "b");
}

TEST_F(LanguageModel, is_not_resumed_with_another_text) {
  train("a");
  Arguments resumed{"train", "a.yaml", "--run", "a", "--resume"};
  set_options(resumed, {"training.steps=50", "task.validation_share=0.3"});
  const ProgramResult result = run(resumed);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.errors, HasSubstr("other data"));
}

TEST_F(LanguageModel, is_examined_planned_and_pruned) {
  train("a", {"run.report=true", "model.layers=2"});
  EXPECT_THAT(content_of(here / "a/report.html"), HasSubstr("decoder.layers.0.self"));
  const auto heads = nlohmann::json::parse(output({"heads", "a", "--importance", "--json"}));
  EXPECT_EQ(heads["attentions"].size(), 2U);
  output({"prune", "a", "c", "--head", "decoder.layers.0.self.2"});
  output({"generate", "c", "--max-tokens", "5"});
  EXPECT_THAT(output({"plan", "a.yaml"}), HasSubstr("decoder self-attention"));
  EXPECT_THAT(output({"gradcheck", "a.yaml"}), HasSubstr("all gradients are right"));
}

// The text is a single document, so no mark is read before it.
TEST_F(LanguageModel, pruned_of_no_head_is_the_same_and_keeps_its_text) {
  train("a");
  output({"prune", "a", "c", "--count", "0"});
  std::ofstream(here / "lines") << "a man\ntwo men are\n";
  EXPECT_EQ(output({"score", "c", "--input", "lines"}), output({"score", "a", "--input", "lines"}));
  std::filesystem::remove(here / "text");
  std::filesystem::create_directory(here / "elsewhere");
  const ProgramResult evaluated =
      run_program({"evaluate", "../c", "--split", "validation"}, here / "elsewhere");
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.errors;
}

TEST_F(LanguageModel, that_has_lost_its_text_is_not_taken_for_another) {
  train("a");
  std::filesystem::remove_all(here / "a/tokens");
  std::ofstream(here / "lines") << "a man\n";
  for (const Arguments& arguments :
       {Arguments{"generate", "a"}, Arguments{"score", "a", "--input", "lines"},
        Arguments{"export", "a", "e", "--as", "pytorch"}}) {
    EXPECT_THAT(refusal(1, arguments),
                HasSubstr("there is no a/tokens/train.tokens, without which"));
  }
}

TEST_F(LanguageModel, is_swept) {
  train("a");
  std::ofstream(here / "sweep.yaml") << "config: a.yaml\nseeds: 2\nset: {training.steps: 12}\n"
                                        "axes: {model.heads: [1, 2]}\n"
                                        "metric: bits_per_byte\nsplit: validation\n";
  EXPECT_THAT(output({"sweep", "sweep.yaml", "--run", "s"}),
              HasSubstr("bits_per_byte of validation"));
}

TEST_F(LanguageModel, generates_the_same_text_by_any_threads_and_alone) {
  train("a");
  std::ofstream(here / "prompts") << "a man\ntwo\n\ntwo men are\n";
  const Arguments sampled{"generate",     "a",  "--prompts", "prompts", "--count", "5",
                          "--max-tokens", "40", "--json"};
  const auto with_threads = [&](const char* threads) {
    Arguments arguments = sampled;
    arguments.insert(arguments.end(), {"--threads", threads});
    return output(arguments);
  };
  const std::string all = with_threads("1");
  EXPECT_EQ(all, with_threads("3"));
  const auto first = nlohmann::json::parse(lines_of(all).front());
  EXPECT_EQ(first["prompt"], "a man");
  EXPECT_EQ(first["tokens"], 40);
  EXPECT_EQ(first["slid"], true);  // context of 24
  const std::string alone = output({"generate", "a", "--prompt", "a man", "--max-tokens", "40"});
  EXPECT_EQ(alone, "a man" + first["text"].get<std::string>() + "\n");
  EXPECT_NE(output({"generate", "a", "--prompt", "a man", "--max-tokens", "40", "--seed", "2"}),
            alone);
}

// A generated word is preceded by a space, except at the start of a text.
TEST_F(LanguageModel, goes_on_from_each_prompt_as_from_it_alone) {
  train("a", {"task.tokenizer=word"});
  std::ofstream(here / "prompts") << "a man\n\n";
  const auto written = [&](const std::string& option, const std::string& value) {
    return output({"generate", "a", option, value, "--max-tokens", "5", "--temperature", "0",
                   "--json", "--threads", "1"});
  };
  const std::vector<std::string> lines = lines_of(written("--prompts", "prompts"));
  ASSERT_EQ(lines.size(), 2U);
  for (const std::string& line : lines) {
    const auto text = nlohmann::json::parse(line);
    EXPECT_EQ(text["text"], nlohmann::json::parse(written("--prompt", text["prompt"]))["text"]);
  }
}

TEST_F(LanguageModel, says_how_varied_its_texts_are) {
  train("a");
  const ProgramResult several = run({"generate", "a", "--count", "3", "--json"});
  std::vector<std::string> texts;
  for (const std::string& line : lines_of(several.output)) {
    const auto sample = nlohmann::json::parse(line);
    texts.push_back(sample["text"]);
    const auto [words, pairs] = distinct_ngrams({&texts.back(), 1});
    EXPECT_EQ(sample["distinct_1"], words);
    EXPECT_EQ(sample["distinct_2"], pairs);
  }
  const auto [words, pairs] = distinct_ngrams(texts);
  EXPECT_THAT(several.errors, HasSubstr(fmt::format("3 texts: distinct-1 {:.3f}, distinct-2 {:.3f}",
                                                    words, pairs)));
  EXPECT_THAT(run({"generate", "a"}).errors, Not(HasSubstr("distinct")));
  const auto evaluation =
      nlohmann::json::parse(lines_of(content_of(here / "a/metrics.jsonl")).back());
  EXPECT_EQ(evaluation["distinct_1"],
            distinct_ngrams(evaluation["samples"].get<std::vector<std::string>>())[0]);
}

TEST_F(LanguageModel, stops_generating_at_a_text) {
  train("a");
  const auto whole =
      nlohmann::json::parse(output({"generate", "a", "--max-tokens", "30", "--json"}));
  const std::string text = whole["text"];
  const std::string stop = text.substr(10, 2);
  const auto cut = nlohmann::json::parse(
      output({"generate", "a", "--max-tokens", "30", "--json", "--stop", stop}));
  EXPECT_EQ(cut["text"], text.substr(0, text.find(stop)));
  EXPECT_EQ(cut["end"], "stop");
  const ProgramResult never =
      run({"generate", "a", "--max-tokens", "30", "--stop", "no such text"});
  EXPECT_EQ(never.exit_code, 0);
  EXPECT_THAT(never.errors, HasSubstr("ended after 30 tokens without the stop text"));
}

TEST_F(LanguageModel, searches_with_a_beam_for_a_likely_text) {
  train("a");
  const auto probability_of = [&](const char* option, const char* value) {
    return nlohmann::json::parse(output({"generate", "a", "--prompt", "a ", "--max-tokens", "12",
                                         "--json", option, value}))["log_probability"]
        .get<double>();
  };
  EXPECT_GE(probability_of("--beam", "8"), probability_of("--beam", "1"));
  // Samples have the model's probability too, so searches and samples are comparable.
  EXPECT_LT(probability_of("--temperature", "0"), 0);
  EXPECT_LT(probability_of("--top-k", "1"), 0);
  for (const char* option : {"--top-k", "--seed"}) {
    const ProgramResult both = run({"generate", "a", "--beam", "2", option, "3"});
    EXPECT_EQ(both.exit_code, 2) << option;
    EXPECT_THAT(both.errors, HasSubstr("--beam searches and does not sample"));
  }
}

TEST_F(LanguageModel, warns_of_what_it_cannot_read_of_a_prompt) {
  train("a");
  const ProgramResult unknown = run({"generate", "a", "--prompt", "漢 a", "--max-tokens", "3"});
  EXPECT_EQ(unknown.exit_code, 0);
  EXPECT_THAT(unknown.errors, HasSubstr("1 of 3 tokens is unknown to its vocabulary"));
  const ProgramResult longer =
      run({"generate", "a", "--prompt", std::string(30, 'a'), "--max-tokens", "3"});
  EXPECT_THAT(longer.errors,
              HasSubstr("the command line:1: 30 tokens; the model reads 12 of them"));
}

// A line is read after a line end, like a sample without a prompt.
TEST_F(LanguageModel, scores_lines_as_it_would_draw_them) {
  train("a");
  const auto samples =
      lines_of(output({"generate", "a", "--max-tokens", "12", "--count", "50", "--json"}));
  const auto one_line = std::ranges::find_if(samples, [](const std::string& sample) {
    return nlohmann::json::parse(sample)["text"].get<std::string>().find('\n') == std::string::npos;
  });
  ASSERT_NE(one_line, samples.end());
  const auto drawn = nlohmann::json::parse(*one_line);
  std::ofstream(here / "lines") << drawn["text"].get<std::string>() << "\n\n"
                                << std::string(60, 'a') << "\n";  // longer than the context
  const std::vector<std::string> scored =
      lines_of(output({"score", "a", "--input", "lines", "--json"}));
  const auto line = nlohmann::json::parse(scored.front());
  EXPECT_NEAR(line["log_probability"], drawn["log_probability"], 1e-4);  // single precision
  EXPECT_EQ(line["tokens"].size(), 12U);
  EXPECT_EQ(nlohmann::json::parse(scored.at(1))["log_probability"], 0);
  EXPECT_EQ(nlohmann::json::parse(scored.at(2))["tokens"].size(), 60U);
}

TEST_F(LanguageModel, scores_every_line_of_its_input_and_warns_of_broken_ones) {
  train("a");
  Program program({"score", "a"}, here.path());
  program.write(
      "a\na\xff"
      "b\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // simulates a slow pipe
  program.write("a\n");
  const ProgramResult scored = program.wait();
  EXPECT_EQ(scored.exit_code, 0) << scored.errors;
  EXPECT_EQ(lines_of(scored.output).size(), 3U);
  EXPECT_THAT(scored.errors,
              HasSubstr("warning: standard input:2: byte 2 (0xFF) is not valid UTF-8"));
}

// The scores agree with an evaluation, whose loss is the mean per token.
TEST_F(LanguageModel, scores_pairs_with_the_loss_of_an_evaluation) {
  for (const char* file :
       {"train.en", "train.de", "validation.en", "validation.de", "test.en", "test.de"}) {
    write_text(here / "c" / file, corpus_lines());
  }
  std::ofstream(here / "p.yaml") << corpus_config("c", "word");
  output({"train", "p.yaml", "--run", "p"});
  const auto evaluated = nlohmann::json::parse(output({"evaluate", "p", "--json"}));
  double log_probability = 0;
  double tokens = 0;
  for (const std::string& line : lines_of(
           output({"score", "p", "--source", "c/test.en", "--target", "c/test.de", "--json"}))) {
    const auto scored = nlohmann::json::parse(line);
    log_probability += scored["log_probability"].get<double>();
    tokens += static_cast<double>(scored["tokens"].size());
  }
  EXPECT_NEAR(-log_probability / tokens, evaluated["loss"], 1e-5);
  EXPECT_EQ(run({"score", "p", "--input", "c/test.en"}).exit_code, 2);
  EXPECT_EQ(run({"score", "p", "--source", "c/test.en"}).exit_code, 2);
  std::ofstream(here / "one") << "ab\n";
  EXPECT_THAT(run({"score", "p", "--source", "c/test.en", "--target", "one"}).errors,
              HasSubstr("there are 60 sources and 1 targets"));
  std::ofstream long_lines(here / "long");
  long_lines << "ab\n";
  for (int i = 0; i < 3000; ++i) {
    long_lines << "ab ";
  }
  long_lines.close();
  EXPECT_THAT(refusal(1, {"score", "p", "--source", "long", "--target", "long"}),
              HasSubstr("long:2: the pair has 3001 tokens with its mark"));
}

TEST_F(LanguageModel, is_refused_where_it_cannot_be_trained) {
  EXPECT_THAT(complaint({"task.context=100000", "model.max_positions=100000"}),
              HasSubstr("fewer than task.context (100000)"));
  EXPECT_THAT(complaint({"task.context=25"}),
              HasSubstr("too few positions for windows of 25 tokens (24; allowed: 25 or more)"));
  EXPECT_THAT(complaint({"model.family=encoder_decoder"}),
              HasSubstr("running text has no source and target"));
  EXPECT_THAT(complaint({"model.prefix=full"}), HasSubstr("running text has no source"));
  EXPECT_THAT(complaint({"evaluation.metric=bleu"}),
              HasSubstr("bleu is not measured for this task (allowed: loss, perplexity"));
  EXPECT_THAT(complaint({"evaluation.beam=2"}), HasSubstr("evaluation.beam"));
  EXPECT_THAT(complaint({"evaluation.stride=25"}), HasSubstr("allowed: 1 to 24"));
  EXPECT_THAT(complaint({"task.train_text=none"}), HasSubstr("there is no file none in "));
}

TEST_F(LanguageModel, with_a_damaged_text_is_refused_and_names_the_file) {
  train("a");
  std::string tokens = content_of(here / "a/tokens/train.tokens");
  tokens[tokens.size() / 2] = static_cast<char>(tokens[tokens.size() / 2] ^ 1);
  write_file_atomically(here / "a/tokens/train.tokens", tokens);
  EXPECT_THAT(refusal(1, {"evaluate", "a", "--split", "validation"}),
              AllOf(HasSubstr("a/tokens/train.tokens is damaged"), Not(HasSubstr("--data"))));
}

}}  // namespace tapehead
