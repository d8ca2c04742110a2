// oneDNN behind plain pointers.
#include "engine/ops/onednn.hpp"

#include <pthread.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>

#include "engine/base/message.hpp"
#include "engine/ops/handles.hpp"
#include "engine/platform/isa.hpp"
#include "engine/runtime/parallel.hpp"

static_assert(DNNL_VERSION_MAJOR == 3 && DNNL_VERSION_MINOR >= 2,
              "Headway needs the headers of oneDNN 3.2 or newer");

namespace headway {
namespace {

using dnnl::memory;

thread_local int onednn_depth = 0;

// Surrounds every call: one thread, and the mark that tests look at.
class InsideOnednn {
 public:
  InsideOnednn() { ++onednn_depth; }
  ~InsideOnednn() { --onednn_depth; }

 private:
  OneThreadScope one_thread_;
};

template <typename Body>
auto call(const char* what, const Body& body) {
  InsideOnednn inside;
  try {
    return body();
  } catch (const dnnl::error& error) {
    fail(ErrorCode::internal, "oneDNN could not ", what, ": ", error.what(), " (status ",
         error.status, ")");
  }
}

// Held while oneDNN makes something, for which it locks caches of its own, and through every fork:
// a child forked while another thread is in there would find them locked for ever.
std::mutex making;

template <typename Body>
auto make(const char* what, const Body& body) {
  std::lock_guard lock(making);
  return call(what, body);
}

dnnl::cpu_isa onednn_limit(Isa isa) {
  switch (isa) {
    case Isa::sse4:
      return dnnl::cpu_isa::sse41;
    case Isa::avx2:
      return dnnl::cpu_isa::avx2;
    case Isa::avx512:
      return dnnl::cpu_isa::avx512_core;
    case Isa::avx512_vnni:
      return dnnl::cpu_isa::avx512_core_vnni;
    case Isa::avx512_bf16:
      return dnnl::cpu_isa::avx512_core_bf16;
    default:
      return dnnl::cpu_isa::isa_default;
  }
}

// The CPU engine, with the instruction set held to max_isa() before oneDNN's first primitive. Never
// destroyed: primitives of static lifetime use it.
const dnnl::engine& cpu() {
  static const dnnl::engine* engine = call("start", [] {
    if (max_isa() != cpu_isa()) dnnl::set_max_cpu_isa(onednn_limit(max_isa()));
    return new dnnl::engine(dnnl::engine::kind::cpu, 0);
  });
  return *engine;
}

memory::data_type weight_type(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return memory::data_type::f32;
    case Precision::bf16:
      return memory::data_type::bf16;
    case Precision::int8:
      return memory::data_type::s8;
  }
  return memory::data_type::undef;
}

memory::data_type row_type(Precision precision) {
  // Bytes without a sign are what the CPU multiplies; oneDNN would have to shift signed ones.
  return precision == Precision::int8 ? memory::data_type::u8 : weight_type(precision);
}

memory::data_type sum_type(Precision precision) {
  return precision == Precision::int8 ? memory::data_type::s32 : memory::data_type::f32;
}

memory::desc dense(int64_t rows, int64_t columns, memory::data_type type) {
  return {{rows, columns}, type, memory::dims{columns, 1}};
}

// One primitive and, per thread that runs it at the same time, a set of memory handles that are
// pointed at the data.
class OnednnGemm : public Gemm {
 public:
  explicit OnednnGemm(const dnnl::matmul::primitive_desc& desc)
      : primitive_(desc), desc_(desc), scratch_bytes_(desc.scratchpad_desc().get_size()) {}

  size_t scratch_bytes() const override { return scratch_bytes_; }

  void run(const void* a, const void* b, void* c, std::byte* scratch) const override {
    call("run a matmul", [&] {
      std::unique_ptr<Arguments> arguments = handles_.take();
      if (arguments == nullptr) arguments = std::make_unique<Arguments>(desc_);
      arguments->point_at(a, b, c, scratch);
      primitive_.execute(arguments->stream, arguments->memories);
      handles_.give_back(std::move(arguments));
    });
  }

 private:
  struct Arguments {
    explicit Arguments(const dnnl::matmul::primitive_desc& desc)
        : stream(cpu()),
          memories{{DNNL_ARG_SRC, {desc.src_desc(), cpu(), nullptr}},
                   {DNNL_ARG_WEIGHTS, {desc.weights_desc(), cpu(), nullptr}},
                   {DNNL_ARG_DST, {desc.dst_desc(), cpu(), nullptr}},
                   {DNNL_ARG_SCRATCHPAD, {desc.scratchpad_desc(), cpu(), nullptr}}} {}

    void point_at(const void* a, const void* b, void* c, std::byte* scratch) {
      memories.at(DNNL_ARG_SRC).set_data_handle(const_cast<void*>(a));
      memories.at(DNNL_ARG_WEIGHTS).set_data_handle(const_cast<void*>(b));
      memories.at(DNNL_ARG_DST).set_data_handle(c);
      memories.at(DNNL_ARG_SCRATCHPAD).set_data_handle(scratch);
    }

    dnnl::stream stream;
    std::unordered_map<int, memory> memories;
  };

  dnnl::matmul primitive_;
  dnnl::matmul::primitive_desc desc_;
  size_t scratch_bytes_;
  mutable Handles<Arguments> handles_;
};

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::matmul::primitive_desc packed_desc(const PackedGemmShape& s, const memory::desc& weights) {
  return {cpu(), dense(s.m, s.k, row_type(s.precision)), weights,
          dense(s.m, s.n, sum_type(s.precision)), user_scratchpad()};
}

// The layout oneDNN wants for B [k, n], asked for at the largest row count it is run with.
memory::desc packed_layout(Precision precision, int64_t k, int64_t n) {
  const memory::desc any({k, n}, weight_type(precision), memory::format_tag::any);
  return packed_desc({precision, 64, k, n}, any).weights_desc();
}

dnnl::matmul::primitive_desc batched_desc(const BatchedGemmShape& s) {
  const memory::desc a({s.batch, s.m, s.k}, memory::data_type::f32,
                       memory::dims{s.a_batch, s.a_row, 1});
  const memory::desc b({s.batch, s.k, s.n}, memory::data_type::f32,
                       memory::dims{s.b_batch, s.b_row, s.b_column});
  const memory::desc c({s.batch, s.m, s.n}, memory::data_type::f32,
                       memory::dims{s.c_batch, s.c_row, 1});
  dnnl::primitive_attr attributes = user_scratchpad();
  if (s.adds) {
    dnnl::post_ops add;
    add.append_sum();
    attributes.set_post_ops(add);
  }
  return {cpu(), a, b, c, attributes};
}

// Both kinds of shape as a list of numbers, for the cache.
using Key = std::array<int64_t, 13>;

struct KeyHash {
  size_t operator()(const Key& key) const {
    size_t hash = 0;
    for (int64_t number : key)
      hash = hash * 0x9E3779B97F4A7C15u + static_cast<size_t>(number) + (hash >> 29);
    return hash;
  }
};

// The most recently used products. A model's Linears need a handful, attention two per distinct
// length.
class Cache {
 public:
  template <typename Make>
  std::shared_ptr<const Gemm> get(const Key& key, const Make& make) {
    {
      std::lock_guard lock(mutex_);
      if (auto found = find(key)) return found;
    }
    // Made without the lock, so that others are not held up; two threads may make the same one, and
    // the first is kept.
    std::shared_ptr<const Gemm> made = make();
    std::lock_guard lock(mutex_);
    if (auto found = find(key)) return found;
    order_.emplace_front(key, made);
    places_[key] = order_.begin();
    if (order_.size() > kCapacity) {
      places_.erase(order_.back().first);
      order_.pop_back();
    }
    return made;
  }

  // Around a fork.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  static constexpr size_t kCapacity = 4096;
  using Order = std::list<std::pair<Key, std::shared_ptr<const Gemm>>>;

  std::shared_ptr<const Gemm> find(const Key& key) {
    const auto place = places_.find(key);
    if (place == places_.end()) return nullptr;
    order_.splice(order_.begin(), order_, place->second);
    return place->second->second;
  }

  std::mutex mutex_;
  Order order_;
  std::unordered_map<Key, Order::iterator, KeyHash> places_;
};

Cache& cache() {
  static Cache* cache = new Cache;  // never destroyed, as the engine above
  return *cache;
}

// Registered before main(), as a fork may come at any time.
[[maybe_unused]] const int fork_handlers = [] {
  constexpr auto kUnlock = [] {
    cache().unlock();
    making.unlock();
  };
  return pthread_atfork(
      [] {
        making.lock();
        cache().lock();
      },
      kUnlock, kUnlock);
}();

}  // namespace

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return cat(version->major, ".", version->minor, ".", version->patch);
}

std::string onednn_isa() {
  cpu();
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx2_vnni_2:
      return "avx2_vnni_2";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_fp16:
      return "avx512_core_fp16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    case dnnl::cpu_isa::avx512_core_amx_fp16:
      return "avx512_core_amx_fp16";
    default:
      return "default";
  }
}

bool inside_onednn() {
  return onednn_depth > 0;
}

std::shared_ptr<const Gemm> packed_gemm(const PackedGemmShape& s) {
  return cache().get({0, static_cast<int64_t>(s.precision), s.m, s.k, s.n}, [&] {
    return make("make a matmul", [&] {
      return std::make_shared<const OnednnGemm>(
          packed_desc(s, packed_layout(s.precision, s.k, s.n)));
    });
  });
}

std::shared_ptr<const Gemm> batched_gemm(const BatchedGemmShape& s) {
  const Key key = {1,         s.batch, s.m,        s.k,       s.n,     s.a_batch, s.a_row,
                   s.b_batch, s.b_row, s.b_column, s.c_batch, s.c_row, s.adds};
  return cache().get(key, [&] {
    return make("make a batched matmul",
                [&] { return std::make_shared<const OnednnGemm>(batched_desc(s)); });
  });
}

size_t packed_weight_bytes(Precision precision, int64_t k, int64_t n) {
  return make("choose a weight layout", [&] { return packed_layout(precision, k, n).get_size(); });
}

void pack_weight(Precision precision, const void* weights, int64_t k, int64_t n, void* packed) {
  make("pack weights", [&] {
    const memory::desc transposed({k, n}, weight_type(precision), memory::dims{1, k});
    memory from(transposed, cpu(), const_cast<void*>(weights));
    memory to(packed_layout(precision, k, n), cpu(), packed);
    dnnl::stream stream(cpu());
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
  });
}

bool packed_in_blocks_of_64(int64_t k, int64_t n) {
  return make("look at a weight layout", [&] {
    const memory::desc layout = packed_layout(Precision::f32, k, n);
    if (layout.get_format_kind() != memory::format_kind::blocked) return false;
    // Blocks of rows too, one above the other: [n / 64][k / 16][16][64].
    const bool blocks = layout.get_inner_blks() == memory::dims{16, 64} &&
                        layout.get_inner_idxs() == memory::dims{0, 1};
    const int64_t rows = (k + 15) / 16 * 16;
    return blocks && layout.get_strides() == memory::dims{16 * 64, rows * 64};
  });
}

bool packed_bits_free_of_rows(Precision precision) {
  if (precision == Precision::int8) return true;  // integer sums are exact
  static const bool tested_version = [] {
    const dnnl_version_t* version = dnnl_version();
    return version->major == 3 && (version->minor == 2 || version->minor == 7);
  }();
  static const int isa = [] {
    cpu();
    return static_cast<int>(dnnl::get_effective_cpu_isa());
  }();
  const auto has = [](dnnl::cpu_isa needed) {
    return (isa & static_cast<int>(needed)) == static_cast<int>(needed);
  };
  if (!tested_version || !has(dnnl::cpu_isa::avx512_core)) return false;
  // AMX makes bf16 products in another way, which no test has looked at; f32 it leaves alone.
  return precision == Precision::f32 || !has(dnnl::cpu_isa::avx512_core_amx);
}

}  // namespace headway
