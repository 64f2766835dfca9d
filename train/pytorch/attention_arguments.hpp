// The arguments with which the objects of an attention's Python class are made.
#pragma once

#include <string>
#include <vector>

#include "train/pytorch/attention_classes.hpp"
#include "train/pytorch/expression.hpp"

namespace tapehead {

// What the patterns of a class need of it.
struct PatternNeeds {
  bool masked = false;        // some key may not be seen
  bool by_head = false;       // heads differ
  bool top_k = false;         // the largest scores count
  bool may_be_empty = false;  // a query may see no key
};
PatternNeeds pattern_needs(const AttentionClass& of);

struct Argument {
  std::string name;
  std::string value;
};
// The names are those of all attentions of the class.
std::vector<Argument> attention_arguments(const AttentionClass& of, const AttentionSpec& spec);

// SelfAttention(heads=4, d_qk=16, d_v=16)
Expression attention_call(const AttentionClass& of, const AttentionSpec& spec);

}  // namespace tapehead
