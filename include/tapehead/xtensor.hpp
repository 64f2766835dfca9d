// xtensor for your own ops: `view` shows a Tensor to xtensor, `tensor` evaluates an expression into
// a Tensor, and xt::linalg has products.
//
//   const Tensor y = tensor(xt::tanh(xt::linalg::dot(view(x), xt::transpose(view(w)))));
//
// Products run in OpenBLAS. Call `prepare_blas` at the start of the program: each product then runs
// in its calling thread alone, and results do not depend on the number of cores.
#pragma once

// GCC 12 warns falsely about an undefined operand inside AVX-512 intrinsics, which the loops of
// xtensor use.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xview.hpp>

#include "core/product/blas_kernels.hpp"
#include "core/tape/tape.hpp"
#include "core/tape/xtensor.hpp"
#pragma GCC diagnostic pop
