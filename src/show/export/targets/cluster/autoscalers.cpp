// KEDA ScaledObject, https://keda.sh/docs/latest/reference/scaledobject-spec/ with the Prometheus scaler,
// https://keda.sh/docs/latest/scalers/prometheus/; HorizontalPodAutoscaler autoscaling/v2,
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v2/
#include <cmath>

#include "base/words/message.hpp"
#include "show/export/targets.hpp"
#include "show/export/targets/cluster/pods.hpp"
#include "show/money/autoscale.hpp"

namespace gpusel::show {

namespace {

constexpr std::string_view kPrometheus = "http://prometheus.invalid:9090";  // RFC 2606: never resolves
constexpr std::string_view kMetric = "requests_in_flight";

struct Rule {
  Json numbers;  // as autoscale_json() gives them
  std::string query;
};

/// In flight on all servers of this model: other models export the same metrics.
std::string query_of(const money::QueueMetrics& metrics, const std::string& model) {
  // PromQL quotes as JSON does: https://prometheus.io/docs/prometheus/latest/querying/basics/#string-literals
  const std::string where =
      metrics.model_label.empty() ? std::string() : format("{{{}={}}}", metrics.model_label, Json(model).dump());
  return format("sum({}{}) + sum({}{})", metrics.running, where, metrics.waiting, where);
}

/// Error: nothing to scale, or nothing to scale it by.
Result<Rule> rule_of(const ExportView& view) {
  if (Status possible = check_cluster(view); !possible) return std::unexpected(possible.error());
  if (!view.scaling) return cannot(say("replicas of this job are not scaled: it is not a service"));
  const answer::Launch launch = launch_of(view);
  if (launch.nodes > 1)
    return cannot(say("one replica spans {} instances, which a Deployment cannot scale by", launch.nodes));
  const auto engine = view.advice.work.inference.engine;
  Rule rule{autoscale_json(*view.scaling, engine), {}};
  if (rule.numbers["metrics"].is_null())
    return cannot(say("{} exports no metric of requests in flight", to_text(engine)));
  rule.query = query_of(money::queue_metrics(engine), launch.called);
  return rule;
}

Json target(const ExportView& view) {
  return {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", job_name(view)}};
}

std::vector<std::string> notes_of(const ExportView& view) {
  const money::Autoscale& rule = *view.scaling;
  std::vector<std::string> notes{say("scales the Deployment that gpusel export kubernetes writes for the same job"),
                                 say("{:g} to {:g} instances, {:g} requests in flight each; none stops within {:.0f} s "
                                     "of a higher demand, since a start takes {:.0f} s",
                                     rule.min_replicas, rule.max_replicas, rule.target_in_flight,
                                     rule.stabilization.raw(), rule.cold_start.raw())};
  const auto metrics = money::queue_metrics(view.advice.work.inference.engine);
  notes.push_back(metrics.model_label.empty()
                      ? say("the query adds up every server that Prometheus knows: narrow it to this Deployment's by "
                            "labels of your own")
                      : say("the query adds up every server of this model that Prometheus knows: where it has several "
                            "Deployments, narrow it by labels of your own, such as namespace"));
  return notes;
}

/// Kubernetes has no fractions but thousandths.
std::string quantity(double value) {
  return value == std::floor(value) ? format("{:.0f}", value) : format("{:.0f}m", 1000 * value);
}

}  // namespace

Result<Exported> export_keda(const ExportView& view) {
  const auto rule = rule_of(view);
  if (!rule) return std::unexpected(rule.error());
  const Json& keda = rule->numbers["keda"];
  Exported out{"scaledobject.yaml", {}, notes_of(view)};
  out.notes.push_back(say("put the address of your Prometheus in place of {}", kPrometheus));
  if (view.scaling->min_replicas < 1) out.notes.push_back(waking_text());
  Json spec{{"scaleTargetRef", target(view)},
            {"pollingInterval", keda["pollingInterval"]},
            {"minReplicaCount", keda["minReplicaCount"]},
            {"maxReplicaCount", keda["maxReplicaCount"]}};
  // Only from one to none, https://keda.sh/docs/latest/reference/scaledobject-spec/#cooldownperiod
  if (view.scaling->min_replicas < 1) spec["cooldownPeriod"] = keda["cooldownPeriod"];
  spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"] =
      rule->numbers["hpa"]["scaleDown_stabilizationWindowSeconds"];
  spec["triggers"] = Json::array({{{"type", "prometheus"},
                                   {"metadata",
                                    {{"serverAddress", kPrometheus},
                                     {"query", rule->query},
                                     {"threshold", format("{:g}", view.scaling->target_in_flight)}}}}});
  out.content = yaml_file(view, out.notes,
                          {{{"apiVersion", "keda.sh/v1alpha1"},
                            {"kind", "ScaledObject"},
                            {"metadata", {{"name", job_name(view)}}},
                            {"spec", std::move(spec)}}});
  return out;
}

Result<Exported> export_hpa(const ExportView& view) {
  const auto rule = rule_of(view);
  if (!rule) return std::unexpected(rule.error());
  const Json& hpa = rule->numbers["hpa"];
  Exported out{"hpa.yaml", {}, notes_of(view)};
  out.notes.push_back(say("an external metric {} must be there: Prometheus Adapter's externalRules with the query {}",
                          kMetric, rule->query));
  Json spec{{"scaleTargetRef", target(view)}, {"minReplicas", hpa["minReplicas"]}, {"maxReplicas", hpa["maxReplicas"]}};
  spec["metrics"] = Json::array(
      {{{"type", "External"},
        {"external",
         {{"metric", {{"name", kMetric}}},
          {"target", {{"type", "AverageValue"}, {"averageValue", quantity(view.scaling->target_in_flight)}}}}}}});
  spec["behavior"]["scaleDown"]["stabilizationWindowSeconds"] = hpa["scaleDown_stabilizationWindowSeconds"];
  out.content = yaml_file(view, out.notes,
                          {{{"apiVersion", "autoscaling/v2"},
                            {"kind", "HorizontalPodAutoscaler"},
                            {"metadata", {{"name", job_name(view)}}},
                            {"spec", std::move(spec)}}});
  return out;
}

}  // namespace gpusel::show
