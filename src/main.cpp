#include "cli/command.hpp"

int main(int argc, char** argv) { return gpusel::cli::run_program(argc, argv); }
