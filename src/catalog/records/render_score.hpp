// What a GPU reaches in a renderer's public benchmark. Scores of two versions do not compare.
#pragma once

#include <array>

#include "base/values/date.hpp"
#include "base/values/enum.hpp"
#include "catalog/records/field.hpp"
#include "catalog/records/market.hpp"

namespace gpusel {

namespace catalog {

/// blender: samples per minute over three scenes, Blender Open Data; the others: points.
enum class RenderBenchmark : std::uint8_t { blender, octanebench, vray_rtx, vray_cuda };

struct RenderScore {
  std::string_view gpu;  // id
  RenderBenchmark benchmark = RenderBenchmark::blender;
  std::string_view version;
  std::string_view backend;  // optix, cuda, hip …
  Number score;
  Number samples;  // runs that the score is a median of
  std::optional<bool> preferred;
  Date as_of;
  std::string_view source;  // key
  Confidence confidence = Confidence::documented;
  std::string_view note;
};

template <class Record, class Visitor>
  requires std::same_as<std::remove_const_t<Record>, RenderScore>
void visit_fields(Record& s, Visitor&& v) {
  v(Field{.path = "gpu", .json = "gpu", .required = true, .shown = false}, s.gpu);
  v(Field{.path = "benchmark", .json = "benchmark", .required = true}, s.benchmark);
  v(Field{.path = "version", .json = "version", .required = true}, s.version);
  v(Field{.path = "backend", .json = "backend"}, s.backend);
  v(Field{.path = "score", .json = "score", .range = {1e-6, 1e9}, .required = true}, s.score);
  v(Field{.path = "samples", .json = "samples", .range = {1, 1e9}}, s.samples);
  v(Field{.path = "preferred", .json = "preferred"}, s.preferred);
  v(Field{.path = "as_of", .json = "as_of"}, s.as_of);
  v(Field{.path = "source", .json = "source", .required = true}, s.source);
  v(Field{.path = "confidence", .json = "confidence"}, s.confidence);
  v(Field{.path = "note", .json = "note"}, s.note);
}

}  // namespace catalog

template <>
inline constexpr auto enum_names<catalog::RenderBenchmark> =
    std::to_array<std::string_view>({"blender", "octanebench", "vray-rtx", "vray-cuda"});

}  // namespace gpusel
