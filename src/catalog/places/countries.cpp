#include "catalog/places/countries.hpp"

#include <array>

#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

/// Officially assigned, by first letter; behind it the second letters.
constexpr std::array<std::string_view, 26> kSecondLetters = {
    "DEFGILMOQRSTUWXZ",         // A
    "ABDEFGHIJLMNOQRSTVWYZ",    // B
    "ACDFGHIKLMNORUVWXYZ",      // C
    "EJKMOZ",                   // D
    "CEGHRSTU",                 // E: and EU
    "IJKMOR",                   // F
    "ABDEFGHILMNPQRSTUWY",      // G
    "KMNRTU",                   // H
    "DELMNOQRST",               // I
    "EMOP",                     // J
    "EGHIMNPRWYZ",              // K
    "ABCIKRSTUVY",              // L
    "ACDEFGHKLMNOPQRSTUVWXYZ",  // M
    "ACEFGILOPRUZ",             // N
    "M",                        // O
    "AEFGHKLMNRSTWY",           // P
    "A",                        // Q
    "EOSUW",                    // R
    "ABCDEGHIJKLMNORSTVXYZ",    // S
    "CDFGHJKLMNORTVWZ",         // T
    "AGMSYZ",                   // U
    "ACEGINU",                  // V
    "FS",                       // W
    "",                         // X
    "ET",                       // Y
    "AMW",                      // Z
};

/// Codes that people write, and the ones they mean.
struct Slip {
  std::string_view written;
  std::string_view meant;
};
constexpr Slip kSlips[] = {{"UK", "GB"}, {"JA", "JP"}, {"KO", "KR"}};

}  // namespace

bool is_country(std::string_view code) {
  if (code.size() != 2 || code[0] < 'A' || code[0] > 'Z') return false;
  return kSecondLetters[static_cast<std::size_t>(code[0] - 'A')].find(code[1]) != std::string_view::npos;
}

std::string country_hint(std::string_view code) {
  for (const Slip& slip : kSlips)
    if (code == slip.written) return say("did you mean {}?", slip.meant);
  return say("write an ISO 3166 code such as US or CN");
}

}  // namespace gpusel::catalog
