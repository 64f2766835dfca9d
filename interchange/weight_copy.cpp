#include "interchange/weight_copy.hpp"

#include "core/files/tensor_file.hpp"
#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

const NamedParameter* find(const ParameterStore& store, std::string_view name) {
  const auto found = std::ranges::find(store.parameters(), name, &NamedParameter::name);
  return found == store.parameters().end() ? nullptr : &*found;
}

// Copies numbers from their tensors, and collects the problems.
class WeightReader {
 public:
  // The arguments are not copied.
  WeightReader(const PretrainedFiles& files, const TheirConfig& theirs,
               const VocabularyRows& entries)
      : files_(files), theirs_(theirs), entries_(entries) {}

  void copy(const TensorRow& row, const Shape& shape, std::span<Scalar> to) {
    const std::string_view name = files_.without_prefix(row.theirs);
    const TensorEntry* entry = files_.find(name);
    const auto refuse = [&](std::string_view why) {
      problems_.push_back(fmt::format("{} {}", name, why));
    };
    if (entry == nullptr) {
      return refuse("is missing");
    }
    const Placement placement{row, shape, entries_.of(row.entries),
                              rows_of_entries(theirs_, row.entries)};
    const std::vector<Index> expected = placement.their_shape();
    if (!is_real(entry->dtype)) {
      return refuse(fmt::format("has the type {}, where F16, BF16, F32 or F64 is read",
                                name_of(entry->dtype)));
    }
    if (entry->shape != expected) {
      return refuse(fmt::format("has the shape ({}) instead of ({})", join(entry->shape, ", "),
                                join(expected, ", ")));
    }
    read(name, *entry);
    placement.for_each([&](std::size_t ours, std::optional<Index> at) {
      to[ours] = at ? numbers_[static_cast<std::size_t>(*at)] : 0;
    });
  }

  std::vector<std::string>& problems() { return problems_; }

 private:
  // Keeps the last tensor, because successive rows often use the same one.
  void read(std::string_view name, const TensorEntry& entry) {
    if (name == name_) {
      return;
    }
    numbers_.resize(entry.bytes.size() / byte_width(entry.dtype));
    copy_values(entry, std::span(numbers_));
    name_ = name;
    if (!std::ranges::all_of(numbers_, [](Scalar number) { return std::isfinite(number); })) {
      problems_.push_back(fmt::format("{} has a number that is not finite", name));
    }
  }

  const PretrainedFiles& files_;
  const TheirConfig& theirs_;
  const VocabularyRows& entries_;
  std::string name_;
  std::vector<Scalar> numbers_;
  std::vector<std::string> problems_;
};

// Adds unknown tensors, and tied tensors that differ from their originals, to `problems`.
std::vector<std::string> tensors_left_out(const PretrainedFiles& files, const TheirConfig& theirs,
                                          const std::vector<TensorRow>& rows,
                                          std::vector<std::string>& problems) {
  const Architecture& architecture = architecture_of(theirs);
  const std::vector<TiedTensor> tied = architecture.tied(theirs);
  std::vector<std::string> left_out;
  const auto bare = [&](const TensorRow& row) { return files.without_prefix(row.theirs); };
  for (const auto& [name, entry] : files.tensors()) {
    if (const auto copy = std::ranges::find(tied, name, &TiedTensor::name); copy != tied.end()) {
      const TensorEntry* original = files.find(copy->original);
      if (original != nullptr && !std::ranges::equal(entry->bytes, original->bytes)) {
        problems.push_back(fmt::format("{} differs from {}, to which it is tied", name,
                                       files.without_prefix(copy->original)));
      }
    } else if (std::ranges::find(rows, name, bare) != rows.end()) {
      continue;
    } else if (architecture.left_out(name)) {
      left_out.push_back(name);
    } else {
      problems.push_back(fmt::format("{} is left over", name));
    }
  }
  return left_out;
}

// Maps every entry to the row with its own id.
EntryRows same_rows(Index entries) {
  EntryRows rows;
  for (Index i = 0; i < entries; ++i) {
    rows.theirs.emplace_back(i);
  }
  return rows;
}

// Creates their tensors from our parameters.
class TensorMaker {
 public:
  TensorMaker(const SavedRun& run, const TheirConfig& theirs)
      : run_(run), theirs_(theirs), entries_(run.model.transformer.vocabularies()) {
    rows_.source = same_rows(std::max(entries_.context, entries_.input));
    rows_.target = same_rows(entries_.labels);
  }

  std::vector<ExportedTensor> made_of(const std::vector<TensorRow>& rows) {
    for (const TensorRow& row : rows) {
      add(row);
    }
    return std::move(tensors_);
  }

 private:
  void add(const TensorRow& row) {
    const NamedParameter* ours = find(run_.model.store, row.ours);
    const Placement placement{row, ours == nullptr ? shape_of_absent(row) : ours->shape,
                              rows_.of(row.entries), rows_of_entries(theirs_, row.entries)};
    ExportedTensor& tensor = tensor_of(row, placement.their_shape());
    if (ours != nullptr) {
      const Tensor value = run_.model.store.value(*ours);
      placement.for_each([&](std::size_t i, std::optional<Index> at) {
        tensor.numbers[static_cast<std::size_t>(at.value())] = value.data()[i];
      });
    }
  }

  // The shape of a bias or a token type table that only their model has.
  Shape shape_of_absent(const TensorRow& row) const {
    if (row.ours == "source.types") {
      return {1, run_.config.model.embedding_width()};
    }
    if (row.ours == "output.bias") {
      return {entries_.labels};
    }
    const std::string_view stem = std::string_view(row.ours).substr(0, row.ours.rfind('.'));
    for (const std::string_view sibling : {".weight", ".gain"}) {
      if (const auto* found = find(run_.model.store, fmt::format("{}{}", stem, sibling))) {
        return {found->shape[0]};
      }
    }
    throw std::logic_error(fmt::format("no parameter {}", row.ours));
  }

  ExportedTensor& tensor_of(const TensorRow& row, const std::vector<Index>& shape) {
    const auto found = std::ranges::find(tensors_, row.theirs, &ExportedTensor::name);
    if (found != tensors_.end()) {
      return *found;
    }
    const Index size = std::accumulate(shape.begin(), shape.end(), Index{1}, std::multiplies());
    std::vector<Scalar> numbers(static_cast<std::size_t>(size));
    if (row.ours == "output.bias" && row.entries == Entries::target) {
      std::fill(numbers.begin() + entries_.labels, numbers.end(), never_bias);
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

}  // namespace

std::vector<std::string> import_weights(const PretrainedFiles& files, const TheirConfig& theirs,
                                        const std::vector<TensorRow>& rows,
                                        const VocabularyRows& entries, ParameterStore& store) {
  WeightReader reader(files, theirs, entries);
  for (const TensorRow& row : rows) {
    const NamedParameter* ours = find(store, row.ours);
    if (ours == nullptr) {
      throw std::logic_error(fmt::format("no parameter {}", row.ours));
    }
    reader.copy(row, ours->shape, store.value(*ours).values());
  }
  std::vector<std::string>& problems = reader.problems();
  const auto left_out = tensors_left_out(files, theirs, rows, problems);
  if (!problems.empty()) {
    throw IoError("cannot import {}:\n  {}", files.directory().string(), join(problems, "\n  "));
  }
  return left_out;
}

std::vector<ExportedTensor> export_weights(const SavedRun& run, const TheirConfig& theirs,
                                           const std::vector<TensorRow>& rows) {
  return TensorMaker(run, theirs).made_of(rows);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
