// What `tapehead generate` prints: the samples, as text or as lines of JSON, and what is to be said
// about all of them.
#pragma once

#include <string>
#include <vector>

#include "train/evaluation/generator.hpp"

namespace tapehead {

struct GeneratedFormat {
  bool json = false;
  bool of_text = false;  // samples go on with their prompts, so both are shown
  Index samples = 1;     // of each prompt
};

// A single sample is written as it is made; of several, each begins with a line about it.
class GeneratedOutput {
 public:
  // The prompts must outlive it.
  GeneratedOutput(const GeneratedFormat& format, const std::vector<std::string>& prompts);

  // Null if nothing is to be written before the end.
  Generator::EachPiece each() const;

  void begin() const;
  void end(const std::vector<std::vector<GeneratedText>>& generated) const;

 private:
  void write(std::size_t number, std::size_t sample, const GeneratedText& generated) const;

  GeneratedFormat format_;
  const std::vector<std::string>& prompts_;
  bool single_;
};

// Logs how many texts outgrew the context or ended without their stop text and, of several texts,
// how varied they are.
void say_how_it_went(const std::vector<std::vector<GeneratedText>>& generated,
                     const GeneratorOptions& options, const Generator& generator);

}  // namespace tapehead
