// Models whose attention is watched, and recordings of each sentence from which tests recompute the
// sums over a split: the pairs of the tiny model, with relations and token facts.
#pragma once

#include "datasets/loader.hpp"
#include "datasets/task.hpp"
#include "lab/heads/attended_sequence.hpp"
#include "lab/heads/head_report.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Self-attention: the last row to the first. Cross-attention: the last query row to all keys.
inline Relations tiny_relations(const Example& pair) {
  const auto S = static_cast<Index>(pair.source.size());
  const auto T = static_cast<Index>(pair.target.size());
  Relations relations{{.name = "begin", .side = RelationSide::source, .pairs = {{S, 0}}},
                      {.name = "begin", .side = RelationSide::target, .pairs = {{T, 0}}},
                      {.name = "any", .side = RelationSide::across, .pairs = {}}};
  for (Index key = 0; key <= S; ++key) {
    relations.back().pairs.push_back({T, key});
  }
  return relations;
}

inline Split tiny_split() {
  const auto pairs = std::make_shared<Examples>();
  for (std::size_t i = 0; i < tiny_sources.size(); ++i) {
    pairs->push_back({.source = tiny_sources[i], .target = tiny_targets[i]});
  }
  return {.name = "", .source = pair_source(pairs, {}, [pairs](Index example) {
                        return tiny_relations((*pairs)[static_cast<std::size_t>(example)]);
                      })};
}

// A higher token id is rarer; the second highest is punctuation.
inline ReadFacts tiny_facts() {
  const auto size = static_cast<std::size_t>(tiny_vocabulary);
  TokenFacts facts{.occurrences = std::vector<Index>(size), .punctuation = std::vector<bool>(size)};
  for (std::size_t token = 0; token < size; ++token) {
    facts.occurrences[token] = static_cast<Index>(100 - token);
  }
  facts.punctuation[size - 2] = true;
  return {.context = facts, .input = facts};
}

// The recording of one sentence in one attention.
struct Seen {
  std::vector<TokenId> keys;
  std::vector<TokenId> queries;
  bool self;
  bool causal;
  PoolVector<Pattern> patterns;  // one for all heads, or one per head
  std::vector<Tensor> weights;   // by head
  std::vector<Tensor> outputs;

  Index rows() const { return static_cast<Index>(queries.size()); }
  bool sees(std::size_t head, Index query, Index key) const {
    return patterns[patterns.size() == 1 ? 0 : head].allowed(query, key);
  }
  Index key_count(std::size_t head, Index query) const {
    Index count = 0;
    for (Index j = 0; j < std::ssize(keys); ++j) {
      count += sees(head, query, j) ? 1 : 0;
    }
    return count;
  }
  double weight(std::size_t head, Index query, Index key) const {
    return weights[head].row(query)[key];
  }
  TokenId key(Index j) const { return keys.at(static_cast<std::size_t>(j)); }
};
using AllSeen = std::map<std::string, std::vector<Seen>>;  // by module path

inline PoolVector<Pattern> patterns_of(const TinyModel& model, const AttentionSite& site) {
  for (const MultiHeadAttention* attention : model.transformer.attentions()) {
    if (attention->site == site) {
      return attention->patterns;
    }
  }
  throw std::logic_error(site.text());
}

inline AllSeen record(const TinyModel& model, const Split& split) {
  AllSeen all;
  for (Index example = 0; example < split.size(); ++example) {
    const Batch batch = pack(*split.source, {example});
    const std::vector<TokenId> source(batch.context.ids.begin(), batch.context.ids.end());
    const std::vector<TokenId> target(batch.input.ids.begin(), batch.input.ids.end());
    Tape tape(false);
    Pass pass(tape, model.store);
    pass.recorder = [&](const RecordedAttention& one) {
      const bool self = one.site.is_self();
      const bool decoder = one.site.stack() == StackName::decoder;
      std::vector<Seen>& list = all[one.site.text()];
      if (one.head == 0) {
        list.push_back({.keys = self && decoder ? target : source,
                        .queries = decoder ? target : source,
                        .self = self,
                        .causal = self && decoder,
                        .patterns = patterns_of(model, one.site),
                        .weights = {},
                        .outputs = {}});
      }
      list.back().weights.push_back(one.weights.copy());
      list.back().outputs.push_back(one.output.copy());
    };
    logits_of(model.transformer, pass, batch);
  }
  return all;
}

// Σ of `term` over sentences and their queries.
inline double sum_of(const std::vector<Seen>& sentences,
                     const std::function<double(const Seen&, Index)>& term) {
  double sum = 0;
  for (const Seen& seen : sentences) {
    for (Index i = 0; i < seen.rows(); ++i) {
      sum += term(seen, i);
    }
  }
  return sum;
}

inline double entropy(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) {
    sum -= weight > 0 ? weight * std::log(weight) : 0;
  }
  return sum;
}

inline std::vector<double> row_of(const Seen& seen, std::size_t head, Index query) {
  const Scalar* row = seen.weights[head].row(query);
  return {row, row + seen.keys.size()};
}

inline Index largest_key(const Seen& seen, std::size_t head, Index query) {
  const std::vector<double> row = row_of(seen, head, query);
  return std::ranges::max_element(row) - row.begin();
}

struct WatchedCase {
  std::string name;
  std::function<void(ModelOptions&)> set;

  friend std::ostream& operator<<(std::ostream& out, const WatchedCase& c) { return out << c.name; }
};

inline ByHead<AttentionPattern> patterns(std::initializer_list<const char*> texts) {
  ByHead<AttentionPattern> result;
  result.values.clear();
  for (const char* text : texts) {
    result.values.emplace_back(text);
  }
  return result;
}

// Grouped and tied keys; positions, patterns and scores that differ by head; layers that differ.
inline void compose(ModelOptions& options) {
  using enum AttentionPositions;
  options.d_head = 4;
  options.encoder_self.heads.values = {4, 2};
  options.encoder_self.kv_heads.values = {2, 1};
  options.encoder_self.positions.values = {rotary, relative};
  options.encoder_self.pattern.values = {patterns({"full", "window 1", "strided 2", "top_k 2"}),
                                         patterns({"blocks 2"})};
  options.decoder_self.heads.values = {2, 3};
  options.decoder_self.positions.values = {t5, alibi};
  options.decoder_self.score.values = {{{Score::bilinear, Score::cosine}}, {{Score::dot}}};
  options.cross.heads.values = {3, 2};
  options.cross.combine.values = {Combine::mean, Combine::output};
  options.cross.head_weights.values = {HeadWeights::tied, HeadWeights::own};
  options.cross.score.values = {{{Score::dot, Score::cosine, Score::bilinear}}, {{Score::dot}}};
}

class WatchedModel : public TestWithParam<WatchedCase> {
 protected:
  WatchedModel() : model_(options()), seen_(record_all()) {}

  static ModelOptions options() {
    ModelOptions result = tiny_options();
    result.layers = 2;
    GetParam().set(result);
    return result;
  }
  AllSeen record_all() {
    model_.shake(0.5);
    return record(model_, tiny_split());
  }
  // Watches batches of several sentences on two threads.
  std::vector<AttentionSums> watch() const {
    Workers workers(2);
    return watch_heads(model_.transformer, model_.store, *tiny_split().source, tiny_facts(), 7,
                       workers);
  }
  const AttentionSpec& spec_of(const std::string& path) const {
    for (const MultiHeadAttention* attention : model_.transformer.attentions()) {
      if (attention->module.path() == path) {
        return attention->spec;
      }
    }
    throw std::logic_error(path);
  }

  TinyModel model_;
  AllSeen seen_;
};

inline std::vector<WatchedCase> watched_cases() {
  return {{"plain", [](ModelOptions&) {}}, {"composed", compose}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
