// Activations by name.
#include "engine/ops/activation.hpp"

#include "engine/kernels/activation.hpp"

#include <cstring>

namespace headway {

const char* to_string(Activation activation) {
  switch (activation) {
    case Activation::none:
      return "none";
    case Activation::gelu_erf:
      return "gelu_erf";
    case Activation::gelu_tanh:
      return "gelu_tanh";
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
  }
  return "unknown";
}

void activate(Activation kind, const float* x, size_t n, float* y) {
  switch (kind) {
    case Activation::none:
      if (x != y) std::memcpy(y, x, n * sizeof(float));
      return;
    case Activation::gelu_erf:
      return gelu_erf(x, n, y);
    case Activation::gelu_tanh:
      return gelu_tanh(x, n, y);
    case Activation::relu:
      return relu(x, n, y);
    case Activation::tanh:
      return tanh(x, n, y);
  }
}

}  // namespace headway
