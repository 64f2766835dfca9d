// The loss and gradients of a WiredModel: does what Transformer, batch_loss and Trainer do, through
// every part that a fault may have replaced.
#pragma once

#include "core/ops/softmax.hpp"
#include "tests/nn/wiring/model.hpp"
#include "train/step/shards.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

// Applies a block of a layer by its path, such as "encoder.layers.1.self".
inline Var connected(Run& run, const Layer& layer, const std::string& path, const Var& x,
                     const Segments& segments, const Var& memory, const Segments& attended) {
  const bool self = path.ends_with(".self");
  const bool cross = path.ends_with(".cross");
  const Block block = [&](Pass& pass, const Var& normed) -> BlockOutput {
    if (self) {
      return layer.self(pass, normed, segments, {segments});
    }
    if (cross) {
      return layer.cross->attention(pass, normed, segments, {.segments = attended, .rows = memory});
    }
    return layer.feed_forward->block(pass, normed, segments);
  };
  const Residual& residual = self    ? layer.self_residual
                             : cross ? layer.cross->residual
                                     : layer.feed_forward->residual;
  const auto replaced = run.model.connections.find(path);
  if (replaced != run.model.connections.end()) {
    return replaced->second({run, residual, x, segments, memory, attended, block});
  }
  return residual(run.pass, x, segments,
                  [&](const Var& normed) { return block(run.pass, normed); });
}

// The embedding, the output of each layer, and the last output after the final norm.
inline std::vector<Var> encode(Run& run) {
  const WiredModel& model = run.model;
  const Segments& segments = run.batch.context.segments;
  std::vector<Var> made{model.embed_source(run)};
  for (std::size_t i = 0; i < model.encoder.size(); ++i) {
    Var x = made.back();
    for (const std::string block : {"self", "feed_forward"}) {
      const std::string path = fmt::format("encoder.layers.{}.{}", i, block);
      x = connected(run, model.encoder[i], path, x, segments, x, segments);
    }
    made.push_back(x);
  }
  if (model.encoder_norm) {
    made.push_back((*model.encoder_norm)(run.pass, made.back()));
  }
  return made;
}

inline Var decode(Run& run, const std::vector<Var>& made) {
  const WiredModel& model = run.model;
  const Segments attended = model.attended(run.batch.context.segments);
  Var x = model.embed_target(run);
  for (std::size_t i = 0; i < model.decoder.size(); ++i) {
    const Var memory = model.memory(made, i);
    for (const std::string& block : model.decoder_blocks) {
      const std::string path = fmt::format("decoder.layers.{}.{}", i, block);
      x = connected(run, model.decoder[i], path, x, run.batch.input.segments, memory, attended);
    }
  }
  return model.decoder_norm ? (*model.decoder_norm)(run.pass, x) : x;
}

// into += share * from; or into = share * from where `from` has a gradient.
inline void add_share(const ParameterStore& store, ParameterGradients& into,
                      const ParameterGradients& from, double share, bool overwrite = false) {
  for (Index block = 0; block < store.blocks(); ++block) {
    if (share == 0 || !from.written(block)) {
      continue;
    }
    GradientSlot slot = into.slot(block);
    for (Index i = 0; i < slot.memory.size(); ++i) {
      const Scalar before = *slot.written && !overwrite ? slot.memory.data()[i] : 0;
      slot.memory.data()[i] = before + share * from.data(block)[i];
    }
    *slot.written = true;
  }
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
    Run run(tape, model, model.store, own, parts[i]);
    const Var logits = model.logits(run, decode(run, encode(run)));
    const Var loss = cross_entropy(logits, parts[i].labels.ids, model.label_smoothing).loss;
    total += loss.value().data()[0];
    tape.backward(loss);
    add_share(model.store, own, run.overwriting, 1, true);
    if (gradients != nullptr) {
      add_share(model.store, *gradients, own, model.shares[i]);
    }
  }
  return total;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
