// Small things that the formulas of docs/method.md share, in its own notation.
#pragma once

#include <cmath>
#include <functional>
#include <string_view>

#include "support/drawn.hpp"

namespace gpusel::test::page {

/// The program and the page, in so many cases that every formula of it is met often.
inline void agrees(std::string_view what, const std::function<void()>& body) { holds(what, body, 2000); }

/// R(x) = (x − 1) ÷ x: what of a message a ring of x sends.
inline double ring(double x) { return (x - 1) / x; }
/// ceil(L ÷ p) ÷ L
inline double fullest(double layers, double stages) { return std::ceil(layers / stages) / layers; }
/// How a value saturates: half of it is reached at `half`.
inline double reached(double x, double half) { return x / (x + half); }

/// One way over PCIe: GT/s per lane × lanes × 128/130 ÷ 8.
double pcie(const catalog::Gpu& gpu);
/// Consumer cards: 16-bit rate below 2.5 × the fp32 rate, from Turing on.
bool is_consumer(const catalog::Gpu& gpu);

/// Rate and latency of a collective of a group with so many members in a node, in bytes per second and seconds.
struct Link {
  double rate = 0;
  double latency = 0;
};
Link link(const estimate::Machine& machine, int members_here, bool crosses);

/// What an explanation says of a quantity: its formula and its numbers; a case without it fails.
std::string said(const estimate::Trace& trace, std::string_view quantity);
void must_say(const estimate::Trace& trace, std::string_view quantity, const std::string& words);

/// Every part of the memory of a GPU, as the page has it.
void must_have(const estimate::MemoryBreakdown& is, const estimate::MemoryBreakdown& page);

/// A figure by its key; a case without it fails.
double figure(const estimate::CountedFigures& figures, std::string_view key);

}  // namespace gpusel::test::page
