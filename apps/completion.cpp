#include "apps/commands.hpp"
#include "train/output/program_path.hpp"

namespace tapehead {

namespace {

// The words of an option: "--help" and "-h".
std::vector<std::string> words_of(const CLI::Option& option) {
  std::vector<std::string> words;
  for (const std::string& name : option.get_lnames()) {
    words.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    words.push_back("-" + name);
  }
  return words;
}

std::string all_words_of(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& word : words_of(*option)) {
      words += (words.empty() ? "" : " ") + word;
    }
  }
  return words;
}

// With a backslash before each of the marks.
std::string escaped(std::string_view text, std::string_view marks) {
  std::string result;
  for (const char c : text) {
    result += marks.find(c) == std::string_view::npos ? std::string(1, c) : std::string("\\") + c;
  }
  return result;
}

// What _arguments takes for one word of an option: '*--run[Run directory]:value:_files'. With the
// star it may be given again, since the program checks that itself.
std::string zsh_argument(const CLI::Option& option, const std::string& word) {
  const std::string value = option.get_items_expected_max() > 0 ? ":value:_files" : "";
  return shell_word("*" + word + "[" + escaped(option.get_description(), "[]\\:") + "]" + value);
}

}  // namespace

std::string bash_completion(const std::vector<const CLI::App*>& commands) {
  std::string names;
  std::string cases;
  for (const CLI::App* command : commands) {
    names += (names.empty() ? "" : " ") + command->get_name();
    cases += fmt::format("      {}) words='{}' ;;\n", command->get_name(), all_words_of(*command));
  }
  return fmt::format(R"(# Completion of tapehead in bash: commands, options, and files.
_tapehead() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words=
  if ((COMP_CWORD == 1)); then
    words='{} --help --version'
  elif [[ $current == -* ]]; then
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  [[ ! $words ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _tapehead tapehead
)",
                     names, cases);
}

std::string zsh_completion(const std::vector<const CLI::App*>& commands) {
  std::string described;
  std::string cases;
  for (const CLI::App* command : commands) {
    described +=
        fmt::format("    {}\n", shell_word(command->get_name() + ":" + command->get_description()));
    cases += fmt::format("    {})\n      _arguments", command->get_name());
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& word : words_of(*option)) {
        cases += " \\\n        " + zsh_argument(*option, word);
      }
    }
    cases += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return fmt::format(R"(#compdef tapehead
# Completion of tapehead in zsh: commands, options with what they mean, and files.
_tapehead() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
_tapehead "$@"
)",
                     described, cases);
}

}  // namespace tapehead
