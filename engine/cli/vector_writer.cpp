// The two formats of vectors.
#include "engine/cli/vector_writer.hpp"

#include <bit>
#include <optional>
#include <string>

#include "engine/cli/temporary_file.hpp"
#include "engine/formats/json_writer.hpp"
#include "engine/formats/npy.hpp"

namespace headway::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they are in memory");

std::string_view bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

class NpyWriter : public VectorWriter {
 public:
  NpyWriter(ByteSink& sink, int64_t dim) : sink_(sink), dim_(dim) {
    if (sink_.is_file())
      sink_.write(header());
    else
      waiting_.emplace();
  }

  void write(std::span<const float> rows) override {
    if (waiting_)
      waiting_->write(bytes_of(rows));
    else
      sink_.write(bytes_of(rows));
    rows_ += static_cast<int64_t>(rows.size()) / dim_;
  }

  void finish() override {
    if (waiting_) {
      sink_.write(header());
      waiting_->copy_to(sink_);
    } else {
      sink_.patch(0, header());
    }
  }

 private:
  std::string header() const { return npy_header(DType::f32, {rows_, dim_}); }

  ByteSink& sink_;
  int64_t dim_;
  int64_t rows_ = 0;
  std::optional<TemporaryFile> waiting_;
};

class JsonLinesWriter : public VectorWriter {
 public:
  JsonLinesWriter(ByteSink& sink, int64_t dim) : sink_(sink), dim_(static_cast<size_t>(dim)) {}

  void write(std::span<const float> rows) override {
    constexpr size_t kFlushBytes = size_t{256} << 10;
    for (; !rows.empty(); rows = rows.subspan(dim_)) {
      char separator = '[';
      for (const float value : rows.first(dim_)) {
        text_ += separator;
        append_json_number(text_, value);
        separator = ',';
      }
      text_ += "]\n";
      if (text_.size() >= kFlushBytes) flush();
    }
    flush();
  }

  void finish() override {}

 private:
  void flush() {
    sink_.write(text_);
    text_.clear();
  }

  ByteSink& sink_;
  size_t dim_;
  std::string text_;
};

}  // namespace

std::unique_ptr<VectorWriter> make_vector_writer(ByteSink& sink, VectorFormat format, int64_t dim) {
  if (format == VectorFormat::jsonl) return std::make_unique<JsonLinesWriter>(sink, dim);
  return std::make_unique<NpyWriter>(sink, dim);
}

}  // namespace headway::cli
