// Alignments: from given weights, from a model whose heads attend to known tokens, and from the
// command.
#include "predict/predictor.hpp"

#include <nlohmann/json.hpp>

#include "tests/support/corpus_training.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"
#include "train/run/checkpoint.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/run_directory.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr Index width = 16;

// The query at position p is strength · e_p (before the norm), the key at p is e_(p - shift).
// Target row p attends most to source row p + shift, or evenly if there is none.
void set_head(ParameterStore& store, Index layer, Index head, Index shift, Scalar strength) {
  const std::string cross = fmt::format("decoder.layers.{}.cross.", layer);
  Tensor query = values_of(store, cross + "query.weight");
  Tensor key = values_of(store, cross + "key.weight");
  for (Index i = 0; i < width; ++i) {
    query.row(head * width + i)[i] = strength;
    if (i + shift < width) {
      key.row(head * width + i)[i + shift] = 1;
    }
  }
}

// Row p of source and target is e_p, and every block gives 0; only cross-attention scores differ.
void make_heads_known(ParameterStore& store) {
  std::ranges::fill(store.values().values(), Scalar{0});
  for (const NamedParameter& parameter : store.parameters()) {
    if (parameter.kind == ParameterKind::gain) {
      Tensor gain = store.value(parameter);
      std::ranges::fill(gain.values(), Scalar{1});
    }
  }
  for (const char* side : {"source.positions", "target.positions"}) {
    Tensor positions = values_of(store, side);
    for (Index i = 0; i < width; ++i) {
      positions.row(i)[i] = 1;
    }
  }
  set_head(store, 0, 0, 0, 2);
  set_head(store, 0, 1, 1, 8);
  set_head(store, 1, 0, 0, 8);
  set_head(store, 1, 1, 0, 0);
}

class KnownAlignment : public SharedRuns<KnownAlignment> {
 public:
  static void prepare() {
    here->output(
        tiny_training("a", {"training.steps=2", "training.warmup=1", "model.d_model=16",
                            "model.d_head=16", "model.heads=2", "model.encoder_layers=0",
                            "model.decoder_layers=2", "model.positions=learned",
                            "model.max_positions=16", "task.max_length=10", "evaluation.every=2"}));
    SavedRun run(*here / "a");
    make_heads_known(run.model.store);
    Metadata metadata = identity_of(run.config, run.tokenizers, run.data).facts;
    metadata["step"] = "0";
    write_tensor_file(RunFiles{run.directory}.best(), weight_entries(run.model.store), metadata);
    std::ofstream(*here / "sources") << "3 1 4\n5 9 2 6\n\n7\n";
    std::ofstream(*here / "targets") << "3 1 4\n5 9\n2 2\n1 1\n";
  }

 protected:
  static std::string alignment(const std::string& heads) {
    const SavedRun run(*here / "a", "best");
    Workers workers(2);
    const AlignmentHeads chosen(run.model.transformer, heads);
    const Predictor predictor(run, workers);
    const std::vector line{predictor.reader().read({.text = "3 1 4", .target = "3 1 4"})};
    const auto scores = predictor.score(line, &chosen);
    return pharaoh_text(scores[0].alignment);
  }
  static ProgramResult score(const Arguments& options) {
    return here->run(Arguments{"score", "a", "--checkpoint", "best", "--source", "sources",
                               "--target", "targets"} +
                     options);
  }
};

// By the strengths in make_heads_known: the second head of layer 0 attends to the next token. For
// the last target token this is the end mark, which does not count; the first of the remaining,
// equal weights wins. This head dominates in layer 0, except for the last token; the mean of all
// four heads follows the diagonal.
TEST_F(KnownAlignment, is_that_of_one_head_or_of_the_mean_of_several) {
  for (const auto& [heads, aligned] :
       {std::pair("decoder.layers.0.cross.0", "0-0 1-1 2-2"),
        {"decoder.layers.0.cross.1", "0-2 1-0 2-1"},
        {"decoder.layers.0.cross", "1-0 2-1 2-2"},
        {"decoder.layers.0.cross.0,decoder.layers.0.cross.1", "1-0 2-1 2-2"},
        {"decoder.layers.0.cross.1,decoder.layers.1.cross.1", "0-2 1-0 2-1"},
        {"all", "0-0 1-1 2-2"}}) {
    EXPECT_EQ(alignment(heads), aligned) << heads;
  }
}

TEST_F(KnownAlignment, is_a_column_of_the_command_and_part_of_its_json) {
  std::vector<std::string> columns;
  for (const std::string& line : lines_of(score({"--align", "all"}).output)) {
    columns.push_back(line.substr(line.rfind('\t') + 1));
  }
  // A source without tokens has no alignment; a single source token is aligned with all targets.
  EXPECT_THAT(columns, ElementsAre("0-0 1-1 2-2", "0-0 1-1", "", "0-0 0-1"));
  const auto lines = lines_of(score({"--align", "decoder.layers.0.cross.1", "--json"}).output);
  EXPECT_EQ(nlohmann::json::parse(lines.at(1))["alignment"].dump(), "[[1,0],[2,1]]");
  EXPECT_THAT(lines_of(score({"--json"}).output).at(1), Not(HasSubstr("alignment")));
}

TEST_F(KnownAlignment, is_refused_where_there_is_none) {
  const SavedRun run(*here / "a", "best");
  for (const std::string heads : {"", "decoder.layers.0.cross.2", "decoder.layers.0.self",
                                  "decoder.layers.0.cross.0,", "3", "All"}) {
    EXPECT_THAT([&] { AlignmentHeads(run.model.transformer, heads); },
                throws<ConfigError>("there is no cross-attention or head",
                                    "decoder.layers.0.cross (2), decoder.layers.1.cross (2)"))
        << heads;
  }
  ParameterStore store;
  ModelOptions options;
  options.family = Family::decoder;
  const Transformer decoder(store.root(), options, 9, 9);
  EXPECT_THAT([&] { AlignmentHeads(decoder, "all"); },
              throws<ConfigError>("the model has no cross-attention"));
  const Arguments pairs{"--source", "sources", "--target", "targets"};
  EXPECT_THAT(here->refusal(2, Arguments{"score", "a", "--align", ""} + pairs),
              HasSubstr("there is no cross-attention or head"));
  EXPECT_THAT(here->refusal(2, {"score", "a", "--align", "all"}),
              HasSubstr("--align aligns sources and targets"));
  EXPECT_THAT(here->refusal(2, Arguments{"score", "a", "a", "--align", "all"} + pairs),
              HasSubstr("--align is about the heads of one model"));
}

TEST_F(KnownAlignment, a_run_of_pairs_answers_what_it_is_for_alone) {
  const SavedRun run(*here / "a", "best");
  Workers workers(1);
  const Predictor predictor(run, workers);
  const auto lines = predictor.read(std::vector<std::string>{"3 1 4"});
  EXPECT_EQ(predictor.translate(lines).size(), 1U);
  EXPECT_THAT([&] { predictor.classify(lines); }, throws<ConfigError>("use `translate"));
  EXPECT_THAT([&] { predictor.fill(lines); }, throws<ConfigError>("use `translate"));
  EXPECT_THAT([&] { predictor.score(lines); },
              throws<ConfigError>("no language model: score targets together with their sources"));
}

// Source and target of a corpus line are equal, and so are their words.
TEST(AlignmentOfSubwords, is_one_of_words) {
  const ProgramDirectory here;
  for (const char* file :
       {"train.en", "train.de", "validation.en", "validation.de", "test.en", "test.de"}) {
    write_text(here / "c" / file, corpus_lines());
  }
  std::ofstream(here / "p.yaml") << corpus_config("c", "bpe, vocabulary: 15");
  here.output({"train", "p.yaml", "--run", "p"});
  const SavedRun run(here / "p");
  const std::string line = "ab cd ef";
  ASSERT_GT(run.tokenizers.source->encode(line).size(), 3U) << "so words have several tokens";
  Workers workers(1);
  const AlignmentHeads heads(run.model.transformer, "all");
  const Predictor predictor(run, workers);
  const std::vector lines{predictor.reader().read({.text = line, .target = line})};
  const auto scores = predictor.score(lines, &heads);
  std::set<Index> targets;
  for (const AlignedPair& pair : scores[0].alignment) {
    EXPECT_LT(pair.source, 3);
    targets.insert(pair.target);
  }
  EXPECT_THAT(targets, ElementsAre(0, 1, 2));
}

// The last row and the last column belong to end marks.
TEST(Alignment, takes_the_largest_weight_of_each_row) {
  const Tensor attention = Tensor::of({4, 3}, {.1F, .2F, .7F,  //
                                               .3F, .3F, .4F,  // the first of equal weights
                                               .0F, .0F, 1.F,  // only the mark has weight
                                               .9F, .1F, .0F});
  EXPECT_EQ(pharaoh_text(aligned_tokens(attention, 3, 2)), "0-1 1-0");
  EXPECT_EQ(pharaoh_text(aligned_tokens(attention, 3, 0)), "");
  // Two words are aligned if any of their tokens are.
  const Alignment tokens{{0, 0}, {1, 1}, {2, 2}, {3, 2}};
  EXPECT_EQ(pharaoh_text(aligned_words(tokens, {0, 0, 1, 2}, {0, 0, 1})), "0-0 1-1 2-1");
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
