// Finds the programs that a shell script starts by name: words in command position. Parses only the
// shell grammar that this project's scripts use.
#pragma once

#include "core/prelude.hpp"

#include <cctype>

namespace tapehead {

class StartedPrograms {
 public:
  explicit StartedPrograms(std::string_view script) : text_(script) { commands('\0'); }

  // Programs in command position, without builtins and the script's own functions.
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const std::string& name : found_) {
      if (!functions_.contains(name) && !lists(builtins, name)) {
        names.insert(name);
      }
    }
    return names;
  }

  // The first words of the script's arrays, which may be program names too.
  const std::set<std::string>& listed() const { return listed_; }

  // Programs that the script looks up with `type -P`, and handles when they are missing.
  const std::set<std::string>& looked_for() const { return looked_for_; }

 private:
  static constexpr std::string_view builtins =
      " : [ break builtin case cd command compgen continue declare echo eval exec exit export "
      "false for kill local mapfile printf pwd read return set shift shopt source test trap true "
      "type "
      "ulimit umask unset wait ";
  // Keywords after which a command follows.
  static constexpr std::string_view keywords =
      " if then else elif fi do done while until ! { } time esac ";
  static constexpr std::string_view prefixes = " command env exec nohup setarch sudo xargs ";

  static bool lists(std::string_view words, std::string_view word) {
    return words.find(' ' + std::string(word) + ' ') != std::string_view::npos;
  }

  struct Word {
    std::string text;
    bool literal = true;  // no quotes or expansions
  };

  // State of the scan within a command.
  struct Place {
    bool command = true;    // a command name may follow
    bool prefixed = false;  // after env and the like, whose options come first
    bool option = false;
    bool pattern = false;  // pattern of a `case`
    bool head = false;     // between `case` and `in`
    bool test = false;     // inside [[ ]]
    bool redirected = false;
    bool looking = false;  // after `type -P`
    bool list = false;     // in an array
  };

  bool at(std::string_view what) const { return text_.substr(here_).starts_with(what); }
  bool over() const { return here_ >= text_.size(); }

  void commands(char end) {
    Place place;
    while (!over() && (text_[here_] != end || place.pattern)) {
      if (at("\\\n")) {
        here_ += 2;
      } else if (text_[here_] == ' ' || text_[here_] == '\t') {
        ++here_;
      } else if (text_[here_] == '#') {
        here_ = std::min(text_.find('\n', here_), text_.size());
      } else if (!operators(place)) {
        take(read_word(), place);
      }
    }
    ++here_;
  }

  bool operators(Place& place) {
    const char c = text_[here_];
    if (at("<(") || at(">(")) {
      here_ += 2;
      commands(')');
    } else if (c == '<' || c == '>') {
      here_ += at(">>") || at(">&") || at("<&") ? 2 : at("<<<") ? 3 : 1;
      place.redirected = !place.test;
    } else if (at("((") && !place.test) {
      here_ = text_.find("))", here_) + 2;
    } else if (c == '(' && !place.test) {
      ++here_;
      commands(')');
    } else if (std::string_view("\n;&|()").find(c) != std::string_view::npos) {
      const bool next_pattern = at(";;") || (place.pattern && c != ')');
      here_ += at(";;") ? 2 : 1;
      place = place.test ? place : Place{.pattern = next_pattern};
    } else {
      return false;
    }
    return true;
  }

  // A word with its quotes, expansions, and the commands inside them.
  Word read_word() {
    Word word;
    while (!over() &&
           std::string_view(" \t\n;&|()<>").find(text_[here_]) == std::string_view::npos) {
      const char c = text_[here_];
      word.literal &= c != '\'' && c != '"' && c != '$' && c != '\\';
      if (c == '\'') {
        here_ = text_.find('\'', here_ + 1) + 1;
      } else if (c == '"') {
        quoted();
      } else if (c == '$') {
        expansion();
      } else {
        here_ += c == '\\' ? 2 : 1;
        word.text += c;
      }
      if (word.text.ends_with('=') && at("(")) {
        list();
      }
    }
    return word;
  }

  void quoted() {
    for (++here_; !over() && text_[here_] != '"';) {
      if (text_[here_] == '$') {
        expansion();
      } else {
        here_ += text_[here_] == '\\' ? 2 : 1;
      }
    }
    ++here_;
  }

  void expansion() {
    if (at("$((")) {
      here_ = text_.find("))", here_) + 2;
    } else if (at("$(")) {
      here_ += 2;
      commands(')');
    } else if (at("${")) {
      for (here_ += 2; !over() && text_[here_] != '}';) {
        if (text_[here_] == '"') {
          quoted();
        } else if (text_[here_] == '$') {
          expansion();
        } else {
          here_ += text_[here_] == '\\' ? 2 : 1;
        }
      }
      ++here_;
    } else if (at("$'")) {
      here_ = text_.find('\'', here_ + 2) + 1;
    } else {
      ++here_;
    }
  }

  // An array, which may hold a command under construction.
  void list() {
    ++here_;
    Place place{.list = true};
    while (!over() && text_[here_] != ')') {
      if (std::isspace(static_cast<unsigned char>(text_[here_])) != 0) {
        ++here_;
      } else {
        take(read_word(), place);
      }
    }
    ++here_;
  }

  void take(const Word& word, Place& place) {
    if (place.redirected) {
      place.redirected = false;
    } else if (place.test) {
      place.test = word.text != "]]";
    } else if (place.pattern) {
      place.pattern = word.text != "esac";
    } else if (place.head) {
      place.pattern = word.text == "in";
      place.head = !place.pattern;
    } else if (place.looking) {
      if (word.text != "-P" && word.literal) {
        looked_for_.insert(word.text);
      }
    } else if (place.command) {
      name(word, place);
    }
  }

  void name(const Word& word, Place& place) {
    const bool number = !word.text.empty() && std::ranges::all_of(word.text, [](unsigned char c) {
      return std::isdigit(c) != 0;
    });
    const bool option = word.text.starts_with('-');
    const bool assignment = word.text.find('=') != std::string::npos;
    const bool descriptor = number && (at("<") || at(">"));  // of a redirection
    if (descriptor || assignment || lists(keywords, word.text)) {
      return;
    }
    if (at("()") && word.literal) {
      functions_.insert(word.text);
      here_ += 2;
      place = {};
    } else if (place.prefixed && (option || (place.option && !word.literal))) {
      place.option = option;
    } else {
      place.command = place.prefixed = lists(prefixes, word.text);
      place.head = word.text == "case";
      place.test = word.text == "[[";
      place.looking = word.text == "type";
      note(word, place.list ? listed_ : found_);
    }
  }

  static void note(const Word& word, std::set<std::string>& names) {
    std::string program = word.text;
    for (const std::string_view directory : {"/usr/bin/", "/bin/"}) {
      if (program.starts_with(directory)) {
        program.erase(0, directory.size());
      }
    }
    if (word.literal && program != "[[" && program.find('/') == std::string::npos) {
      names.insert(program);
    }
  }

  std::string_view text_;
  std::size_t here_ = 0;
  std::set<std::string> found_;
  std::set<std::string> listed_;
  std::set<std::string> functions_;
  std::set<std::string> looked_for_;
};

}  // namespace tapehead
