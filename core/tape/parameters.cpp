#include "core/tape/parameters.hpp"

#include "core/random/draws.hpp"
#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr Index block_alignment = 16;  // numbers: a cache line of floats

void fill(Tensor values, const NamedParameter& parameter, std::uint64_t seed) {
  const Draws draws(seed, "initialize." + parameter.name, 0);
  const auto& [kind, value, row_period, column_period] = parameter.initializer;
  const Index columns = parameter.shape.rank() == 2 ? parameter.shape[1] : 1;
  for (Index i = 0; i < values.size(); ++i) {
    // The element whose random draw element i uses.
    const Index row = row_period > 0 ? i / columns % row_period : i / columns;
    const Index column = column_period > 0 ? i % columns % column_period : i % columns;
    const auto index = static_cast<std::uint64_t>(row * columns + column);
    double number = value;
    if (kind == Initializer::Kind::normal) {
      number = value * draw_normal(draws, index);
    } else if (kind == Initializer::Kind::uniform) {
      number = value * (2 * draw_uniform(draws, index) - 1);
    }
    values.data()[i] = static_cast<Scalar>(number);
  }
}

// "encoder.layers.0.self.query" of "encoder.layers.0.self.query.weight".
std::string parent_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

}  // namespace

Scope Scope::operator/(std::string_view name) const {
  return name.empty() ? *this : Scope(*store_, name_of(name));
}

std::string Scope::name_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
}

Parameter Scope::create(std::string_view name, ParameterKind kind, const Shape& shape,
                        Initializer initializer, Index heads) const {
  return create_stacked({std::string(name)}, kind, shape, initializer, heads);
}

Parameter Scope::create_stacked(const std::vector<std::string>& names, ParameterKind kind,
                                const Shape& shape, Initializer initializer, Index heads) const {
  const auto count = static_cast<Index>(names.size());
  const Shape stacked =
      shape.rank() == 1 ? Shape{count * shape[0]} : Shape{count * shape[0], shape[1]};
  ParameterStore::Block block{.offset = store_->size_,
                              .kind = kind,
                              .shape = stacked,
                              .module = {.paths = {}, .heads = heads}};
  for (const std::string& own_name : names) {
    const std::string name = name_of(own_name);
    if (store_->find(name) != nullptr) {
      throw ConfigError("two parameters are named {}", name);
    }
    const bool frozen = freezes(own_name);
    block.frozen = block.frozen && frozen;
    const Index before = std::ssize(block.module.paths) * shape.size();
    block.module.paths.push_back(parent_of(name));
    store_->parameters_.push_back({.name = name,
                                   .kind = kind,
                                   .shape = shape,
                                   .initializer = initializer,
                                   .block = store_->blocks(),
                                   .offset = block.offset + before,
                                   .frozen = frozen});
  }
  store_->blocks_.push_back(std::move(block));
  store_->size_ += (stacked.size() + block_alignment - 1) / block_alignment * block_alignment;
  return {.block = store_->blocks() - 1, .shape = stacked};
}

bool Scope::freezes(std::string_view name) const {
  return std::ranges::any_of(
      store_->frozen_, [&](const std::string& pattern) { return matches(pattern, name_of(name)); });
}

void ParameterStore::initialize(std::uint64_t seed) {
  set_to_zeros();
  for (const NamedParameter& parameter : parameters_) {
    fill(value(parameter), parameter, seed);
  }
}

Index ParameterStore::count(bool trained_alone) const {
  Index total = 0;
  for (const NamedParameter& parameter : parameters_) {
    total += trained_alone && parameter.frozen ? 0 : parameter.shape.size();
  }
  return total;
}

ParameterGradients::ParameterGradients(const ParameterStore& store)
    : store_(store),
      memory_(static_cast<std::size_t>(store.blocks())),
      written_(std::make_unique<bool[]>(static_cast<std::size_t>(store.blocks()))) {}

GradientSlot ParameterGradients::slot(Index block) {
  Tensor& memory = memory_[static_cast<std::size_t>(block)];
  if (!memory.has_memory()) {
    memory = Tensor::empty(store_.block_shape(block));
  }
  return {.memory = memory, .written = &written_[static_cast<std::size_t>(block)]};
}

GradientSlot ParameterGradients::later_slot(Index block) {
  const auto k = static_cast<std::size_t>(block);
  return {.memory = {}, .written = &written_[k], .later = &memory_[k]};
}

void ParameterGradients::forget() {
  std::ranges::fill(memory_, Tensor());
  std::fill_n(written_.get(), store_.blocks(), false);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
