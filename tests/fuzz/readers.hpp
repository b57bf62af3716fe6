// The functions behind the targets, by what they are fed. Each is named in targets.cpp.
#pragma once

#include "fuzz/target.hpp"

namespace gpusel::fuzz {

// catalogue_targets.cpp
void feed_catalogue(std::string_view bytes);
void feed_overlay(std::string_view bytes);
void feed_snapshot(std::string_view bytes);
std::vector<std::string> made_snapshots();

// question_targets.cpp
void feed_config(std::string_view bytes);
void feed_weights(std::string_view bytes);
std::vector<std::string> made_weights();
void feed_requests(std::string_view bytes);
void feed_mcp(std::string_view bytes);
void feed_stages(std::string_view bytes);
void feed_settings(std::string_view bytes);

// gate_targets.cpp
void feed_rules(std::string_view bytes);
void feed_policy(std::string_view bytes);
void feed_answer(std::string_view bytes);
void feed_lock(std::string_view bytes);
std::vector<std::string> made_answers();
std::vector<std::string> made_locks();

// table_targets.cpp
void feed_skypilot(std::string_view bytes);
void feed_gpuhunt(std::string_view bytes);
void feed_aws_pricing(std::string_view bytes);
void feed_azure_retail(std::string_view bytes);
void feed_vast(std::string_view bytes);
void feed_generic_csv(std::string_view bytes);
void feed_measurements(std::string_view bytes);
void feed_traffic(std::string_view bytes);

// word_targets.cpp
void feed_filter(std::string_view bytes);
void feed_gpu_spec(std::string_view bytes);
void feed_values(std::string_view bytes);
void feed_options(std::string_view bytes);

// words.cpp
void catalogue_words(Words& words);
void request_words(Words& words);
void rule_words(Words& words);
void policy_words(Words& words);
void filter_words(Words& words);
void mcp_words(Words& words);
void measurement_words(Words& words);

}  // namespace gpusel::fuzz
