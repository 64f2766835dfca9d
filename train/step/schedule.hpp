// The learning rate schedules.
#pragma once

#include "train/options/options.hpp"

namespace tapehead {

// The rate of step 1, 2, ... `total_steps` (0: unknown) is where linear and cosine reach 0. With w
// = warmup, s = step:
//
//   all but noam  in the first w steps, learning_rate s / w; afterwards
//   constant      learning_rate
//   linear        learning_rate (total - s) / (total - w)
//   cosine        learning_rate (1 + cos(π (s - w) / (total - w))) / 2
//   inverse_sqrt  learning_rate √(max(w, 1) / s)
//   noam          learning_rate d_model^-1/2 min(s^-1/2, s w^-3/2)
//
// cosine: Loshchilov and Hutter 2017, without restarts; noam: Vaswani et al. 2017, equation 3.
double learning_rate_at(const TrainingOptions& options, Index d_model, Index step,
                        Index total_steps);

}  // namespace tapehead
