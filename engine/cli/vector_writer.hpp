// Writes rows of vectors as they come: .npy or JSON lines.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/cli/byte_sink.hpp"

namespace headway::cli {

enum class VectorFormat { npy, jsonl };

class VectorWriter {
 public:
  virtual ~VectorWriter() = default;
  // `rows`: whole vectors, one after the other.
  virtual void write(std::span<const float> rows) = 0;
  // Completes the output; committing it is left to its owner.
  virtual void finish() = 0;
};

// npy: float32 [rows written, dim] (https://numpy.org/doc/stable/reference/generated/
// numpy.lib.format.html). The row count stands at the start of the format: in a file it is patched
// at the end; for a stream the rows wait in a temporary file.
// jsonl: a JSON array of dim numbers a line, each with the shortest digits that read back as the
// same float32.
std::unique_ptr<VectorWriter> make_vector_writer(ByteSink& sink, VectorFormat format, int64_t dim);

}  // namespace headway::cli
