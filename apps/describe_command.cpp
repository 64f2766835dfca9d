// tapehead describe: writes manual pages and shell completion, for packagers.
#include "apps/commands.hpp"
#include "core/version.hpp"

namespace tapehead {

namespace {

// Escapes text for roff: hyphens can be copied, and no line begins like a macro.
std::string roff(std::string_view text) {
  const std::string lines = "\n" + std::string(text);
  return replaced(lines, {{"\n.", "\n\\&."}, {"\n'", "\n\\&'"}, {"\\", "\\e"}, {"-", "\\-"}})
      .substr(1);
}

std::string heading(std::string title) {
  for (char& c : title) {
    c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return fmt::format(".TH {} 1 \"\" \"tapehead {}\" \"User Commands\"\n", roff(title), version());
}

std::string section(std::string_view title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

// One paragraph with `tag` in the margin.
std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(tag), roff(text));
}

std::string options_text(const CLI::App& command, bool positional) {
  const CLI::Formatter formatter;
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() == positional && !option->get_group().empty()) {
      text += tagged(
          formatter.make_option_name(option, positional) + formatter.make_option_opts(option),
          formatter.make_option_desc(option));
    }
  }
  return text;
}

std::string reference(const std::string& name) { return fmt::format(".BR {} (1)", roff(name)); }

// tapehead(1), in the macros of man(7). The program's description begins with its name, as in
// "tapehead: train".
std::string man_page(const CLI::App& program, const std::vector<const CLI::App*>& commands) {
  const std::string described = program.get_description();
  const std::size_t colon = described.find(": ");
  std::string list;
  std::vector<std::string> pages;
  for (const CLI::App* command : commands) {
    list += tagged(command->get_name(), command->get_description());
    pages.push_back(reference("tapehead-" + command->get_name()));
  }
  return heading("tapehead") +
         section("NAME", fmt::format("{} \\- {}\n", roff(described.substr(0, colon)),
                                     roff(described.substr(colon + 2)))) +
         section("SYNOPSIS", roff("tapehead COMMAND [ARGUMENT]...") + "\n") +
         section("COMMANDS", list) + section("OPTIONS", options_text(program, false)) +
         section("SEE ALSO", join(pages, " ,\n") + "\n");
}

std::string man_page_of_command(const CLI::App& command) {
  const std::string name = "tapehead-" + command.get_name();
  std::string usage = "tapehead " + command.get_name() + " [OPTION]...";
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      usage += " " + CLI::Formatter().make_option_usage(option);
    }
  }
  return heading(name) +
         section("NAME", fmt::format("{} \\- {}\n", roff(name), roff(command.get_description()))) +
         section("SYNOPSIS", roff(usage) + "\n") +
         section("ARGUMENTS", options_text(command, true)) +
         section("OPTIONS", options_text(command, false)) +
         section("SEE ALSO", reference("tapehead") + "\n");
}

// The forms of all options, such as "--help" and "-h", each with its option.
std::vector<std::pair<std::string, const CLI::Option*>> words_of(const CLI::App& command) {
  std::vector<std::pair<std::string, const CLI::Option*>> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words.emplace_back("--" + name, option);
    }
    for (const std::string& name : option->get_snames()) {
      words.emplace_back("-" + name, option);
    }
  }
  return words;
}

std::string bash_completion(const std::vector<const CLI::App*>& commands) {
  const auto name = [](const CLI::App* command) { return command->get_name(); };
  std::string cases;
  for (const CLI::App* command : commands) {
    cases += fmt::format("      {}) words='{}' ;;\n", command->get_name(),
                         join(words_of(*command) | std::views::keys, " "));
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
                     join(commands | std::views::transform(name), " "), cases);
}

std::string zsh_completion(const std::vector<const CLI::App*>& commands) {
  std::string described;
  std::string cases;
  for (const CLI::App* command : commands) {
    described +=
        fmt::format("    {}\n", shell_word(command->get_name() + ":" + command->get_description()));
    cases += fmt::format("    {})\n      _arguments", command->get_name());
    // As '*--run[Run directory]:value:_files'. The star allows repetition; the program checks it.
    for (const auto& [word, option] : words_of(*command)) {
      const std::string value = option->get_items_expected_max() > 0 ? ":value:_files" : "";
      const std::string help = replaced(option->get_description(),
                                        {{"[", "\\["}, {"]", "\\]"}, {"\\", "\\\\"}, {":", "\\:"}});
      cases += " \\\n        " + shell_word("*" + word + "[" + help + "]" + value);
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

struct DescribeArguments {
  std::string what;
  std::string command;
};

std::string described(const CLI::App& program, const DescribeArguments& arguments) {
  if (arguments.what != "man" && !arguments.command.empty()) {
    throw ConfigError(arguments.what +
                      " completes all commands; only `describe man` takes a command");
  }
  CLI::App other;
  GradcheckArguments unused;
  // The plain program does not know the options of gradcheck.
  const CLI::App* const gradcheck = declare_gradcheck(other, unused);
  std::vector<const CLI::App*> commands;  // that the help lists
  for (const CLI::App* command : program.get_subcommands({})) {
    if (!command->get_group().empty()) {
      commands.push_back(command->get_name() == gradcheck->get_name() ? gradcheck : command);
    }
  }
  if (arguments.what == "bash") {
    return bash_completion(commands);
  }
  if (arguments.what == "zsh") {
    return zsh_completion(commands);
  }
  if (arguments.command.empty()) {
    return man_page(program, commands);
  }
  const auto wanted = std::ranges::find(
      commands, arguments.command, [](const CLI::App* command) { return command->get_name(); });
  if (wanted == commands.end()) {
    throw ConfigError("there is no command " + shown(arguments.command));
  }
  return man_page_of_command(**wanted);
}

}  // namespace

const Command describe_command(210, [](CLI::App& program) {
  const auto [command, arguments] = add_command<DescribeArguments>(
      program, "describe", "Print a page of the manual, or completion for a shell",
      [&program](const DescribeArguments& wanted) { write_output(described(program, wanted)); });
  command.group("");
  command.add_option("what", arguments.what, "man, bash or zsh")
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh"}));
  command.add_option("command", arguments.command, "For man: the page of this command");
});

}  // namespace tapehead
