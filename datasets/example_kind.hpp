// What the examples of a task are.
#pragma once

namespace tapehead {

enum class ExampleKind {
  pairs,  // a source and its target
  text,   // windows of running text, which a run keeps as tokens
  labels  // a text and its class
};

}  // namespace tapehead
