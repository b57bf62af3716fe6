#pragma once

namespace gpusel::cli {

/// Before anything is allocated: the heap grows and never shrinks, as an answer lasts milliseconds.
void set_up_heap();

/// Before the catalogue is opened: what an answer takes of the heap comes from the system at once, as one large page
/// where it gives those, instead of 500 small ones. It stays addresses alone where it gives neither.
void fill_heap();

/// After memory has run out: what is left is for the sentence that says so.
void spare_heap();

}  // namespace gpusel::cli
