// What people call the work, and what work a question is about where it does not say.
#pragma once

#include <optional>
#include <string_view>

#include "catalog/records/model.hpp"
#include "job/request/request.hpp"

namespace gpusel::job {

/// "finetune", "sft", "qlora", "serving", "云游戏": the task, with what else the word says, into `request`; an
/// option that was given stays.
Assigned<std::optional<Task>> set_task(std::string_view text, Request& request);
bool is_task_word(std::string_view text);
/// set_task() for a second word: "finetune" and "lora" go together, and of "train" and "from scratch" the narrower
/// wins. Error: another task.
Status add_task(std::string_view text, Request& request);
/// What other tools name so is another option of this task: the --dtype of a service is the format of its weights, and
/// four bits of what is fine-tuned are QLoRA. Asked once the task is known.
void rename_for_task(Request& request, bool has_load = false);

/// The task that the given options are about, of a model or of work without one; nothing where nothing tells.
std::optional<Task> task_of(const Request& request, bool names_model);

}  // namespace gpusel::job
