// Makes sure that descriptors 0, 1 and 2 are taken, whoever started the process.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace headway::cli {

// A standard stream that was closed before the start would be given to the next file opened, which
// then receives messages meant for people. Each becomes /dev/null instead, opened the wrong way
// round, so that reading or writing it is still an error.
inline void open_missing_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0)  // open() takes the lowest free number: this one
      (void)!::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

}  // namespace headway::cli
