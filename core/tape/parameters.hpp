// Parameters: declared once, by name, shape and initialiser. The store keeps them all in one range
// of memory; saving, counting, clipping and optimising iterate over it.
#pragma once

#include "core/choices.hpp"
#include "core/tape/parameter_declaration.hpp"
#include "core/tape/tape.hpp"
#include "core/tape/tensor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// A layer's handle to one of its tensors, or to stacked ones. Pass::parameter makes a Var of it.
struct Parameter {
  Index block = -1;  // -1: the layer does not have the parameter
  Shape shape;

  bool declared() const { return block >= 0; }

  // A handle to the first rows of a matrix.
  Parameter first_rows(Index rows) const { return {block, {rows, shape[1]}}; }
};

// The entry of one named tensor in the store.
struct NamedParameter {
  std::string name;  // the path, such as "encoder.layers.0.self.query.weight"
  ParameterKind kind;
  Shape shape;
  Initializer initializer;
  Index block;
  Index offset;  // of its first number in the store's memory
  bool frozen;   // training does not change it
};

class ParameterStore;

// A place in the tree of names, where a layer declares its parameters.
class Scope {
 public:
  Scope operator/(std::string_view name) const;  // the same scope if the name is empty
  const std::string& path() const { return path_; }

  // `heads`: to how many heads the rows (columns of the result) belong; 0: none.
  Parameter create(std::string_view name, ParameterKind kind, const Shape& shape,
                   Initializer initializer, Index heads = 0) const;

  // Parameters of one shape, stored one after another and used as one: (n * rows, ...).
  Parameter create_stacked(const std::vector<std::string>& names, ParameterKind kind,
                           const Shape& shape, Initializer initializer, Index heads = 0) const;

  bool freezes(std::string_view name) const;  // whether the parameter of this name is frozen

 private:
  friend class ParameterStore;
  Scope(ParameterStore& store, std::string path) : store_(&store), path_(std::move(path)) {}

  std::string name_of(std::string_view name) const;

  ParameterStore* store_;
  std::string path_;
};

class ParameterStore : NotCopied {
 public:
  // `frozen`: patterns (core/text.hpp) of the parameters that training does not change.
  explicit ParameterStore(std::vector<std::string> frozen = {}) : frozen_(std::move(frozen)) {}

  Scope root() { return {*this, ""}; }

  // Call this once, after all declarations: values depend on the seed and the name only.
  void initialize(std::uint64_t seed);
  void set_to_zeros() { values_ = Tensor::zeros({size_}); }  // instead, if all are loaded later

  const std::vector<NamedParameter>& parameters() const { return parameters_; }
  const NamedParameter* find(std::string_view name) const {  // null: there is none
    const auto found = std::ranges::find(parameters_, name, &NamedParameter::name);
    return found == parameters_.end() ? nullptr : &*found;
  }
  Index count(bool trained_alone = false) const;       // numbers in all parameters together
  Index trained_count() const { return count(true); }  // in parameters that are not frozen
  Index size() const { return size_; }  // with the gaps for alignment, which are always 0
  Index blocks() const { return static_cast<Index>(blocks_.size()); }

  // Of the products with these weights in passes without gradients.
  Precision precision = Precision::float32;

  Tensor& values() { return values_; }
  const Tensor& values() const { return values_; }
  Tensor value(const Parameter& parameter) const {
    return values_.part(block_begin(parameter.block), parameter.shape);
  }
  Tensor value(const NamedParameter& parameter) const {
    return values_.part(parameter.offset, parameter.shape);
  }

  const Module& module_of(Index block) const { return at(block).module; }
  bool frozen(Index block) const { return at(block).frozen; }  // all parameters of the block
  ParameterKind kind_of(Index block) const { return at(block).kind; }
  Index block_begin(Index block) const { return at(block).offset; }
  const Shape& block_shape(Index block) const { return at(block).shape; }
  Index block_size(Index block) const { return block_shape(block).size(); }

 private:
  friend class Scope;
  struct Block {
    Index offset;
    ParameterKind kind;
    Shape shape;
    Module module;  // the paths of the parameters
    bool frozen = true;
  };
  const Block& at(Index block) const { return blocks_[static_cast<std::size_t>(block)]; }

  std::vector<std::string> frozen_;
  std::vector<NamedParameter> parameters_;
  std::vector<Block> blocks_;
  Index size_ = 0;
  Tensor values_;
};

// The gradients of one pass over the model, with memory for each block that has a gradient.
// Gradients arrive while a tape runs backwards and frees its closures, so they reuse that memory.
class ParameterGradients {
 public:
  explicit ParameterGradients(const ParameterStore& store);

  GradientSlot slot(Index block);        // with memory
  GradientSlot later_slot(Index block);  // without memory until the first gradient arrives
  bool written(Index block) const { return written_[static_cast<std::size_t>(block)]; }
  const Scalar* data(Index block) const { return memory_[static_cast<std::size_t>(block)].data(); }
  void forget();  // nothing is written, and no memory is held

 private:
  const ParameterStore& store_;
  std::vector<Tensor> memory_;  // of each block
  std::unique_ptr<bool[]> written_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
