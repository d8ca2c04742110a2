// The version that the library was built with.
#include "headway/version.h"

namespace headway {

const char* version() {
  return HEADWAY_VERSION;
}

}  // namespace headway
