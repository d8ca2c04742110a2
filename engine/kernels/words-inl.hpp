// What a product's packed numbers are: words of 32 bits, which hold one f32 or two bf16 that are
// neighbours in the sum.
#if defined(HEADWAY_ENGINE_KERNELS_WORDS_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADWAY_ENGINE_KERNELS_WORDS_INL_HPP_
#undef HEADWAY_ENGINE_KERNELS_WORDS_INL_HPP_
#else
#define HEADWAY_ENGINE_KERNELS_WORDS_INL_HPP_
#endif

#include <cstdint>

#include "engine/kernels/partial-inl.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headway {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct F32Words {
  using Float = hn::ScalableTag<float>;
  using Vector = hn::Vec<Float>;

  static constexpr size_t kNumbers = 1;  // of a word

  // The words of a row of numbers, load(0).
  template <class Load>
  static HWY_INLINE Vector of_rows(const Load& load) {
    return load(0);
  }
  // sum + a b
  static HWY_INLINE Vector mul_add(Vector a, Vector b, Vector sum) { return hn::MulAdd(a, b, sum); }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Needs AVX512_BF16. Highway 1.0.3 knows none of its instructions, so they are written out; both
// round to nearest even and take denormals for 0.
struct Bf16Words {
  using Float = hn::ScalableTag<float>;
  using Vector = hn::Vec<Float>;
  using Half = hn::Vec<hn::Rebind<uint16_t, Float>>;

  static constexpr size_t kNumbers = 2;

  // The words of two rows, load(0) and load(1), a number of each.
  template <class Load>
  static HWY_INLINE Vector of_rows(const Load& load) {
    const hn::RebindToUnsigned<Float> du;
    const auto low = hn::PromoteTo(du, round(load(0))), high = hn::PromoteTo(du, round(load(1)));
    return hn::BitCast(Float(), hn::Or(low, hn::ShiftLeft<16>(high)));
  }
  // sum + a[0] b[0] + a[1] b[1] of each word
  static HWY_INLINE Vector mul_add(Vector a, Vector b, Vector sum) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
    return sum;
  }

  static HWY_INLINE Half round(Vector v) {
    Half rounded;
    asm("vcvtneps2bf16 %1, %0" : "=v"(rounded.raw) : "v"(v.raw));
    return rounded;
  }

  // from [n] to words, the last vector's filled up with zeros.
  static HWY_INLINE void round_row(const float* from, size_t n, float* to) {
    const Float d;
    const hn::Rebind<uint16_t, Float> d16;
    const size_t lanes = hn::Lanes(d);
    auto* words = reinterpret_cast<uint16_t*>(to);
    size_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(round(hn::LoadU(d, from + i)), d16, words + i);
    if (i < n) hn::StoreU(round(load_partial(d, from + i, n - i)), d16, words + i);
  }
};
#endif

}  // namespace HWY_NAMESPACE
}  // namespace headway
HWY_AFTER_NAMESPACE();

#endif  // include guard, once per target
