// The Python that model.py is assembled from: the files of parts/, embedded in the program when it
// is built (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace tapehead::pytorch_parts {

extern const std::string_view opening;
extern const std::string_view norm;
extern const std::string_view embedding;
extern const std::string_view attention;
extern const std::string_view no_attention;
extern const std::string_view feed_forward;
extern const std::string_view layer;
extern const std::string_view stack;
extern const std::string_view output;
extern const std::string_view transformer;
extern const std::string_view greedy;

// Functions and classes that are there if something mentions them.
extern const std::string_view additive;
extern const std::string_view alibi_slopes;
extern const std::string_view bias;
extern const std::string_view blocks;
extern const std::string_view bounds_back;
extern const std::string_view bounds_both_ways;
extern const std::string_view causal;
extern const std::string_view first_distances;
extern const std::string_view fixed;
extern const std::string_view full;
extern const std::string_view head_linear;
extern const std::string_view looking_back;
extern const std::string_view put;
extern const std::string_view rotate_halves;
extern const std::string_view rotate_interleaved;
extern const std::string_view share;
extern const std::string_view sinusoids;
extern const std::string_view split;
extern const std::string_view strided;
extern const std::string_view unit;
extern const std::string_view window;

}  // namespace tapehead::pytorch_parts
