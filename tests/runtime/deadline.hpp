// Ends the test's process when it hangs.
#pragma once

#include <unistd.h>

namespace headway {

// The process dies of SIGALRM unless this is gone in time.
class Deadline {
 public:
  explicit Deadline(unsigned seconds = 60) { alarm(seconds); }
  ~Deadline() { alarm(0); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
};

}  // namespace headway
