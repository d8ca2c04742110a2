// Bytes that wait on disk until they can go to a stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/cli/byte_sink.hpp"
#include "engine/platform/posix.hpp"

namespace headway::cli {

// A file without a name in the folder for temporary files (TMPDIR): gone with the process, however
// that ends.
class TemporaryFile {
 public:
  // Error(io) naming the folder, here and below.
  TemporaryFile();

  void write(std::string_view bytes);
  // All that was written, in order.
  void copy_to(ByteSink& sink) const;

 private:
  std::string name_;
  FileDescriptor fd_;
};

}  // namespace headway::cli
