// Imported models of transformers: their logits, their loss, and the gradient of each tensor.
#pragma once

#include "interchange/architecture.hpp"
#include "interchange/import.hpp"
#include "interchange/pretrained_files.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/pytorch.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

std::filesystem::path pretrained(const std::string& name) {
  return std::filesystem::path(TAPEHEAD_FIXTURES) / "pretrained" / name;
}

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

// The class label is on the first row of an encoder, or on the last row of a decoder.
Batch class_batch(Batch batch, std::int64_t label, Family family) {
  batch.labels.ids = {static_cast<TokenId>(label)};
  batch.labels.rows = {family == Family::encoder ? 0 : batch.input.rows() - 1};
  batch.labels.every_row = false;
  return batch;
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
  return imported.purpose == Purpose::classes
             ? class_batch(std::move(batch), labels[0], imported.config.model.family)
             : batch;
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

class ImportedModel : public TestWithParam<std::string> {
 protected:
  ImportedModel()
      : imported(import_model({.from = pretrained(GetParam()), .run = "a", .token_texts = true})),
        reference(pretrained(GetParam()) / "reference.safetensors", Trust::any),
        batch(reference_batch(reference, imported)) {}

  Imported imported;
  TensorFile reference;
  Batch batch;
};

TEST_P(ImportedModel, has_their_logits) {
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

TEST_P(ImportedModel, has_their_loss_and_gradients) {
  ParameterGradients gradients(imported.model->store);
  Tape tape;
  Pass pass(tape, imported.model->store, gradients);
  const CrossEntropy loss = batch_loss(imported.model->transformer, pass, batch);
  Tensor expected = Tensor::empty({1});
  copy_values(reference.entry("loss"), expected.values());
  EXPECT_NEAR(loss.loss.value().data()[0], expected.data()[0], pytorch_share * expected.data()[0]);
  tape.backward(loss.loss);
  const PretrainedFiles files(pretrained(GetParam()));
  const std::filesystem::path config_file = files.config_file();
  const TheirConfig theirs(files.config(), config_file);
  const Architecture& architecture = architecture_of(theirs);
  const auto found = their_gradients(imported, gradients, architecture.rows(theirs), theirs);
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
    const Tensor theirs_there = tensor_of(reference, entry.name, ours.shape());
    expect_within(pytorch_share * std::max(largest_of(theirs_there), least), ours.values(),
                  theirs_there);
    ++compared;
  }
  EXPECT_EQ(compared, found.size());
}

INSTANTIATE_TEST_SUITE_P(Architectures, ImportedModel,
                         Values("gpt2", "gpt2_classes", "llama", "llama_tied", "bert",
                                "bert_classes", "albert", "marian", "marian_apart"),
                         [](const auto& of) { return of.param; });

}}}  // namespace tapehead::TAPEHEAD_PRECISION
