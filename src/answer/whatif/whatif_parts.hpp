// The parts of a what-if answer, each filled in by a file of its own. Private to this room.
#pragma once

#include "answer/whatif/whatif_ask.hpp"

namespace gpusel::answer {

/// The winner at every value, and where it changes.
void sweep_one(const Varied& varied, Asker& asker, WhatIf& out);
void sweep_two(const Varied& across, const Varied& down, Asker& asker, WhatIf& out);
/// Who wins how much of it. After sweep_two, or after sweep_one has its segments.
void count_winners(WhatIf& out);

void tornado(const WhatIfQuestion& question, const catalog::Catalog& catalog, Asker& asker, WhatIf& out);
void pareto(std::vector<Outcome> candidates, WhatIf& out);

/// Every figure's formula.
void add_trace(const catalog::Catalog& catalog, const physics::Coefficients& coefficients, WhatIf& out);

/// What one input's change does, in the answer's measure; nothing where nothing fits.
std::optional<double> cost_of(const Outcome& outcome, const WhatIf& answer);

}  // namespace gpusel::answer
