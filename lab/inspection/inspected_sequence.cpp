// One sequence as every head of a model sees it.
#include "lab/inspection/inspection.hpp"

#include "core/ops/concatenate.hpp"
#include "datasets/corpus/masking.hpp"
#include "nn/generation/ensemble.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::vector<std::string> entries(const PoolVector<TokenId>& tokens, const Tokenizer& tokenizer) {
  std::vector<std::string> list;
  for (const TokenId token : tokens) {
    list.push_back(entry_or_mask(tokenizer, token));
  }
  return list;
}

PoolVector<Index> labelled_rows(const Batch& batch) {
  if (!batch.labels.every_row) {
    return batch.labels.rows;
  }
  PoolVector<Index> rows(static_cast<std::size_t>(batch.input.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

}  // namespace

InspectedSequence inspect(const Model& model, const Tokenizers& tokenizers, const Batch& batch,
                          const HeadSubstitute& substitute) {
  const bool encoder = model.transformer.main().name == StackName::encoder;
  const bool two_stacks = batch.context.rows() > 0;
  const Tokenizer& of_input = two_stacks ? *tokenizers.target : *tokenizers.source;
  InspectedSequence seen;
  (encoder ? seen.source_tokens : seen.target_tokens) = entries(batch.input.ids, of_input);
  if (two_stacks) {
    seen.source_tokens = entries(batch.context.ids, *tokenizers.source);
  }
  seen.rows = labelled_rows(batch);
  seen.labels = entries(batch.labels.ids, *tokenizers.target);
  seen.said_tokens.resize(seen.target_tokens.size());
  for (std::size_t i = 0; i < seen.rows.size() && !encoder; ++i) {
    seen.said_tokens[static_cast<std::size_t>(seen.rows[i])] = seen.labels[i];
  }
  Tape tape(false);
  Pass pass(tape, model.store);
  pass.substitute = substitute;
  pass.recorder = [&seen](const RecordedAttention& one) { seen.heads.push_back(one); };
  const Var hidden = model.transformer.hidden(pass, batch);
  seen.logits = model.transformer.logits(pass, select_rows(hidden, seen.rows)).value();
  return seen;
}

std::vector<Prediction> predictions(const Tensor& logits, Index row, const Tokenizer& tokenizer,
                                    Index count) {
  const std::span<const Scalar> of_row(logits.row(row), static_cast<std::size_t>(logits.dim(1)));
  std::vector<TokenId> order(of_row.size());
  std::iota(order.begin(), order.end(), TokenId{0});
  const auto most = std::min(static_cast<std::size_t>(count), order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(most), {},
      [&](TokenId token) { return std::pair(-of_row[static_cast<std::size_t>(token)], token); });
  order.resize(most);
  const double log_sum = log_sum_exp(of_row);
  std::vector<Prediction> best;
  for (const TokenId token : order) {
    const auto logit = static_cast<double>(of_row[static_cast<std::size_t>(token)]);
    best.push_back(
        {.token = entry_or_mask(tokenizer, token), .probability = std::exp(logit - log_sum)});
  }
  return best;
}

std::string_view query_side(const AttentionSite& site) {
  return site.stack() == StackName::decoder ? "target" : "source";
}

std::string_view key_side(const AttentionSite& site) {
  return site.kind == AttentionKind::decoder_self ? "target" : "source";
}

Json attentions_json(const InspectedSequence& sequence,
                     const std::function<Json(const RecordedAttention&)>& head_json) {
  auto attentions = Json::array();
  for (const RecordedAttention& seen : sequence.heads) {
    if (seen.head == 0) {
      attentions.push_back({{"attention", seen.site.text()},
                            {"queries", query_side(seen.site)},
                            {"keys", key_side(seen.site)},
                            {"heads", Json::array()}});
    }
    attentions.back()["heads"].push_back(head_json(seen));
  }
  return attentions;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
