// The coefficients of work that is counted in items of its own: one struct per class of work, each listing its members
// with their ids once. Private to this room.
#pragma once

#include "estimate/counted/cpu.hpp"
#include "estimate/counted/diffusion.hpp"
#include "estimate/counted/media.hpp"
#include "estimate/counted/preprocess.hpp"
#include "estimate/counted/recommender.hpp"
#include "estimate/counted/render.hpp"
#include "estimate/counted/samples.hpp"
#include "estimate/counted/session.hpp"
#include "estimate/counted/simulation.hpp"
#include "estimate/counted/speech.hpp"

namespace gpusel::estimate {

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
}

}  // namespace gpusel::estimate
