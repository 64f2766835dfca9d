// Models that are exported and imported again are bit-identical.
#pragma once

#include <nlohmann/json.hpp>

#include "interchange/export.hpp"
#include "interchange/import.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Writes a run's entries and marks as a model's files name them.
void write_token_texts(const Tokenizers& tokenizers, Index their_entries,
                       const std::filesystem::path& directory) {
  const auto write = [&](const Tokenizer& tokenizer, const char* file) {
    nlohmann::json ids;
    for (Index i = 0; i < tokenizer.size(); ++i) {
      ids[tokenizer.entry(static_cast<TokenId>(i))] = i;
    }
    if (their_entries > tokenizer.size()) {
      ids["<mask>"] = tokenizer.size();
    }
    std::ofstream(directory / file) << ids.dump();
  };
  write(*tokenizers.source, "vocab.json");
  if (tokenizers.target->size() == tokenizers.source->size() &&
      !tokenizers.source->shares_file_with(*tokenizers.target)) {
    write(*tokenizers.target, "target_vocab.json");
  }
  const nlohmann::json marks = {{"unk_token", "<unk>"}, {"bos_token", "<s>"},
                                {"cls_token", "<s>"},   {"eos_token", "</s>"},
                                {"sep_token", "</s>"},  {"mask_token", "<mask>"}};
  std::ofstream(directory / "special_tokens_map.json") << marks.dump();
}

class ExportedModel : public TestWithParam<std::string> {};

TEST_P(ExportedModel, has_the_same_bits_when_it_comes_back) {
  const TemporaryDirectory here;
  const auto from = std::filesystem::path(TAPEHEAD_FIXTURES) / "pretrained" / GetParam();
  const Imported first = import_model({.from = from, .run = here / "a", .token_texts = true});
  write_imported(first, here / "a", false);
  const SavedRun run(here / "a");
  const Exported exported = export_model(run);
  write_exported(exported, run, here / "out");
  write_token_texts(run.tokenizers, exported.config["vocab_size"].get<Index>(), here / "out");
  const Imported again =
      import_model({.from = here / "out", .run = here / "a", .token_texts = true});
  EXPECT_EQ(again.model_type, first.model_type);
  EXPECT_EQ(again.config.model.family, first.config.model.family);
  const ParameterStore& ours = first.model->store;
  const ParameterStore& theirs = again.model->store;
  ASSERT_EQ(ours.parameters().size(), theirs.parameters().size());
  for (std::size_t i = 0; i < ours.parameters().size(); ++i) {
    const NamedParameter& one = ours.parameters()[i];
    EXPECT_EQ(theirs.parameters()[i].name, one.name);
    const auto before = ours.value(one).values();
    const auto after = theirs.value(theirs.parameters()[i]).values();
    ASSERT_EQ(before.size(), after.size()) << one.name;
    EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size_bytes()), 0) << one.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, ExportedModel,
                         Values("gpt2", "gpt2_classes", "llama", "llama_tied", "bert",
                                "bert_classes", "albert", "marian", "marian_apart"),
                         [](const auto& of) { return of.param; });

}}}  // namespace tapehead::TAPEHEAD_PRECISION
