// The coefficients of work that is counted in items of its own: one struct per class of work, each listing its members
// with their ids once. Private to this room.
#pragma once

#include "physics/kinds/diffusion/diffusion.hpp"
#include "physics/kinds/feed.hpp"
#include "physics/kinds/graphics/media.hpp"
#include "physics/kinds/graphics/render.hpp"
#include "physics/kinds/graphics/session.hpp"
#include "physics/kinds/graphics/simulation.hpp"
#include "physics/kinds/networks/cpu.hpp"
#include "physics/kinds/preprocess.hpp"
#include "physics/kinds/recommender.hpp"
#include "physics/kinds/samples.hpp"
#include "physics/kinds/speech.hpp"

namespace gpusel::physics {

struct CountedCoefficients {
  CpuCoefficients cpu;
  MediaCoefficients media;
  SampleCoefficients samples;
  DiffusionCoefficients diffusion;
  SpeechCoefficients speech;
  RecommenderCoefficients recommender;
  RenderCoefficients render;
  SessionCoefficients session;
  SimulationCoefficients simulation;
  PreprocessCoefficients preprocess;
  FeedCoefficients feed;
};

template <class Visitor>
void visit_coefficients(CountedCoefficients& c, Visitor&& v) {
  visit_coefficients(c.cpu, v);
  visit_coefficients(c.media, v);
  visit_coefficients(c.samples, v);
  visit_coefficients(c.diffusion, v);
  visit_coefficients(c.speech, v);
  visit_coefficients(c.recommender, v);
  visit_coefficients(c.render, v);
  visit_coefficients(c.session, v);
  visit_coefficients(c.simulation, v);
  visit_coefficients(c.preprocess, v);
  visit_coefficients(c.feed, v);
}

}  // namespace gpusel::physics
