// The loss and gradients of a WiredModel: does what Transformer, batch_loss and Trainer do, through
// every part that a fault may have replaced.
#pragma once

#include "core/ops/softmax.hpp"
#include "tests/nn/wiring/model.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

inline Var connect(const WiredModel& model, Run& run, const std::string& path,
                   const Residual& residual, const Var& x, const Rows& rows, const Block& block) {
  const auto replaced = model.connections.find(path);
  if (replaced != model.connections.end()) {
    return replaced->second(run, residual, x, rows, block);
  }
  return residual(run.pass, x, rows.own,
                  [&](const Var& normed) { return block(run.pass, normed); });
}

inline Var encoder_block(const WiredModel& model, Run& run, std::size_t number,
                         const std::string& name, const Var& x) {
  const Layer& layer = model.encoder.at(number);
  const Segments& segments = run.batch.context.segments;
  const Rows rows{segments, x, segments};
  const std::string path = fmt::format("encoder.layers.{}.{}", number, name);
  if (name == "self") {
    const Block self = [&](Pass& pass, const Var& normed) {
      return layer.self(pass, normed, segments, {segments});
    };
    return connect(model, run, path, layer.self_residual, x, rows, self);
  }
  const Block feed_forward = [&](Pass& pass, const Var& normed) {
    return layer.feed_forward->block(pass, normed, segments);
  };
  return connect(model, run, path, layer.feed_forward->residual, x, rows, feed_forward);
}

inline Var decoder_block(const WiredModel& model, Run& run, std::size_t number,
                         const std::string& name, const Var& x, const Rows& rows) {
  const Layer& layer = model.decoder.at(number);
  const std::string path = fmt::format("decoder.layers.{}.{}", number, name);
  if (name == "self") {
    const Block self = [&](Pass& pass, const Var& normed) {
      return layer.self(pass, normed, rows.own, {rows.own});
    };
    return connect(model, run, path, layer.self_residual, x, rows, self);
  }
  if (name == "cross") {
    const Block cross = [&](Pass& pass, const Var& normed) {
      return layer.cross->attention(pass, normed, rows.own,
                                    {.segments = rows.memory_segments, .rows = rows.memory});
    };
    return connect(model, run, path, layer.cross->residual, x, rows, cross);
  }
  const Block feed_forward = [&](Pass& pass, const Var& normed) {
    return layer.feed_forward->block(pass, normed, rows.own);
  };
  return connect(model, run, path, layer.feed_forward->residual, x, rows, feed_forward);
}

// The embedding, the output of each layer, and the last output after the final norm.
inline std::vector<Var> encode(const WiredModel& model, Run& run) {
  std::vector<Var> made{model.embed_source(run)};
  for (std::size_t i = 0; i < model.encoder.size(); ++i) {
    Var x = made.back();
    for (const std::string& name : model.encoder_blocks) {
      x = encoder_block(model, run, i, name, x);
    }
    made.push_back(x);
  }
  if (model.encoder_norm) {
    made.push_back((*model.encoder_norm)(run.pass, made.back()));
  }
  return made;
}

inline Var decode(const WiredModel& model, Run& run, const std::vector<Var>& made) {
  const Segments attended = model.attended(run.batch.context.segments);
  Var x = model.embed_target(run);
  for (std::size_t i = 0; i < model.decoder.size(); ++i) {
    const Var memory = model.memory(made, i);
    for (const std::string& name : model.decoder_blocks) {
      x = decoder_block(model, run, i, name, x, {run.batch.input.segments, memory, attended});
    }
  }
  return model.decoder_norm ? (*model.decoder_norm)(run.pass, x) : x;
}

// into += share * from
inline void add_share(const ParameterStore& store, ParameterGradients& into,
                      const ParameterGradients& from, double share) {
  for (Index block = 0; block < store.blocks(); ++block) {
    if (share == 0 || !from.written(block)) {
      continue;
    }
    GradientSlot slot = into.slot(block);
    for (Index i = 0; i < slot.memory.size(); ++i) {
      const Scalar before = *slot.written ? slot.memory.data()[i] : 0;
      slot.memory.data()[i] = before + share * from.data(block)[i];
    }
    *slot.written = true;
  }
}

inline void overwrite(const ParameterStore& store, ParameterGradients& into,
                      const ParameterGradients& from) {
  for (Index block = 0; block < store.blocks(); ++block) {
    if (from.written(block)) {
      *into.slot(block).written = false;
    }
  }
  add_share(store, into, from, 1);
}

// A LossAndGradients: returns the loss, and adds to `gradients` unless it is null.
inline double loss_of(const WiredModel& model, ParameterGradients* gradients) {
  const auto shards = static_cast<Index>(model.shares.size());
  const PoolVector<Batch> parts = cut_into_shards(model.batch, shards);
  if (parts.size() != model.shares.size()) {
    throw std::logic_error(fmt::format("the batch makes {} shards, not {}", parts.size(), shards));
  }
  double total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ParameterGradients own(model.store);
    Tape tape(gradients != nullptr);
    Run run(tape, model.store, own, parts[i]);
    const Var logits = model.logits(run, decode(model, run, encode(model, run)));
    const Var loss = cross_entropy(logits, parts[i].labels.ids, model.label_smoothing).loss;
    total += loss.value().data()[0];
    tape.backward(loss);
    overwrite(model.store, own, run.overwriting);
    if (gradients != nullptr) {
      add_share(model.store, *gradients, own, model.shares[i]);
    }
  }
  return total;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
