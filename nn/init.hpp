// Initialisers of weight matrices and embeddings, and the sites of attentions, which select draws.
#pragma once

#include "core/tape/parameter_declaration.hpp"
#include "nn/options/model_options.hpp"

namespace tapehead {

// Where an attention is in a model, independent of its parameters' names.
struct AttentionSite {
  AttentionKind kind = AttentionKind::encoder_self;
  Index layer = 0;

  StackName stack() const { return stack_of(kind); }
  bool is_self() const { return kind != AttentionKind::cross; }
  std::string text() const;  // "decoder.layers.1.cross"

  auto operator<=>(const AttentionSite&) const = default;
};

// A weight (out, in). xavier: uniform or normal with variance gain² 2 / (in + out) (Glorot and
// Bengio 2010, equation 16); normal: deviation 0.02 gain.
Initializer weight_initializer(const ModelOptions& options, Index in, Index out);

// The weight of the last map of a block in this stack. With initializer_depth_scale, the weight is
// divided by the square root of the number of blocks whose outputs the stack adds. At the start the
// sum then has the variance of a single output (Radford et al. 2019, section 2.3).
Initializer last_map_initializer(const ModelOptions& options, Index in, Index out, StackName stack);

// An embedding table (rows, E), by embedding_initializer. Three values are schemes of Csordás et
// al. 2021, section 3.1: unit_normal has deviation 1; xavier_uniform has variance 2 / (rows + E),
// so its bound is √3 deviations; kaiming_normal has deviation √(2 / E) (He et al. 2015, eq. 10).
Initializer embedding_initializer(const ModelOptions& options, Index rows);

// Normal with deviation d_model^-1/2, so that rows times √d_model (Vaswani et al. 2017, section
// 3.4) have numbers of about unit size. Without that scale: 0.02 (code of Radford et al. 2019).
Initializer standard_embedding_initializer(const ModelOptions& options);

}  // namespace tapehead
