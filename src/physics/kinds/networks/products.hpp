// What matrix products of networks reach that are not generators of text, and what their gradients take over links.
// Private to this room.
#pragma once

#include <optional>

#include "physics/kinds/kinds.hpp"

namespace gpusel::physics {

/// FLOP per second in that arithmetic; nothing where the peak is not published. Layers that are not fused leave gaps
/// on fast GPUs.
std::optional<FlopPerSecond> product_rate(const CountedAsk& ask, job::Precision precision, bool fused);

/// Rate at which values are read and written.
BytesPerSecond memory_rate(const CountedAsk& ask);

double value_bytes(job::Precision precision);

/// What an all-reduce of so many bytes takes that every GPU of the machine has, beside so much of other work.
Seconds reduce_time(const CountedAsk& ask, Bytes each, Seconds beside);

/// One direction, per GPU, when each sends to all others: over PCIe such traffic is staged in host memory.
BytesPerSecond exchange_rate(const CountedAsk& ask);

}  // namespace gpusel::physics
