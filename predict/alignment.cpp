#include "predict/alignment.hpp"

#include "core/shown.hpp"
#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Alignment aligned_tokens(const Tensor& attention, Index target_tokens, Index source_tokens) {
  Alignment pairs;
  for (Index target = 0; target < target_tokens && source_tokens > 0; ++target) {
    const Scalar* row = attention.row(target);
    const Scalar* largest = std::max_element(row, row + source_tokens);
    if (*largest > 0) {
      pairs.insert({.source = largest - row, .target = target});
    }
  }
  return pairs;
}

Alignment aligned_words(const Alignment& tokens, const std::vector<Index>& source,
                        const std::vector<Index>& target) {
  Alignment pairs;
  for (const AlignedPair& pair : tokens) {
    pairs.insert({.source = source[static_cast<std::size_t>(pair.source)],
                  .target = target[static_cast<std::size_t>(pair.target)]});
  }
  return pairs;
}

std::string pharaoh_text(const Alignment& alignment) {
  return join(alignment | std::views::transform([](const AlignedPair& pair) {
                return fmt::format("{}-{}", pair.source, pair.target);
              }),
              " ");
}

namespace {

std::vector<const MultiHeadAttention*> cross_attentions(const Transformer& transformer) {
  std::vector<const MultiHeadAttention*> all = transformer.attentions();
  std::erase_if(all, [](const MultiHeadAttention* one) { return one->site.is_self(); });
  if (all.empty()) {
    throw ConfigError(
        "the model has no cross-attention, whose weights would align source and target: only an "
        "encoder and a decoder together have it");
  }
  return all;
}

std::string names_of(const std::vector<const MultiHeadAttention*>& attentions) {
  return join(attentions | std::views::transform([](const MultiHeadAttention* one) {
                return fmt::format("{} ({})", one->site.text(), one->spec.heads);
              }),
              ", ");
}

}  // namespace

AlignmentHeads::AlignmentHeads(const Transformer& transformer, std::string_view names) {
  const auto attentions = cross_attentions(transformer);
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string_view name = names.substr(begin, end - begin);
    const std::size_t before = heads_.size();
    for (const MultiHeadAttention* one : attentions) {
      for (Index head = 0; head < one->spec.heads; ++head) {
        const std::string attention = one->site.text();
        if (name == "all" || name == attention || name == fmt::format("{}.{}", attention, head)) {
          heads_.emplace_back(one->site, head);
        }
      }
    }
    if (heads_.size() == before) {
      throw ConfigError(fmt::format(
          "there is no cross-attention or head {}; heads are counted from 0 "
          "(decoder.layers.0.cross.0), and the attentions with their numbers of heads are: {}",
          shown(name), names_of(attentions)));
    }
    begin = end + 1;
  }
  std::ranges::sort(heads_);
  const auto repeated = std::ranges::unique(heads_);
  heads_.erase(repeated.begin(), repeated.end());
}

Recorder AlignmentHeads::mean_into(Tensor& mean) const {
  mean = Tensor();
  return [this, &mean](const RecordedAttention& seen) {
    if (!std::ranges::binary_search(heads_, Head(seen.site, seen.head))) {
      return;
    }
    if (!mean.has_memory()) {
      mean = Tensor::zeros({seen.weights.dim(0), seen.weights.dim(1)});
    }
    const auto share = Scalar{1} / static_cast<Scalar>(heads_.size());
    std::ranges::transform(mean.values(), seen.weights.values(), mean.values().begin(),
                           [share](Scalar sum, Scalar weight) { return sum + share * weight; });
  };
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
