// What the system holds for this process.
#pragma once

namespace headway {

struct Resources {
  double memory = 0;  // resident, in MB
  long threads = 0;
  long files = 0;     // descriptors
  long mappings = 0;  // of memory
};

// After the heap has given back what it does not need.
Resources resources_now();

// Processor time of all threads so far, in seconds.
double cpu_seconds();

}  // namespace headway
