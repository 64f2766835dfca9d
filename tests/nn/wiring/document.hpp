// All wiring faults, in the groups of docs/wiring-faults.md, and this document.
#pragma once

#include "tests/nn/wiring/backward_faults.hpp"
#include "tests/nn/wiring/order_faults.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace wiring {

struct FaultGroup {
  std::string title;
  std::string about;
  std::vector<Fault> faults;
};

template <class One>
std::vector<One> joined(std::initializer_list<std::vector<One>> lists) {
  std::vector<One> all;
  for (const std::vector<One>& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

// Faults with the correct loss: gradcheck_model and the reference name the same parameters.
inline std::vector<Fault> of_gradients(std::vector<Fault> faults) {
  for (Fault& fault : faults) {
    fault.off = joined({fault.named.no_gradient, fault.named.wrong});
  }
  return faults;
}

inline std::vector<FaultGroup> fault_groups() {
  return {
      {.title = "Another gradient",
       .about =
           R"(The loss is right, and its gradient is not. `gradcheck_model` finds all of these. It names every parameter whose
gradient comes through the fault, and no other. The reference has the same loss, and other gradients of the same
parameters.)",
       .faults = of_gradients(joined({sum_faults(), detached_faults(), backward_faults()}))},
      {.title = "Parameters left out",
       .about =
           R"(`gradcheck_model` finds all of these too. It names the parameters on which the loss no longer depends, and no other.)",
       .faults = unused_faults()},
      {.title = "Another function",
       .about =
           R"(The gradient is the right one of what is computed, so `gradcheck_model` has nothing to say. The reference differs.)",
       .faults = joined({order_faults(), setting_faults(), input_faults()})},
  };
}

inline std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (const FaultGroup& group : fault_groups()) {
    all.insert(all.end(), group.faults.begin(), group.faults.end());
  }
  return all;
}

inline std::string_view name_of(Base base) {
  constexpr std::array<std::string_view, 5> names{"pre-norm", "post-norm", "tied", "shared layer",
                                                  "dropout"};
  return names.at(static_cast<std::size_t>(base));
}

inline bool found_by_gradcheck(const Fault& fault) {
  return !fault.named.no_gradient.empty() || !fault.named.wrong.empty() ||
         !fault.named.unused.empty();
}

inline bool found_by_reference(const Fault& fault) { return fault.base != Base::dropout; }

inline bool found(const Fault& fault) {
  return found_by_gradcheck(fault) || found_by_reference(fault);
}

inline std::string quoted(const Names& names) {
  return fmt::format("`{}`", fmt::join(names, "`, `"));
}

inline std::string named_text(const Named& named) {
  std::vector<std::string> texts;
  for (const auto& [what, names] :
       {std::pair("no gradient", named.no_gradient), std::pair("wrong", named.wrong),
        std::pair("unused", named.unused)}) {
    if (!names.empty()) {
      texts.push_back(fmt::format("{}: {}", what, quoted(names)));
    }
  }
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, "; "));
}

inline std::string off_text(const Fault& fault) {
  if (!found_by_reference(fault)) {
    return "(none)";
  }
  if (fault.off == Names{"loss"}) {
    return "loss and gradients";
  }
  return found_by_gradcheck(fault) ? "gradients of the same" : "gradient of " + quoted(fault.off);
}

inline std::string document() {
  const std::vector<Fault> all = all_faults();
  std::string text = fmt::format(
      R"(# Wiring faults

Are mistakes found that lie in no single op or layer, but between them? Here a whole encoder-decoder, two layers each,
is put together from the project's layers as `Transformer` does it, with every part of the wiring open
(`tests/nn/wiring/model.hpp`), and a fault is planted in it (`tests/nn/wiring/*_faults.hpp`). There are two finders:
`gradcheck_model`, and a reference, the loss and the gradient of every parameter as PyTorch computes them
(`tests/fixtures/pytorch/`). Without a fault both are silent. With one the tests hold both to what stands here, down to
the names of the parameters.

| | |
|---|---|
| faults | {} |
| found | {} |
| found by `gradcheck_model` | {} |
| found by the reference | {} |

The models: pre-norm and post-norm are those of the fixtures. Three more are like the pre-norm one: tied, where the
target embedding is the output's weight; shared layer, where both encoder layers are one; and dropout, where each block
has some. Where a parameter is used twice, the reference is the pre-norm model with two parameters of equal numbers,
whose gradients are added. For dropout there is none.

In the tables `*` stands for anything, `?` for one character and `[qkv]` for one of these. The bias of a key may be
missing from what is named: it adds the same to all scores of a query, so no gradient belongs there in any case.

This page is printed by a test, and the same test fails where the two differ. Print it again with

    TAPEHEAD_PRINT_TABLE=docs/wiring-faults.md ./dev test -R WiringFaults
)",
      all.size(), std::ranges::count_if(all, found), std::ranges::count_if(all, found_by_gradcheck),
      std::ranges::count_if(all, found_by_reference));
  for (const FaultGroup& group : fault_groups()) {
    text += fmt::format(
        "\n## {}\n\n{}\n\n"
        "| fault | model | `gradcheck_model` names | reference differs in |\n|---|---|---|---|\n",
        group.title, group.about);
    for (const Fault& fault : group.faults) {
      text += fmt::format("| {} | {} | {} | {} |\n", fault.what, name_of(fault.base),
                          named_text(fault.named), off_text(fault));
    }
  }
  return text;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION::wiring
