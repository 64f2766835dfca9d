#include "nn/generation/ensemble.hpp"

#include "core/ops/concatenate.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

double log_sum_exp(std::span<const Scalar> logits) {
  if (!std::ranges::all_of(logits, [](Scalar logit) { return std::isfinite(logit); })) {
    throw NumericError("logits are not finite");
  }
  const auto largest = static_cast<double>(std::ranges::max(logits));
  double sum = 0;
  for (const Scalar logit : logits) {
    sum += std::exp(static_cast<double>(logit) - largest);
  }
  return largest + std::log(sum);
}

double log_mean_exp(std::span<const double> logs) {
  const double largest = std::ranges::max(logs);
  double sum = 0;
  for (const double one : logs) {
    sum += std::exp(one - largest);
  }
  return largest + std::log(sum / static_cast<double>(logs.size()));
}

Tensor mean_log_probabilities(std::span<const Tensor> logits) {
  const Index N = logits.front().dim(0);
  const Index V = logits.front().dim(1);
  Tensor mean = Tensor::empty({N, V});
  std::vector<double> log_sums(logits.size());
  std::vector<double> logs(logits.size());
  for (Index row = 0; row < N; ++row) {
    for (std::size_t k = 0; k < logits.size(); ++k) {
      log_sums[k] = log_sum_exp({logits[k].row(row), static_cast<std::size_t>(V)});
    }
    for (Index token = 0; token < V; ++token) {
      for (std::size_t k = 0; k < logits.size(); ++k) {
        logs[k] = static_cast<double>(logits[k].row(row)[token]) - log_sums[k];
      }
      mean.row(row)[token] = static_cast<Scalar>(log_mean_exp(logs));
    }
  }
  return mean;
}

CachedModel::CachedModel(const EnsembleMember& model, const Prompts& prompts, Index slots,
                         Index longest)
    : transformer_(model.transformer),
      prompts_(prompts),
      pass_(tape_, model.store),
      cache_(transformer_.main().make_cache(prompts.sequences() * slots, longest)) {
  pass_.substitute = model.substitute;
  pass_.keep_weights_packed();
  if (transformer_.family().context) {
    context_.emplace(transformer_.encode(pass_, prompts.context), sources_);
  }
}

Var CachedModel::read(std::span<const Reading> readings) {
  newest_.ids.clear();
  newest_.segments.list.clear();
  sources_.list.clear();
  for (const Reading& reading : readings) {
    const Segment& prompt = prompts_.input.segments[reading.prompt];
    const std::span<const TokenId> tokens = reading.tokens.empty()
                                                ? std::span(prompts_.input.ids.data() + prompt.row,
                                                            static_cast<std::size_t>(prompt.rows))
                                                : reading.tokens;
    newest_.segments.list.push_back({.row = newest_.rows(),
                                     .rows = std::ssize(tokens),
                                     .position = cache_.next_position(reading.slot),
                                     .prefix = prompt.prefix});
    newest_.ids.insert(newest_.ids.end(), tokens.begin(), tokens.end());
    sources_.list.push_back(prompts_.context.segments[reading.prompt]);
  }
  cache_.extend(mapped(readings, &Reading::slot), newest_.segments);
  Var rows = transformer_.main()(pass_, newest_, context_ ? &*context_ : nullptr, &cache_);
  if (newest_.rows() == std::ssize(readings)) {
    return rows;
  }
  const auto last_row = [](const Segment& segment) { return segment.row + segment.rows - 1; };
  return select_rows(rows, mapped(newest_.segments.list, last_row));
}

Ensemble::Ensemble(std::span<const EnsembleMember> members, std::span<const Prompts> prompts,
                   Index slots, Index longest) {
  const Index labels = members.front().transformer.output().classes();
  for (std::size_t k = 0; k < members.size(); ++k) {
    const Index own = members[k].transformer.output().classes();
    if (own != labels) {
      throw ShapeError("ensemble: the models have {} and {} labels", labels, own);
    }
    models_.emplace_back(members[k], prompts[k], slots, longest);
  }
}

Tensor Ensemble::logits(std::span<const Reading> readings) {
  const std::vector<Tensor> all =
      mapped(models_, [&](CachedModel& model) { return model.logits(model.read(readings)); });
  return all.size() == 1 ? all.front() : mean_log_probabilities(all);
}

// With a single model, the logits are never stored.
BestTokens Ensemble::best(std::span<const Reading> readings, Index count, TokenId excluded,
                          LogSums log_sums) {
  if (models_.size() == 1) {
    CachedModel& model = models_.front();
    return model.best(model.read(readings), count, excluded, log_sums);
  }
  return best_of(logits(readings), count, excluded, log_sums);
}

Index Ensemble::length(Index slot) const {
  return std::ranges::max(models_ | std::views::transform([slot](const CachedModel& model) {
                            return model.cache().length(slot);
                          }));
}

void Ensemble::copy(Index from, Index to) {
  std::ranges::for_each(models_, [&](CachedModel& model) { model.cache().copy(from, to); });
}

void Ensemble::clear(Index slot) {
  std::ranges::for_each(models_, [slot](CachedModel& model) { model.cache().clear(slot); });
}

void Ensemble::forget(Index slot, Index keep, Index sinks) {
  std::ranges::for_each(models_, [&](CachedModel& model) { model.forget(slot, keep, sinks); });
}

void Ensemble::release(Index slot) {
  std::ranges::for_each(models_, [slot](CachedModel& model) { model.cache().release(slot); });
}

BestTokens best_of(const Tensor& logs, Index count, TokenId excluded, LogSums log_sums) {
  const Index V = logs.dim(1);
  const Index N = logs.dim(0);
  const Index choices = excluded >= 0 && excluded < V ? V - 1 : V;
  BestTokens best{.count = std::min(count, choices), .tokens = {}, .log_sums = {}};
  const auto better = [](const TokenLogit& a, const TokenLogit& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
  };
  std::vector<TokenLogit> all;
  for (Index row = 0; row < N; ++row) {
    all.clear();
    for (TokenId token = 0; token < V; ++token) {
      if (token != excluded) {
        all.push_back({.token = token, .logit = logs.row(row)[token]});
      }
    }
    const auto kept = all.begin() + best.count;
    std::partial_sort(all.begin(), kept, all.end(), better);
    best.tokens.insert(best.tokens.end(), all.begin(), kept);
  }
  if (log_sums == LogSums::wanted) {
    best.log_sums.assign(static_cast<std::size_t>(N), 0.0);  // log 1
  }
  return best;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
