// Imported models of transformers: their logits, their loss, and the gradient of each tensor; and
// that they are bit-identical when they are exported and imported again.
#pragma once

#include <nlohmann/json.hpp>

#include "interchange/architecture.hpp"
#include "interchange/export.hpp"
#include "interchange/import.hpp"
#include "interchange/pretrained_files.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/pytorch.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

std::vector<std::int64_t> integers(const TensorFile& file, const std::string& name) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(file.entry(name).shape[0]));
  copy_values(file.entry(name), std::span(numbers));
  return numbers;
}

// The row for an entry of theirs: the last such row (the end mark, if one entry is both marks).
TokenId ours_of(const EntryRows& rows, Index theirs, bool first = false) {
  const auto is_it = [&](const std::optional<Index>& row) { return row == theirs; };
  if (first) {
    return static_cast<TokenId>(std::ranges::find_if(rows.theirs, is_it) - rows.theirs.begin());
  }
  const auto found = std::ranges::find_if(rows.theirs.rbegin(), rows.theirs.rend(), is_it);
  return static_cast<TokenId>(rows.theirs.rend() - found - 1);
}

// The sequence of a reference with tapehead's ids.
Batch reference_batch(const TensorFile& reference, const Imported& imported) {
  const auto ids = integers(reference, "input_ids");
  const auto labels = integers(reference, "labels");
  const EntryRows& rows = imported.rows.target;
  const bool masked = imported.config.model.family == Family::encoder;
  Batch batch;
  batch.examples = {0};
  batch.context.segments = segments_of({0});
  if (reference.find("source_ids") != nullptr) {
    for (const std::int64_t id : integers(reference, "source_ids")) {
      batch.context.ids.push_back(ours_of(imported.rows.source, id));
    }
    batch.context.segments = segments_of({batch.context.rows()});
  }
  batch.input.segments = segments_of({std::ssize(ids)});
  batch.labels.every_row = std::ranges::count(labels, -100) == 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    batch.input.ids.push_back(ours_of(masked ? imported.rows.source : rows, ids[i], i == 0));
    if (imported.purpose == Purpose::tokens && labels[i] >= 0) {
      batch.labels.ids.push_back(ours_of(rows, labels[i]));
      if (!batch.labels.every_row) {
        batch.labels.rows.push_back(static_cast<Index>(i));
      }
    }
  }
  if (imported.purpose == Purpose::classes) {
    // The class label is on the first row of an encoder, or on the last row of a decoder.
    batch.labels.ids = {static_cast<TokenId>(labels[0])};
    batch.labels.rows = {masked ? 0 : batch.input.rows() - 1};
    batch.labels.every_row = false;
  }
  return batch;
}

// Sums the gradients of tapehead's parameters into the tensors of the imported model.
std::map<std::string, Tensor> their_gradients(const Imported& imported,
                                              const ParameterGradients& gradients,
                                              const std::vector<TensorRow>& table,
                                              const TheirConfig& config) {
  const ParameterStore& store = imported.model->store;
  std::map<std::string, Tensor> theirs;
  for (const TensorRow& row : table) {
    if (row.only_written) {
      continue;
    }
    const auto& ours = *std::ranges::find(store.parameters(), row.ours, &NamedParameter::name);
    const Placement placement{row, ours.shape, imported.rows.of(row.entries),
                              config.count("vocab_size")};
    const auto shape = placement.their_shape();
    auto found = theirs.find(row.theirs);
    if (found == theirs.end()) {
      const Shape whole = shape.size() == 1 ? Shape({shape[0]}) : Shape({shape[0], shape[1]});
      found = theirs.emplace(row.theirs, Tensor::zeros(whole)).first;
    }
    const Scalar* gradient =
        gradients.data(ours.block) + ours.offset - store.block_begin(ours.block);
    placement.for_each([&](std::size_t i, std::optional<Index> at) {
      if (at) {
        found->second.data()[*at] += gradient[i];
      }
    });
  }
  return theirs;
}

// The smallest scale for gradient errors: some gradients cancel to 0, such as those of key biases.
// In double they are all small, and 1e-13 suffices; in float they all carry the errors of the
// largest gradient.
double least_scale(const TensorFile& reference) {
  if (sizeof(Scalar) == sizeof(double)) {
    return 1e-13 / pytorch_share;
  }
  double largest = 0;
  for (const TensorEntry& entry : reference.entries()) {
    if (entry.name.starts_with("gradient.")) {
      const Index size = static_cast<Index>(entry.bytes.size() / byte_width(entry.dtype));
      largest = std::max(largest, largest_of(tensor_of(reference, entry.name, Shape({size}))));
    }
  }
  return largest;
}

const auto architectures = Values("gpt2", "gpt2_classes", "llama", "llama_tied", "bert",
                                  "bert_classes", "albert", "marian", "marian_apart");

class ImportedModel : public TestWithParam<std::string> {};

void expect_logits(const Imported& imported, const Batch& batch, const TensorFile& reference) {
  Tape tape(false);
  Pass pass(tape, imported.model->store);
  const Transformer& model = imported.model->transformer;
  const Tensor logits = model.logits(pass, model.hidden(pass, batch)).value();
  const auto shape = reference.entry("logits").shape;
  const Tensor expected = tensor_of(reference, "logits", Shape({shape[0], shape[1]}));
  const double tolerance = pytorch_share * largest_of(expected);
  if (imported.purpose == Purpose::classes) {
    const Index row = batch.labels.rows[0];
    expect_within(tolerance, logits.part(row * logits.dim(1), {logits.dim(1)}).values(), expected);
    return;
  }
  for (Index row = 0; row < shape[0]; ++row) {
    for (Index ours = 0; ours < logits.dim(1); ++ours) {
      const auto i = static_cast<std::size_t>(ours);
      if (imported.rows.target.predicted[i]) {
        EXPECT_NEAR(logits.row(row)[ours], expected.row(row)[*imported.rows.target.theirs[i]],
                    tolerance);
      } else {
        EXPECT_LT(logits.row(row)[ours], -9000);
      }
    }
  }
}

TEST_P(ImportedModel, has_their_logits_loss_and_gradients) {
  const std::filesystem::path from =
      std::filesystem::path(TAPEHEAD_FIXTURES) / "pretrained" / GetParam();
  const Imported imported = import_model({.from = from, .run = "a", .token_texts = true});
  const TensorFile reference(from / "reference.safetensors", Trust::any);
  const Batch batch = reference_batch(reference, imported);
  expect_logits(imported, batch, reference);
  ParameterGradients gradients(imported.model->store);
  Tape tape;
  Pass pass(tape, imported.model->store, gradients);
  const CrossEntropy loss = batch_loss(imported.model->transformer, pass, batch);
  expect_near(loss.loss.value().values(), tensor_of(reference, "loss", Shape({1})));
  tape.backward(loss.loss);
  const PretrainedFiles files(from);
  const std::filesystem::path config_file = files.config_file();
  const TheirConfig theirs(files.config(), config_file);
  const auto found =
      their_gradients(imported, gradients, architecture_of(theirs).rows(theirs), theirs);
  const double least = least_scale(reference);
  std::size_t compared = 0;
  for (const TensorEntry& entry : reference.entries()) {
    if (!entry.name.starts_with("gradient.")) {
      continue;
    }
    SCOPED_TRACE(entry.name);
    const std::string name = entry.name.substr(std::string("gradient.").size());
    ASSERT_TRUE(found.contains(name));
    const Tensor& ours = found.at(name);
    const Tensor expected = tensor_of(reference, entry.name, ours.shape());
    expect_within(pytorch_share * std::max(largest_of(expected), least), ours.values(), expected);
    ++compared;
  }
  EXPECT_EQ(compared, found.size());
}

INSTANTIATE_TEST_SUITE_P(Architectures, ImportedModel, architectures,
                         [](const auto& of) { return of.param; });

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

INSTANTIATE_TEST_SUITE_P(Architectures, ExportedModel, architectures,
                         [](const auto& of) { return of.param; });

}}}  // namespace tapehead::TAPEHEAD_PRECISION
