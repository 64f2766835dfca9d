// BLEU and chrF: every figure of every corpus of the fixture equals sacreBLEU's.
#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/corpus_scores.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr double tolerance = 1e-9;

struct Corpus {
  explicit Corpus(const Json& json)
      : name(json.at("name")),
        hypotheses(json.at("hypotheses")),
        references(json.at("references")) {}

  std::string name;
  std::vector<std::string> hypotheses;
  std::vector<std::string> references;
};

// Written by scripts/make_fixtures.py.
const Json& fixture() {
  static const Json json = Json::parse(read_file(TAPEHEAD_FIXTURES "/sacrebleu/corpora.json"));
  return json;
}

bool is_lowercase(const std::string& variant) { return variant.ends_with("/lc"); }

EvaluationOptions options_of(const std::string& variant) {
  const std::string name = variant.substr(0, variant.find('/'));
  EvaluationOptions options{.lowercase = is_lowercase(variant)};
  for (const auto tokenizer :
       {BleuTokenizer::none, BleuTokenizer::v13a, BleuTokenizer::intl, BleuTokenizer::character}) {
    if (EnumNames<BleuTokenizer>::names[static_cast<std::size_t>(tokenizer)] == name) {
      options.bleu_tokenizer = tokenizer;
      return options;
    }
  }
  EXPECT_EQ(name, "chrF2") << "the fixture has an unknown variant: " << variant;
  return options;
}

// figures: score, four precisions, brevity penalty, lengths of hypotheses and references.
void expect_bleu(const BleuScore& bleu, const Json& figures) {
  EXPECT_NEAR(bleu.score, figures.at(0).get<double>(), tolerance) << "score";
  for (std::size_t n = 0; n < bleu.precisions.size(); ++n) {
    EXPECT_NEAR(bleu.precisions.at(n), figures.at(n + 1).get<double>(), tolerance)
        << "precision of order " << n + 1;
  }
  EXPECT_NEAR(bleu.brevity_penalty, figures.at(5).get<double>(), tolerance) << "brevity penalty";
  EXPECT_EQ(bleu.hypothesis_length, figures.at(6).get<Index>()) << "hypothesis length";
  EXPECT_EQ(bleu.reference_length, figures.at(7).get<Index>()) << "reference length";
}

TEST(SacreBleu, the_fixture_is_whole) {
  EXPECT_EQ(fixture().at("sacrebleu"), "2.6.0");
  EXPECT_GE(fixture().at("corpora").size(), 200U);
  EXPECT_EQ(fixture().at("signatures").at("bleu").size(), 8U);
  EXPECT_EQ(fixture().at("signatures").at("chrf").size(), 2U);
}

TEST(SacreBleu, bleu_of_every_corpus_with_every_tokenizer) {
  for (const Json& json : fixture().at("corpora")) {
    const Corpus corpus(json);
    std::size_t number = 0;
    for (const auto& [variant, signature] : fixture().at("signatures").at("bleu").items()) {
      SCOPED_TRACE("corpus `" + corpus.name + "`, " + variant);
      const BleuScore bleu = corpus_bleu(corpus.hypotheses, corpus.references, options_of(variant));
      EXPECT_EQ(bleu_signature(options_of(variant)), signature.get<std::string>());
      expect_bleu(bleu, json.at("bleu").at(number++));
    }
    EXPECT_EQ(number, json.at("bleu").size()) << corpus.name;
  }
}

TEST(SacreBleu, chrf_of_every_corpus) {
  for (const Json& json : fixture().at("corpora")) {
    const Corpus corpus(json);
    std::size_t number = 0;
    for (const auto& [variant, signature] : fixture().at("signatures").at("chrf").items()) {
      SCOPED_TRACE("corpus `" + corpus.name + "`, " + variant);
      const double chrf = corpus_chrf(corpus.hypotheses, corpus.references, options_of(variant));
      EXPECT_EQ(chrf_signature(options_of(variant)), signature.get<std::string>());
      EXPECT_NEAR(chrf, json.at("chrf").at(number++).get<double>(), tolerance);
    }
    EXPECT_EQ(number, json.at("chrf").size()) << corpus.name;
  }
}

}}  // namespace tapehead
