// BLEU and chrF: every figure of every corpus of the fixture equals sacreBLEU's.
#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/corpus_scores.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr double tolerance = 1e-9;

// Written by scripts/make_fixtures.py.
const Json& fixture() {
  static const Json json = Json::parse(read_file(TAPEHEAD_FIXTURES "/sacrebleu/corpora.json"));
  return json;
}

EvaluationOptions options_of(const std::string& variant) {
  const std::string name = variant.substr(0, variant.find('/'));
  EvaluationOptions options{.lowercase = variant.ends_with("/lc")};
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

// Calls compare(hypotheses, references, options, signature, figures) for each corpus and variant.
template <class Compare>
void for_each_corpus(const std::string& metric, const Compare& compare) {
  for (const Json& corpus : fixture().at("corpora")) {
    const std::vector<std::string> hypotheses = corpus.at("hypotheses");
    const std::vector<std::string> references = corpus.at("references");
    std::size_t number = 0;
    for (const auto& [variant, signature] : fixture().at("signatures").at(metric).items()) {
      SCOPED_TRACE("corpus `" + corpus.at("name").get<std::string>() + "`, " + variant);
      compare(hypotheses, references, options_of(variant), signature.template get<std::string>(),
              corpus.at(metric).at(number++));
    }
    EXPECT_EQ(number, corpus.at(metric).size());
  }
}

TEST(SacreBleu, the_fixture_is_whole) {
  EXPECT_EQ(fixture().at("sacrebleu"), "2.6.0");
  EXPECT_GE(fixture().at("corpora").size(), 200U);
  EXPECT_EQ(fixture().at("signatures").at("bleu").size(), 8U);
  EXPECT_EQ(fixture().at("signatures").at("chrf").size(), 2U);
}

TEST(SacreBleu, bleu_of_every_corpus_with_every_tokenizer) {
  for_each_corpus("bleu", [](const auto& hypotheses, const auto& references, const auto& options,
                             const std::string& signature, const Json& figures) {
    const BleuScore bleu = corpus_bleu(hypotheses, references, options);
    std::vector<double> found{bleu.score};
    found.insert(found.end(), bleu.precisions.begin(), bleu.precisions.end());
    found.push_back(bleu.brevity_penalty);
    found.push_back(static_cast<double>(bleu.hypothesis_length));
    found.push_back(static_cast<double>(bleu.reference_length));
    EXPECT_THAT(found, Pointwise(DoubleNear(tolerance), figures.get<std::vector<double>>()));
    EXPECT_EQ(bleu_signature(options), signature);
  });
}

TEST(SacreBleu, chrf_of_every_corpus) {
  for_each_corpus("chrf", [](const auto& hypotheses, const auto& references, const auto& options,
                             const std::string& signature, const Json& figure) {
    EXPECT_NEAR(corpus_chrf(hypotheses, references, options), figure.get<double>(), tolerance);
    EXPECT_EQ(chrf_signature(options), signature);
  });
}

}}  // namespace tapehead
