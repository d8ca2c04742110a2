// mkstemp, then unlink.
#include "engine/cli/temporary_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "engine/cli/interrupt.hpp"

namespace headway::cli {

TemporaryFile::TemporaryFile() {
  std::error_code error;
  const std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error)
    fail(ErrorCode::io, "cannot make a temporary file: TMPDIR is not a folder: ", error.message());
  name_ = cat("a temporary file in \"", folder, "\" (set TMPDIR for another place)");
  std::string path = folder + "/headway-XXXXXX";
  fd_ = FileDescriptor(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd_.valid()) fail(ErrorCode::io, "cannot make ", name_, ": ", errno_text(errno));
  ::unlink(path.c_str());
}

void TemporaryFile::write(std::string_view bytes) {
  write_all(fd_.get(), bytes, name_);
}

void TemporaryFile::copy_to(ByteSink& sink) const {
  std::vector<char> buffer(size_t{256} << 10);
  for (off_t offset = 0;;) {
    const ssize_t count = ::pread(fd_.get(), buffer.data(), buffer.size(), offset);
    if (count == 0) return;
    if (count < 0 && errno != EINTR)
      fail(ErrorCode::io, "cannot read ", name_, ": ", errno_text(errno));
    check_interrupt();
    if (count < 0) continue;
    sink.write({buffer.data(), static_cast<size_t>(count)});
    offset += count;
  }
}

}  // namespace headway::cli
