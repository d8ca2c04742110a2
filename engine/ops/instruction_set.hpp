// Holds the kernels to the instruction set the engine may use, as onednn.cpp holds oneDNN.
#pragma once

namespace headway {

// Applies max_isa() to the kernels, once; called before anything is computed. Error as max_isa().
void hold_instruction_set();

}  // namespace headway
