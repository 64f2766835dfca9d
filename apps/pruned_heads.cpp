#include "apps/pruned_heads.hpp"

#include "core/shown.hpp"
#include "core/text.hpp"
#include "lab/removal/head_pruning.hpp"

namespace tapehead {

namespace {

// "decoder.layers.0.cross.3"
HeadName head_in(const Transformer& transformer, const std::string& text) {
  const std::size_t dot = text.rfind('.');
  const auto head = whole_number(dot == std::string::npos ? "" : text.substr(dot + 1));
  if (!head) {
    throw ConfigError(
        fmt::format("--head {}: not of the form ATTENTION.NUMBER, such as decoder.layers.0.cross.3",
                    shown(text)));
  }
  return head_named(transformer, text.substr(0, dot), *head);
}

ChosenHeads closed_ones(const SavedRun& saved) {
  const std::vector<GatedHead> gated = gated_heads(saved.model);
  if (gated.empty()) {
    throw ConfigError(fmt::format("--closed: the heads of {} have no gates (attention.gates)",
                                  saved.directory.string()));
  }
  const std::vector<HeadName> closed = closed_heads(gated);
  ChosenHeads chosen{.heads = removable_among(saved.model.transformer, closed)};
  if (chosen.heads.size() < closed.size()) {
    chosen.remark = fmt::format(
        "of {} closed heads {} cannot be removed: their attention allows no removal, or the heads "
        "that remain would share keys in unequal groups",
        closed.size(), closed.size() - chosen.heads.size());
  }
  return chosen;
}

ChosenHeads least_important(const HeadChoice& wanted, SavedRun& saved, const Task& task,
                            const Split& split, Workers& workers, Console& console) {
  const RemovalChoice choice = choose_removal(
      saved.model, saved.config, task, split,
      wanted.count < 0 ? std::nullopt : std::optional(wanted.count), usual_slope_examples, workers,
      [&](Index done, Index of) { console.live(fmt::format("heads tried: {} of {}", done, of)); });
  console.live("");
  ChosenHeads chosen{.heads = wanted.count < 0 ? choice.heads_within(wanted.tolerance)
                                               : choice.all_heads()};
  if (const auto staying = staying_attentions(saved.model.transformer); !staying.empty()) {
    chosen.remark = "heads that cannot be removed: " + fixed_text(staying);
  }
  return chosen;
}

}  // namespace

ChosenHeads choose_heads(const HeadChoice& choice, SavedRun& saved, const Task& task,
                         const Split& split, Workers& workers, Console& console) {
  if (!choice.names.empty()) {
    ChosenHeads chosen;
    for (const std::string& text : choice.names) {
      const HeadName head = head_in(saved.model.transformer, text);
      if (std::ranges::find(chosen.heads, head) != chosen.heads.end()) {
        throw ConfigError(fmt::format("--head {}: it is given twice; leave one out", shown(text)));
      }
      chosen.heads.push_back(head);
    }
    return chosen;
  }
  return choice.closed ? closed_ones(saved)
                       : least_important(choice, saved, task, split, workers, console);
}

}  // namespace tapehead
