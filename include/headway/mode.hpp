// The two ways a run may use its threads; apart from engine.hpp as the scheduler needs no more.
#pragma once

#include <cstdint>

namespace headway {

// How a run uses its threads. Results are the same bits in both.
enum class Mode : uint8_t {
  automatic,  // across when there are enough sequences to keep the threads busy, else inside
  across,     // each thread takes groups of whole sequences through the whole program
  inside,     // the threads share each step
};

}  // namespace headway
