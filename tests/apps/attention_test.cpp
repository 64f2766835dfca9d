// `tapehead attention`: the numbers of every head for a text, in each output form and model family.
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/labelled_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

class AttentionOfText : public ProgramRuns {
 protected:
  Json json(Arguments arguments) {
    arguments.insert(arguments.begin(), "attention");
    arguments.emplace_back("--json");
    return Json::parse(output(arguments));
  }
  std::string complaint(Arguments arguments) {
    arguments.insert(arguments.begin(), "attention");
    const ProgramResult result = here.run(arguments);
    EXPECT_NE(result.exit_code, 0) << result.output;
    return result.errors;
  }
};

// Each query's weights are the softmax of its scores; a score of null is -inf.
void expect_softmax(const Json& head) {
  ASSERT_EQ(head["weights"].size(), head["scores"].size());
  for (std::size_t i = 0; i < head["weights"].size(); ++i) {
    double sum = 0;
    for (const Json& score : head["scores"][i]) {
      sum += score.is_null() ? 0 : std::exp(score.get<double>());
    }
    for (std::size_t j = 0; j < head["weights"][i].size(); ++j) {
      const Json& score = head["scores"][i][j];
      const double expected = score.is_null() ? 0 : std::exp(score.get<double>()) / sum;
      EXPECT_NEAR(head["weights"][i][j].get<double>(), expected, 1e-6);  // computed in float
    }
  }
}

TEST_F(AttentionOfText, says_what_each_head_does_and_what_comes_out) {
  output(tiny_training("a"));
  const Json said = json({"a", "1 2 3"});
  EXPECT_EQ(said["format"], "tapehead attention");
  EXPECT_EQ(said["version"], 1);
  EXPECT_EQ(said["source_tokens"], Json({"1", "2", "3", "</s>"}));
  EXPECT_EQ(said["generated"], true);
  ASSERT_EQ(said["attentions"].size(), 3U);
  EXPECT_EQ(said["attentions"][2]["attention"], "decoder.layers.0.cross");
  EXPECT_EQ(said["attentions"][2]["queries"], "target");
  EXPECT_EQ(said["attentions"][2]["keys"], "source");
  for (const Json& attention : said["attentions"]) {
    const auto queries = said[attention["queries"].get<std::string>() + "_tokens"].size();
    const auto keys = said[attention["keys"].get<std::string>() + "_tokens"].size();
    EXPECT_EQ(attention["heads"].size(), 4U);
    for (const Json& head : attention["heads"]) {
      EXPECT_EQ(head["weights"].size(), queries);
      EXPECT_EQ(head["weights"][0].size(), keys);
      EXPECT_EQ(head["outputs"].size(), queries);
      EXPECT_EQ(head["outputs"][0].size(), 4U);  // d_model 16, 4 heads
      expect_softmax(head);
    }
  }
  EXPECT_EQ(output({"attention", "a", "1 2 3", "--target", said["target"]}).find("output:"),
            std::string::npos);
  EXPECT_EQ(json({"a", "1 2 3", "--target", said["target"]})["attentions"], said["attentions"]);
  EXPECT_EQ(json({"a", "1 2 3", "--target", "5"})["target_tokens"], Json({"<s>", "5"}));
}

TEST_F(AttentionOfText, has_the_same_bits_in_each_form) {
  output(tiny_training("a"));
  const Json all = json({"a", "1 2 3", "--without", "decoder.layers.0.cross.2"});
  output(
      {"attention", "a", "1 2 3", "--output", "all.json", "--without", "decoder.layers.0.cross.2"});
  EXPECT_EQ(Json::parse(content_of(here / "all.json")), all);
  const Json few =
      json({"a", "1 2 3", "--output", "a.safetensors", "--without", "decoder.layers.0.cross.2"});
  EXPECT_EQ(few["attentions"][0]["heads"], 4);
  const TensorFile file(here / "a.safetensors");
  EXPECT_EQ(Json::parse(file.metadata("tapehead")), few);
  EXPECT_NE(file.find("without.logits"), nullptr);
  EXPECT_EQ(file.entry("logits").shape, file.entry("without.logits").shape);
  std::size_t tensors = 2;
  for (const Json& attention : all["attentions"]) {
    for (std::size_t head = 0; head < attention["heads"].size(); ++head) {
      for (const std::string kind : {"weights", "scores", "outputs"}) {
        const Json& rows = attention["heads"][head][kind];
        const TensorEntry& entry = file.entry(
            fmt::format("{}.{}.{}", attention["attention"].get<std::string>(), head, kind));
        std::vector<float> numbers(entry.bytes.size() / sizeof(float));
        copy_values(entry, numbers);
        std::vector<float> printed;
        for (const Json& row : rows) {
          for (const Json& one : row) {
            printed.push_back(one.is_null() ? -std::numeric_limits<float>::infinity()
                                            : one.get<float>());
          }
        }
        EXPECT_EQ(numbers, printed);
        ++tensors;
      }
    }
  }
  EXPECT_EQ(file.entries().size(), tensors);
}

TEST_F(AttentionOfText, shows_tables_and_writes_a_page) {
  output(tiny_training("a"));
  const std::string text = output({"attention", "a", "1 2 3"});
  for (const std::string part :
       {"encoder.layers.0.self\n", "query  head 0", "row  reads  predicts, %", "output: "}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  std::ofstream(here / "text") << "1 2 3\n";
  EXPECT_EQ(output({"attention", "a", "--input", "text"}), text);
  EXPECT_THAT(output({"attention", "a", "1 2 3", "--output", "a.html"}), HasSubstr("a.html\n"));
  EXPECT_THAT(content_of(here / "a.html"), HasSubstr("\"source_tokens\":[\"1\",\"2\",\"3\""));
}

TEST_F(AttentionOfText, page_has_the_predictions_with_and_without_heads) {
  output(tiny_training("a"));
  const Arguments arguments{"a", "1 2 3", "--without", "decoder.layers.0.cross.0"};
  const Json said = json(arguments);
  output(
      {"attention", "a", "1 2 3", "--without", "decoder.layers.0.cross.0", "--output", "a.html"});
  const Json page = visit(here / "a.html", R"(
    const texts = (selector) => [...document.querySelectorAll('#predictions ' + selector)].map((one) => one.textContent);
    return {columns: texts('th'), cells: texts('td'), remarks: texts('.remark')};)");
  EXPECT_EQ(page["columns"],
            Json({"row", "reads", "label", "predicts", "without decoder.layers.0.cross.0"}));
  ASSERT_EQ(page["cells"].size(), 5 * said["predictions"].size());
  const auto shown = [](const Json& prediction) {
    const Json& best = prediction["best"][0];
    return fmt::format("{} {:.1f} %", best["token"].get<std::string>(),
                       100 * best["probability"].get<double>());
  };
  EXPECT_EQ(page["cells"][3], shown(said["predictions"][0]));
  EXPECT_EQ(page["cells"][4], shown(said["without"]["predictions"][0]));
  EXPECT_THAT(page["remarks"][1].get<std::string>(),
              HasSubstr(said["without"]["target"].get<std::string>()));
}

// A page of 200 tokens works: the maps are drawn, and a click on a token shows its row.
TEST_F(AttentionOfText, page_of_a_long_text_works_in_a_browser) {
  output(tiny_training("a", {"model.max_positions=210"}));
  std::string text = "1";
  for (int i = 1; i < 199; ++i) {
    text += fmt::format(" {}", 1 + i % 9);
  }
  output({"attention", "a", text, "--target", text, "--output", "a.html"});
  const Json page = visit(here / "a.html", R"(
    const count = (selector) => document.querySelectorAll(selector).length;
    const found = {tokens: count('.lines .token'), small: count('.small-map'), large: count('.large-map')};
    document.querySelector('.lines .query [data-side=source][data-position="150"]').click();
    const title = document.querySelector('.row h3').textContent;
    document.querySelector('.head[aria-pressed=false]').click();
    return {...found, title, row: count('.row td') > 0, after: count('.large-map')};)");
  EXPECT_EQ(page["tokens"], 3 * 2 * 200);  // two columns per attention
  EXPECT_EQ(page["small"], 12);            // four heads per attention
  EXPECT_EQ(page["large"], 3);             // the surest head per attention
  EXPECT_EQ(page["after"], 4);
  EXPECT_EQ(page["title"], "Largest weights of “7” at position 151");  // 1 + 150 % 9
  EXPECT_TRUE(page["row"]);
}

TEST_F(AttentionOfText, shows_what_comes_out_without_heads) {
  output(tiny_training("a"));
  const Json said = json({"a", "1 2 3", "--without", "decoder.layers.0.cross.0", "--without",
                          "decoder.layers.0.cross.1", "--without", "decoder.layers.0.cross.2",
                          "--without", "decoder.layers.0.cross.3"});
  EXPECT_EQ(said["without"]["heads"].size(), 4U);
  EXPECT_EQ(said["without"]["predictions"].size(), said["predictions"].size());
  EXPECT_NE(said["without"]["predictions"], said["predictions"]);
  // Without cross-attention, the decoder does not depend on the source.
  const Json other =
      json({"a", "7 8", "--target", said["without"]["target"], "--without",
            "decoder.layers.0.cross.0", "--without", "decoder.layers.0.cross.1", "--without",
            "decoder.layers.0.cross.2", "--without", "decoder.layers.0.cross.3"});
  EXPECT_EQ(other["without"]["predictions"][0]["best"], said["without"]["predictions"][0]["best"]);
  EXPECT_THAT(output({"attention", "a", "1 2 3", "--without", "decoder.layers.0.cross.0"}),
              AllOf(HasSubstr("without, %"), HasSubstr("without decoder.layers.0.cross.0: ")));
}

TEST_F(AttentionOfText, shows_what_comes_out_if_heads_look_by_distance) {
  output(tiny_training("a"));
  const Json said =
      json({"a", "1 2 3", "--without", "decoder.layers.0.cross.0", "--with-pattern", "4 5"});
  EXPECT_EQ(said["without"]["pattern"], "4 5");
  EXPECT_EQ(said["without"]["predictions"].size(), said["predictions"].size());
  EXPECT_NE(said["without"]["predictions"], said["predictions"]);
  EXPECT_NE(
      said["without"]["predictions"],
      json({"a", "1 2 3", "--without", "decoder.layers.0.cross.0"})["without"]["predictions"]);
  EXPECT_THAT(
      output({"attention", "a", "1 2 3", "--without", "decoder.layers.0.cross.0", "--with-pattern",
              "4 5"}),
      AllOf(HasSubstr("by distance, %"), HasSubstr("by distance decoder.layers.0.cross.0: ")));
  EXPECT_THAT(complaint({"a", "1 2", "--with-pattern", "4 5"}),
              HasSubstr("--with-pattern requires --without"));
  EXPECT_THAT(
      complaint({"a", "1 2", "--without", "decoder.layers.0.cross.0", "--with-pattern", "x"}),
      HasSubstr("knows no token of the text"));
}

TEST_F(AttentionOfText, reads_running_text_masks_and_classes) {
  output(text_training(here, "causal"));
  const Json causal = json({"causal", "a man"});
  EXPECT_EQ(causal["target_tokens"].size(), 6U);  // a mark or line end, and five characters
  EXPECT_EQ(causal["predictions"].size(), 5U);
  EXPECT_EQ(causal["said_tokens"].back(), "");
  output(text_training(here, "masked", {"model.family=encoder", "model.max_positions=25"}));
  const Json masked = json({"masked", "a m<mask>n"});
  EXPECT_EQ(masked["source_tokens"][4], "<mask>");
  ASSERT_EQ(masked["predictions"].size(), 1U);
  EXPECT_EQ(masked["predictions"][0]["row"], 4);
  EXPECT_EQ(json({"masked", "a man"})["predictions"].size(), 0U);
  output(labelled_training(here, "classes"));
  const Json classes = json({"classes", "a sunny day"});
  EXPECT_EQ(classes["predictions"].size(), 1U);
  EXPECT_EQ(classes["target"], classes["predictions"][0]["best"][0]["token"]);
  EXPECT_EQ(here.run({"attention", "classes", "a hot wind"}).errors, "");
  const std::string longer = "a hot wind" + std::string(600, ' ') + "came";
  output(labelled_training(here, "short", {"task.max_length=3"}));
  EXPECT_THAT(here.run({"attention", "short", longer}).errors,
              HasSubstr("the text is longer than task.max_length"));
}

// The fixture's model never ends this output.
TEST_F(AttentionOfText, of_an_output_that_fills_all_positions_says_that_it_is_cut) {
  output({"import", TAPEHEAD_FIXTURES "/pretrained/marian", "--run", "a", "--token-texts"});
  const ProgramResult seen = here.run({"attention", "a", "v2 v9 v3", "--json"});
  ASSERT_EQ(seen.exit_code, 0) << seen.errors;
  EXPECT_THAT(seen.errors, HasSubstr("warning: the output was cut because it had not ended"));
  const std::string positions = content_of(here / "a/config.yaml");
  const Json said = Json::parse(seen.output);
  EXPECT_THAT(positions,
              HasSubstr(fmt::format("max_positions: {}\n", said["target_tokens"].size())));
  const ProgramResult given =
      here.run({"attention", "a", "v2 v9 v3", "--target", said["target"], "--json"});
  EXPECT_EQ(given.errors, "");
  EXPECT_EQ(Json::parse(given.output)["attentions"], said["attentions"]);
}

TEST_F(AttentionOfText, says_what_is_wrong) {
  output(tiny_training("a", {"model.max_positions=20"}));
  EXPECT_THAT(complaint({"a", "x y"}), HasSubstr("knows no token of the text"));
  EXPECT_THAT(complaint({"a", ""}), HasSubstr("the text has no token"));
  EXPECT_THAT(complaint({"a"}), HasSubstr("give one text"));
  EXPECT_THAT(complaint({"a", "1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2"}),
              HasSubstr("the text has 21 tokens with its mark; the model of a has 20 positions"));
  EXPECT_THAT(complaint({"a", "1 2", "--without", "decoder.layers.3.cross.0"}),
              HasSubstr("decoder.layers.0.cross (4)"));
  EXPECT_THAT(complaint({"a", "1 2", "--without", "cross"}), HasSubstr("is no head"));
  EXPECT_THAT(complaint({"a", "1 2", "--output", "a.txt"}), HasSubstr(".safetensors, .html or"));
  EXPECT_THAT(complaint({"a", "1 2", "--output", "a/config.yaml"}), HasSubstr("must end in"));
  output(text_training(here, "text-run"));
  EXPECT_THAT(complaint({"text-run", "a man", "--target", "b"}), HasSubstr("leave --target out"));
  output(labelled_training(here, "classes"));
  EXPECT_THAT(complaint({"classes", "a sunny day", "--target", "lukewarm"}),
              HasSubstr("there is no class lukewarm; the run's are "));
}

}}  // namespace tapehead
