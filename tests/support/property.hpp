// Properties: what must hold of everything that can be drawn. The draws are rapidcheck's, which makes a
// counterexample smaller until nothing simpler fails; its headers are large, so that only property.cpp reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace gpusel::test {

/// Draws `cases` times and fails the running test with the smallest counterexample, and how to have it again. The
/// draws are the same every time; RC_PARAMS="seed=7 max_success=1000" asks for others or more.
void holds(std::string_view property, const std::function<void()>& body, int cases = 500);

// Draws, inside the body. Each has a name under which a counterexample shows it, and shrinks to what stands first.
namespace any {

/// From `low` to `high`, both included.
std::int64_t whole(std::string_view name, std::int64_t low, std::int64_t high);
/// The same with every size as likely: 1 to 10 as often as 1000 to 10,000. `low` is above 0.
std::int64_t size(std::string_view name, std::int64_t low, std::int64_t high);
/// Of three digits, every size as likely. `low` is above 0.
double number(std::string_view name, double low, double high);
bool coin(std::string_view name);
std::string one_of(std::string_view name, const std::vector<std::string>& choices);
/// 0 … count − 1 in any order.
std::vector<std::size_t> order(std::string_view name, std::size_t count);

}  // namespace any

/// Leaves a case out that the property says nothing of. Of ten in a row one must count.
void given(bool applies);

// What must be so; a counterexample says which of them was not, and where.
void must(bool holds, const std::string& what, std::source_location = std::source_location::current());
/// But for rounding.
void must_not_fall(double before, double after, std::string_view what,
                   std::source_location = std::source_location::current());
void must_be_near(double a, double b, std::string_view what, std::source_location = std::source_location::current());

}  // namespace gpusel::test
