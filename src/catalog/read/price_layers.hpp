// Prices that a file states over those that stood before it: which of an offer stands, and which is its history.
// Private to this room.
#pragma once

#include <vector>

#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

/// A price in a file of the user's. `replaces`: it drops what earlier files say of its offer, whatever their dates.
struct StatedPrice {
  Offer offer;
  bool replaces = false;
};

/// Of each offer (instance, region, term) what the user agreed stands before all lists; else what replaces others; else
/// lists stand together, the youngest of which `relink` takes. What no longer stands goes to the history of its offer.
void lay_prices(Tables& tables, std::vector<StatedPrice> stated);

/// Offers side by side per instance: of several prices the user's own, else the youngest; the others are its history.
void sort_prices(Tables& tables);

}  // namespace gpusel::catalog
