#pragma once

namespace gpusel::cli {

/// Before anything is allocated: what the heap has it keeps, as an answer lasts milliseconds.
void set_up_heap();

/// Before a command is set up, which takes effect once: what an answer takes of the heap comes from the system at
/// once, as one large page where it gives those, instead of 500 small ones. Where it gives neither, or memory is
/// limited, the heap grows as it would have.
void fill_heap();

/// After memory has run out: what is left is for the sentence that says so.
void spare_heap();

}  // namespace gpusel::cli
