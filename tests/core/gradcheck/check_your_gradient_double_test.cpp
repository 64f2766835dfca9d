// docs/check-your-gradient.md quotes the real messages for its three wrong backward passes.
#include <tapehead/gradcheck.hpp>

#include "tests/consumer/gated.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

Scalar sigmoid(Scalar a) { return 1 / (1 + std::exp(-a)); }

using GatedBackward = std::function<void(Gradients& g, const Tensor& x, const Tensor& gate)>;

// The op of tests/consumer with another backward pass.
GradcheckFunction gated_with(const GatedBackward& backward) {
  return [backward](Tape& tape, const std::vector<Var>& inputs) {
    Tape forward(false);
    const Tensor x = inputs[0].value();
    const Tensor gate = inputs[1].value();
    const Tensor y = gated(forward.constant(x), forward.constant(gate)).value();
    return tape.record("gated", inputs, y,
                       [backward, x, gate](Gradients& g) { backward(g, x, gate); });
  };
}

// A tensor of the same shape, made element by element.
Tensor each(const Tensor& shape_of, const std::function<Scalar(Index)>& element) {
  Tensor result = Tensor::empty(shape_of.shape());
  for (Index i = 0; i < result.size(); ++i) {
    result.data()[i] = element(i);
  }
  return result;
}

Tensor dx(const Gradients& g, const Tensor& gate) {
  return each(gate, [&](Index i) { return g.output().data()[i] * sigmoid(gate.data()[i]); });
}

Tensor dgate(const Gradients& g, const Tensor& x, const Tensor& gate) {
  return each(gate, [&](Index i) {
    const Scalar s = sigmoid(gate.data()[i]);
    return g.output().data()[i] * x.data()[i] * s * (1 - s);
  });
}

std::string without_a_factor() {
  return gradcheck(gated_with([](Gradients& g, const Tensor& x, const Tensor& gate) {
                     g.add(0, dx(g, gate));
                     g.add(1, each(gate, [&](Index i) {
                             return g.output().data()[i] * x.data()[i] * sigmoid(gate.data()[i]);
                           }));
                   }),
                   {drawn(random(7, 5), 0), drawn(random(7, 5), 1)})
      .message();
}

std::string one_row_short() {
  return gradcheck(gated_with([](Gradients& g, const Tensor& x, const Tensor& gate) {
                     g.add(0, dx(g, gate));
                     Tensor short_of_a_row = dgate(g, x, gate);
                     std::fill(short_of_a_row.row(6), short_of_a_row.row(7), Scalar{0});
                     g.add(1, short_of_a_row);
                   }),
                   {drawn(random(7, 5), 0), drawn(random(7, 5), 1)})
      .message();
}

std::string overwriting() {
  return gradcheck(gated_with([](Gradients& g, const Tensor& x, const Tensor& gate) {
                     const Tensor first = dx(g, gate);
                     std::copy_n(first.data(), first.size(), g.target(0).data);
                     g.add(1, dgate(g, x, gate));
                   }),
                   {drawn(random(7, 5), 0), drawn(random(7, 5), 1)})
      .message();
}

std::string page_text() {
  std::ostringstream text;
  text << std::ifstream(TAPEHEAD_SOURCE_DIR "/docs/check-your-gradient.md").rdbuf();
  return text.str();
}

// Indents every line by four, as in the document.
std::string indented(const std::string& message) {
  std::string text = "    ";
  for (const char letter : message) {
    text += letter;
    text += letter == '\n' ? "    " : "";
  }
  return text;
}

TEST(CheckYourGradient, shows_the_messages_that_there_are) {
  for (const std::string& message : {without_a_factor(), one_row_short(), overwriting()}) {
    EXPECT_THAT(page_text(), HasSubstr(indented(message)));
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
