#include "train/run/weight_average.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Restores the store's weights at the end, also after an exception.
class KeptWeights {
 public:
  explicit KeptWeights(ParameterStore& store) : store_(store), kept_(store.values().copy()) {}
  KeptWeights(const KeptWeights&) = delete;
  KeptWeights& operator=(const KeptWeights&) = delete;
  ~KeptWeights() { std::ranges::copy(kept_.values(), store_.values().data()); }

 private:
  ParameterStore& store_;
  Tensor kept_;
};

}  // namespace

void write_weight_average(const std::vector<std::filesystem::path>& files, ParameterStore& store,
                          Metadata metadata, const std::filesystem::path& average) {
  const KeptWeights kept(store);
  std::vector<double> sums(static_cast<std::size_t>(store.size()), 0);
  for (const auto& file : files) {
    load_weights(TensorFile(file), store);
    std::ranges::transform(
        sums, store.values().values(), sums.begin(),
        [](double sum, Scalar value) { return sum + static_cast<double>(value); });
  }
  std::ranges::transform(sums, store.values().data(),
                         [count = static_cast<double>(files.size())](double sum) {
                           return static_cast<Scalar>(sum / count);
                         });
  metadata["averaged"] = std::to_string(files.size());
  write_tensor_file(average, weight_entries(store), metadata);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
