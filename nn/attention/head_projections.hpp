// Projects the inputs of an attention to the queries, keys and values of its heads.
#pragma once

#include "core/ops/heads/head_columns.hpp"
#include "nn/attention/head_copy.hpp"
#include "nn/attention/spec.hpp"
#include "nn/pass.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

enum class HeadRole { query, key, value };

// The roles that an input has.
enum class HeadRoles { all, query_only, key_and_value };

struct HeadProjections {
  HeadProjections(const Scope& scope, const ModelOptions& options, const AttentionSpec& spec);

  // The projections of one input, computed when they are first needed.
  class Of {
   public:
    Of(const HeadProjections& projections, Pass& pass, const Var& input, HeadRoles roles)
        : projections_(projections), pass_(pass), input_(input), roles_(roles) {}
    HeadColumns columns(HeadRole role);

   private:
    Var product(std::size_t block, HeadRole role);

    const HeadProjections& projections_;
    Pass& pass_;
    Var input_;
    HeadRoles roles_;
    std::array<std::optional<Var>, 3> products_;  // by block
  };
  // Only these roles may be asked for. The others are not computed.
  Of of(Pass& pass, const Var& input, HeadRoles roles = HeadRoles::all) const {
    return {*this, pass, input, roles};
  }

  // The weight (d, columns that the head sees) of a head's queries, keys or values, and the first
  // of those columns. Nothing where the input takes this role itself.
  struct HeadWeight {
    Tensor weight;
    Index first_input;
  };
  std::optional<HeadWeight> head_weight(const ParameterStore& store, HeadRole role,
                                        Index head) const;

  void keep_heads(const KeptHeads& kept, const HeadProjections& smaller, HeadCopy& copy) const;

  // Weights that are used as one matrix in one product.
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
  // Whether the input itself takes this role, without a weight.
  bool is_input(HeadRole role) const {
    return spec.sharing == Sharing::identity ||
           (spec.sharing == Sharing::identity_query && role == HeadRole::query);
  }
  Index width(HeadRole role) const { return role == HeadRole::value ? spec.d_v : spec.d_qk; }

  AttentionSpec spec;
  std::vector<Block> blocks;
  std::array<Place, 3> places{};

 private:
  Place used_columns(std::size_t block, HeadRoles roles) const;
  void add_block(const Scope& scope, const ModelOptions& options,
                 const std::vector<ProjectionSpec>& projections);
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
