#include "train/run/texts.hpp"

#include "core/files/files.hpp"
#include "datasets/corpus/token_files.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"

namespace tapehead {

void save_texts(const Task& task, const std::filesystem::path& run) {
  const bool tokenizers_kept = has_tokenizers(run);
  for (const Split& split : task.splits) {
    const std::filesystem::path file = token_file(run, split.name);
    if (split.is_text() && !(tokenizers_kept && std::filesystem::exists(file))) {
      make_directories(file.parent_path());
      split.windows.text->save(file);
    }
  }
}

}  // namespace tapehead
