// The version of these headers, for the preprocessor of C and C++, and that of the library a
// program runs with. CMake reads the numbers from here.
#pragma once

#include "headway/export.h"

#define HEADWAY_VERSION_MAJOR 0
#define HEADWAY_VERSION_MINOR 1
#define HEADWAY_VERSION_PATCH 0
#define HEADWAY_VERSION "0.1.0"

// One number to compare: #if HEADWAY_VERSION_NUMBER >= HEADWAY_MAKE_VERSION(0, 2, 0).
#define HEADWAY_MAKE_VERSION(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define HEADWAY_VERSION_NUMBER \
  HEADWAY_MAKE_VERSION(HEADWAY_VERSION_MAJOR, HEADWAY_VERSION_MINOR, HEADWAY_VERSION_PATCH)

#ifdef __cplusplus
namespace headway {
// HEADWAY_VERSION as it was when the library was built. C has headway_version().
HEADWAY_API const char* version();
}  // namespace headway
#endif
