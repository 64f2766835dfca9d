// Projects the inputs of an attention to the queries, keys and values of its heads, and combines
// the heads' outputs into the output of the attention.
#pragma once

#include "core/ops/heads/head_columns.hpp"
#include "nn/attention/spec.hpp"
#include "nn/residual_stream.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// The numbers of the heads that a smaller model keeps, as in the larger model, in increasing order.
using KeptHeads = std::vector<Index>;

// Copies the weights of a model to the same model with fewer heads.
class HeadCopy {
 public:
  HeadCopy(const ParameterStore& from, ParameterStore& to) : from_(from), to_(to) {}

  // The heads that a parameter keeps. Each of the `rows` rows of the larger parameter has equally
  // many numbers for each of `of` heads, one head after the other.
  struct Heads {
    std::vector<Index> which;
    Index of;
    Index rows = 1;
  };
  // Sets which heads to keep of each parameter in the block of `from`, a parameter of the larger
  // model, if `from` is declared.
  void keep(const Parameter& from, const Heads& heads);

  // Copies all parameters by name. Throws logic_error if the shape of a parameter differs without
  // keep(): the part of the attention that owns the parameter must call it in its keep_heads.
  void run() const;

 private:
  const ParameterStore& from_;
  ParameterStore& to_;
  std::map<Index, Heads> kept_;  // by block of the larger model
};

enum class HeadRole { query, key, value };

enum class HeadRoles { all, query_only, key_and_value };

struct HeadProjections {
  HeadProjections(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  // The projections of one input, each computed when it is first needed.
  struct Of {
    const HeadProjections& projections;
    Pass& pass;
    Var input;
    HeadRoles roles;
    std::array<std::optional<Var>, 3> products{};  // by block

    HeadColumns columns(HeadRole role);
  };
  // Only these roles may be requested; other roles are not computed.
  Of of(Pass& pass, const Var& input, HeadRoles roles = HeadRoles::all) const {
    return {*this, pass, input, roles};
  }

  // The weight (d, columns that the head sees) of a head's queries, keys or values, its bias (d),
  // if any, and the first of these columns. Nothing if the input itself takes this role.
  struct HeadWeight {
    Tensor weight;
    std::optional<Tensor> bias;
    Index first_input;
  };
  std::optional<HeadWeight> head_weight(const ParameterStore& store, HeadRole role,
                                        Index head) const;

  void keep_heads(const KeptHeads& kept, HeadCopy& copy) const;

  // Weights that one product uses as one matrix.
  struct Block {
    Parameter weight;  // (rows, in)
    Parameter bias;    // (rows), with biases
    Index heads;       // of a narrow product
  };
  struct Place {
    std::size_t block = 0;
    Index first = 0;  // column
    Index columns = 0;
  };
  const Place& place(HeadRole role) const { return places[static_cast<std::size_t>(role)]; }
  // Whether the input itself is used for this role, without a weight.
  bool is_input(HeadRole role) const {
    return spec.sharing == Sharing::identity ||
           (spec.sharing == Sharing::identity_query && role == HeadRole::query);
  }
  Index width(HeadRole role) const { return role == HeadRole::value ? spec.d_v : spec.d_qk; }

  AttentionSpec spec;
  std::vector<Block> blocks;
  std::array<Place, 3> places{};

 private:
  WeightRows used_rows(std::size_t block, HeadRoles roles) const;
  void add_block(const Scope& scope, const ModelOptions& options,
                 const std::vector<ProjectionSpec>& projections);
};

// A gate on each head, which training can open or close (Voita et al. 2019, section 5.2).
struct L0Gates {
  L0Gates(const Scope& scope, const AttentionSpec& spec);

  // Multiplies each head by its gate, (N, H d_v) -> (N, H d_v). Training draws the gates once for a
  // whole step; otherwise they are settled. Without gates, the heads stay unchanged.
  Var operator()(Pass& pass, const Var& heads_side_by_side) const;

  AttentionSpec spec;
  std::string path;     // the stream of the random draws
  Parameter log_alpha;  // (H), with gates
};

struct HeadCombination {
  HeadCombination(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  // (N, H d_v) -> (N, D)
  BlockOutput operator()(Pass& pass, const Var& heads_side_by_side) const;

  AttentionSpec spec;
  Parameter output_weight;  // (D, H d_v); with `output`
  Parameter head_weights;   // (H); with `weighted`
  Parameter output_bias;    // (D), with biases
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
