#include "interchange/export.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "interchange/entry_rows.hpp"
#include "interchange/export_settings.hpp"
#include "interchange/exported_tokenizers.hpp"
#include "interchange/weight_copy.hpp"
#include "train/evaluation/run_ensemble.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Puts our parameters where theirs have them.
class TensorMaker {
 public:
  TensorMaker(const SavedRun& run, const TheirConfig& theirs)
      : run_(run), theirs_(theirs), entries_(run.model.transformer.vocabularies()) {
    rows_.source = same_rows(std::max(entries_.context, entries_.input));
    rows_.target = same_rows(entries_.labels);
  }

  void add(const TensorRow& row) {
    const NamedParameter* ours = find(row.ours);
    const Shape shape = ours == nullptr ? shape_of_absent(row) : ours->shape;
    const Placement placement(row, shape, rows_.of(row.entries),
                              rows_of_entries(theirs_, row.entries));
    ExportedTensor& tensor = tensor_of(row, placement.their_shape());
    if (ours == nullptr) {
      return;
    }
    const Tensor value = run_.model.store.value(*ours);
    const Index columns = placement.columns();
    for (Index i = 0; i < shape[0]; ++i) {
      for (Index j = 0; j < columns; ++j) {
        tensor.numbers[static_cast<std::size_t>(placement.at(i, j).value())] =
            value.data()[i * columns + j];
      }
    }
  }

  std::vector<ExportedTensor>& tensors() { return tensors_; }

 private:
  const NamedParameter* find(const std::string& name) const {
    const auto& all = run_.model.store.parameters();
    const auto found = std::ranges::find(all, name, &NamedParameter::name);
    return found == all.end() ? nullptr : &*found;
  }

  // Theirs has a bias, or a table of types, that ours does not have.
  Shape shape_of_absent(const TensorRow& row) const {
    if (row.ours == "source.types") {
      return {1, run_.config.model.embedding_width()};
    }
    if (row.ours == "output.bias") {
      return {entries_.labels};
    }
    const std::string_view stem = std::string_view(row.ours).substr(0, row.ours.rfind('.'));
    for (const std::string_view sibling : {".weight", ".gain"}) {
      if (const NamedParameter* found = find(fmt::format("{}{}", stem, sibling))) {
        return {found->shape[0]};
      }
    }
    throw std::logic_error(fmt::format("no parameter {}", row.ours));
  }

  // Entries that the output of ours does not have are never predicted.
  ExportedTensor& tensor_of(const TensorRow& row, const std::vector<Index>& shape) {
    const auto found = std::ranges::find(tensors_, row.theirs, &ExportedTensor::name);
    if (found != tensors_.end()) {
      return *found;
    }
    Index size = 1;
    for (const Index length : shape) {
      size *= length;
    }
    const bool output_bias = row.ours == "output.bias" && row.entries == Entries::target;
    std::vector<Scalar> numbers(static_cast<std::size_t>(size),
                                output_bias ? never_bias : Scalar{0});
    if (output_bias) {
      std::fill_n(numbers.begin(), entries_.labels, Scalar{0});
    }
    tensors_.push_back({.name = row.theirs, .shape = shape, .numbers = std::move(numbers)});
    return tensors_.back();
  }

  const SavedRun& run_;
  const TheirConfig& theirs_;
  Vocabularies entries_;
  VocabularyRows rows_;
  std::vector<ExportedTensor> tensors_;
};

// Of entries that have no bias in theirs it must be 0, unless they are never predicted.
void expect_covered(const SavedRun& run, const std::vector<TensorRow>& rows,
                    const std::string& class_name) {
  for (const NamedParameter& parameter : run.model.store.parameters()) {
    if (std::ranges::find(rows, parameter.name, &TensorRow::ours) != rows.end()) {
      continue;
    }
    const auto values = run.model.store.value(parameter).values();
    const bool nothing =
        std::ranges::all_of(values, [](Scalar value) { return value == 0 || is_never(value); });
    if (!nothing) {
      throw ConfigError(fmt::format("{} has no counterpart in a {}, and it is not 0{}",
                                    parameter.name, class_name,
                                    parameter.name == "output.bias" ? " (model.bias_output)" : ""));
    }
  }
}

// A language model reads no mark in front of such a text (train/evaluation/generator.cpp).
bool writes_one_document(const SavedRun& run) {
  return application_of(run.config) == Application::generate && has_one_document(run);
}

// What the output of ours does not have, or never predicts.
std::vector<Index> never_predicted(const SavedRun& run, Index their_entries) {
  const Transformer& model = run.model.transformer;
  const Parameter& bias = model.output().bias;
  const Index labels = model.vocabularies().labels;
  std::vector<Index> never;
  for (Index i = 0; i < their_entries; ++i) {
    if (i >= labels || (bias.declared() && is_never(run.model.store.value(bias).data()[i]))) {
      never.push_back(i);
    }
  }
  return never;
}

}  // namespace

Exported export_model(const SavedRun& run) {
  const Architecture& architecture = nearest_architecture(run.config.model);
  Exported exported{
      .class_name = {}, .config = exported_config(run, architecture), .generation = {}};
  exported.class_name = exported.config["architectures"][0];
  const std::filesystem::path file = "config.json";
  const TheirConfig theirs(exported.config, file);
  expect_counterpart(run, architecture, theirs);
  const std::vector<TensorRow> rows = architecture.rows(theirs);
  expect_covered(run, rows, exported.class_name);
  TensorMaker maker(run, theirs);
  for (const TensorRow& row : rows) {
    maker.add(row);
  }
  exported.tensors = std::move(maker.tensors());
  if (!labels_in_one_pass(run.config)) {
    exported.generation =
        exported_generation(exported.config, never_written(writes_one_document(run)),
                            never_predicted(run, theirs.count("vocab_size")));
  }
  return exported;
}

void write_exported(const Exported& exported, const SavedRun& run,
                    const std::filesystem::path& directory) {
  make_directories(directory);
  write_exported_tokenizers(run.config, run.tokenizers, writes_one_document(run), directory);
  std::vector<TensorEntry> entries;
  for (const ExportedTensor& tensor : exported.tensors) {
    entries.push_back({.name = tensor.name,
                       .dtype = sizeof(Scalar) == sizeof(float) ? DType::f32 : DType::f64,
                       .shape = tensor.shape,
                       .bytes = std::as_bytes(std::span(tensor.numbers))});
  }
  // transformers reads no file without this.
  write_tensor_file(directory / "model.safetensors", entries, {{"format", "pt"}});
  if (!exported.generation.is_null()) {
    write_file_atomically(directory / "generation_config.json", exported.generation.dump(2) + "\n");
  }
  write_file_atomically(directory / "config.json", exported.config.dump(2) + "\n");
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
