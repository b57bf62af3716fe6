// Interactive graphics: its coefficients. Private to this room.
#pragma once

#include "physics/coefficients.hpp"

namespace gpusel::physics {

struct SessionCoefficients {
  Coefficient load_points;      // of the Blender benchmark that one user's 3D load is worth, by scene
  Coefficient pixels_exponent;  // how it grows with the pixels beyond 1080p
  Coefficient usable_share;     // of a GPU that several users may take together
  Coefficient light_users;      // of one GPU, where what each draws is light
  Coefficient least_pace;       // of the frames asked for, below which a session is not offered
  Coefficient encode_mpixels;   // million pixels per second of one encoder at low latency, by generation and codec
  Coefficient spread;           // factor between the estimate and what a title really takes
};

template <class Visitor>
void visit_coefficients(SessionCoefficients& c, Visitor&& v) {
  v("session.load_points", c.load_points);
  v("session.pixels_exponent", c.pixels_exponent);
  v("session.usable_share", c.usable_share);
  v("session.light_users", c.light_users);
  v("session.least_pace", c.least_pace);
  v("session.encode_mpixels", c.encode_mpixels);
  v("session.spread", c.spread);
}

}  // namespace gpusel::physics
