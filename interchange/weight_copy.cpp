#include "interchange/weight_copy.hpp"

#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Copies numbers from their tensors, and collects the problems.
struct WeightReader {
  const PretrainedFiles& files;
  const TheirConfig& theirs;
  const VocabularyRows& entries;
  std::vector<std::string> problems{};
  std::string last_name{};  // keeps the last tensor, because successive rows often use the same one
  std::vector<Scalar> numbers{};

  void copy(const TensorRow& row, const Shape& shape, std::span<Scalar> to) {
    const std::string_view name = files.without_prefix(row.theirs);
    const TensorEntry* entry = files.find(name);
    const auto refuse = [&](std::string_view why) {
      problems.push_back(fmt::format("{} {}", name, why));
    };
    if (entry == nullptr) {
      return refuse("is missing");
    }
    const Placement placement{row, shape, entries.of(row.entries),
                              rows_of_entries(theirs, row.entries)};
    const std::vector<Index> expected = placement.their_shape();
    if (!is_real(entry->dtype)) {
      return refuse(fmt::format("has the type {}, but only F16, BF16, F32 and F64 are supported",
                                name_of(entry->dtype)));
    }
    if (entry->shape != expected) {
      return refuse(fmt::format("has the shape ({}) instead of ({})", join(entry->shape, ", "),
                                join(expected, ", ")));
    }
    read(name, *entry);
    placement.for_each([&](std::size_t ours, std::optional<Index> at) {
      to[ours] = at ? numbers[static_cast<std::size_t>(*at)] : 0;
    });
  }

  void read(std::string_view name, const TensorEntry& entry) {
    if (name == last_name) {
      return;
    }
    numbers.resize(entry.bytes.size() / byte_width(entry.dtype));
    copy_values(entry, std::span(numbers));
    last_name = name;
    if (!std::ranges::all_of(numbers, [](Scalar number) { return std::isfinite(number); })) {
      problems.push_back(fmt::format("{} has a number that is not finite", name));
    }
  }

  // Adds unknown tensors, and tied tensors that differ from their originals, to `problems`.
  std::vector<std::string> tensors_left_out(const std::vector<TensorRow>& rows) {
    const Architecture& architecture = architecture_of(theirs);
    const std::vector<TiedTensor> tied = architecture.tied(theirs);
    std::vector<std::string> left_out;
    const auto bare = [&](const TensorRow& row) { return files.without_prefix(row.theirs); };
    for (const auto& [name, entry] : files.tensors()) {
      const auto fits = [&](std::string_view pattern) { return matches(pattern, name); };
      if (const auto tie = std::ranges::find(tied, name, &TiedTensor::name); tie != tied.end()) {
        const TensorEntry* original = files.find(tie->original);
        if (original != nullptr && !std::ranges::equal(entry->bytes, original->bytes)) {
          problems.push_back(fmt::format("{} and {} are tied, but differ", name,
                                         files.without_prefix(tie->original)));
        }
      } else if (std::ranges::find(rows, name, bare) != rows.end()) {
        continue;
      } else if (std::ranges::any_of(architecture.left_out, fits)) {
        left_out.push_back(name);
      } else {
        problems.push_back(fmt::format("{} matches no parameter of the model", name));
      }
    }
    return left_out;
  }
};

// Maps every entry to the row with its own id.
EntryRows same_rows(Index entries) {
  return {.theirs = mapped(numbers_below(entries), [](Index i) { return std::optional(i); }),
          .predicted = {}};
}

// Creates their tensors from our parameters.
struct TensorMaker {
  const SavedRun& run;
  const TheirConfig& theirs;
  const Vocabularies& entries;
  VocabularyRows same;
  std::vector<ExportedTensor> tensors{};

  void add(const TensorRow& row) {
    const NamedParameter* ours = run.model.store.find(row.ours);
    const Placement placement{row, ours == nullptr ? shape_of_absent(row) : ours->shape,
                              same.of(row.entries), rows_of_entries(theirs, row.entries)};
    ExportedTensor& tensor = tensor_of(row, placement.their_shape());
    if (ours != nullptr) {
      const Tensor value = run.model.store.value(*ours);
      placement.for_each([&](std::size_t i, std::optional<Index> at) {
        tensor.numbers[static_cast<std::size_t>(at.value())] = value.data()[i];
      });
    }
  }

  // The shape of a bias or a token type table that only their model has.
  Shape shape_of_absent(const TensorRow& row) const {
    if (row.ours == "source.types") {
      return {1, run.config.model.embedding_width()};
    }
    if (row.ours == "output.bias") {
      return {entries.labels};
    }
    const std::string_view stem = std::string_view(row.ours).substr(0, row.ours.rfind('.'));
    for (const std::string_view sibling : {".weight", ".gain"}) {
      if (const auto* found = run.model.store.find(fmt::format("{}{}", stem, sibling))) {
        return {found->shape[0]};
      }
    }
    throw std::logic_error(fmt::format("no parameter {}", row.ours));
  }

  ExportedTensor& tensor_of(const TensorRow& row, const std::vector<Index>& shape) {
    const auto found = std::ranges::find(tensors, row.theirs, &ExportedTensor::name);
    if (found != tensors.end()) {
      return *found;
    }
    const Index size = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies());
    std::vector<Scalar> numbers(static_cast<std::size_t>(size));
    if (row.ours == "output.bias" && row.entries == Entries::target) {
      std::fill(numbers.begin() + entries.labels, numbers.end(), never_bias);
    }
    tensors.push_back({.name = row.theirs, .shape = shape, .numbers = std::move(numbers)});
    return tensors.back();
  }
};

}  // namespace

std::vector<std::string> import_weights(const PretrainedFiles& files, const TheirConfig& theirs,
                                        const std::vector<TensorRow>& rows,
                                        const VocabularyRows& entries, ParameterStore& store) {
  WeightReader reader{files, theirs, entries};
  for (const TensorRow& row : rows) {
    const NamedParameter* ours = store.find(row.ours);
    if (ours == nullptr) {
      throw std::logic_error(fmt::format("no parameter {}", row.ours));
    }
    reader.copy(row, ours->shape, store.value(*ours).values());
  }
  const auto left_out = reader.tensors_left_out(rows);
  if (!reader.problems.empty()) {
    throw IoError("cannot import {}:\n  {}", files.directory().string(),
                  join(reader.problems, "\n  "));
  }
  return left_out;
}

std::vector<ExportedTensor> export_weights(const SavedRun& run, const TheirConfig& theirs,
                                           const std::vector<TensorRow>& rows) {
  const Vocabularies& entries = run.model.transformer.vocabularies();
  const Index read = std::max(entries.context, entries.input);
  TensorMaker maker{run, theirs, entries, {same_rows(read), same_rows(entries.labels)}};
  for (const TensorRow& row : rows) {
    maker.add(row);
  }
  return std::move(maker.tensors);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
