#include "apps/pruned_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "train/output/program_path.hpp"
#include "train/output/text_table.hpp"

namespace tapehead {

std::string pruned_text(const Pruned& pruned) {
  const auto count = [](Index number) { return format_count(static_cast<double>(number)); };
  const std::string run = pruned.run.string();
  return fmt::format("removed {} of {} heads:{}{}\n{}{}", pruned.removed.size(), pruned.heads,
                     pruned.removed.empty() ? "" : " ", join(pruned.removed, " "), pruned.remark,
                     pruned.remark.empty() ? "" : "\n") +
         fmt::format("parameters: {} -> {}; loss on {}: {:.4f} -> {:.4f}\n",
                     count(pruned.parameters.before), count(pruned.parameters.after), pruned.split,
                     pruned.loss.before, pruned.loss.after) +
         fmt::format(
             "{} can be evaluated and used like any run; to continue its training:\n{} train {} "
             "--set {} --run DIR\n",
             run, program_path(), shell_word((pruned.run / "config.yaml").string()),
             shell_word("model.init_from=" + run));
}

std::string pruned_json(const Pruned& pruned) {
  const auto pair = [](const auto& numbers) {
    return nlohmann::ordered_json{{"before", numbers.before}, {"after", numbers.after}};
  };
  const nlohmann::ordered_json json = {
      {"run", pruned.run.string()}, {"heads", pruned.heads},
      {"removed", pruned.removed},  {"remark", pruned.remark},
      {"split", pruned.split},      {"parameters", pair(pruned.parameters)},
      {"loss", pair(pruned.loss)}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace tapehead
