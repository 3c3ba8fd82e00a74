// What plans and kernels use of the C++ library, for NVRTC, which has none. No other compiler reads it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define INT32_MAX 0x7fffffff
#define UINT32_MAX 0xffffffffu
#define INT64_MAX 0x7fffffffffffffffl

namespace std {

using size_t = decltype(sizeof(0));
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned;
using uint64_t = unsigned long;
using uintptr_t = unsigned long;

template <class T, T Value>
struct integral_constant {
  using value_type = T;
  static constexpr T value = Value;
  constexpr operator T() const { return Value; }
};
template <class A, class B>
inline constexpr bool is_same_v = false;
template <class A>
inline constexpr bool is_same_v<A, A> = true;
template <bool If, class A, class B>
struct conditional {
  using type = A;
};
template <class A, class B>
struct conditional<false, A, B> {
  using type = B;
};
template <bool If, class A, class B>
using conditional_t = typename conditional<If, A, B>::type;
template <class T>
inline constexpr bool is_integral_v = requires(T x, T* p, void (*f)(T)) {
  reinterpret_cast<T*>(p);
  f(0);
  p + x;
};
template <class T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_same_v<T, float> || is_same_v<T, double>;
template <class... T>
using common_type_t = decltype((T{} + ...));

template <class T, T... I>
struct integer_sequence {};
template <class T, T N, T... I>
constexpr auto sequence_to() {
  if constexpr (N == 0)
    return integer_sequence<T, I...>{};
  else
    return sequence_to<T, N - 1, N - 1, I...>();
}
template <class T, T N>
using make_integer_sequence = decltype(sequence_to<T, N>());

template <class To, class From>
constexpr To bit_cast(From const& x) {
  return __builtin_bit_cast(To, x);
}
template <class T>
constexpr int bit_width(T x) {
  int n = 0;
  for (; x != 0; x >>= 1) ++n;
  return n;
}
template <class T>
constexpr T const& max(T const& a, T const& b) {
  return a < b ? b : a;
}
using ::fabs;
using ::floor;
using ::fma;
using ::sqrt;
using ::trunc;

template <class T>
struct numeric_limits {
  static constexpr T max() { return T(-1) > T(0) ? T(-1) : T((1ull << (8 * sizeof(T) - 1)) - 1); }
};

template <class T, size_t N>
constexpr size_t size(T const (&)[N]) {
  return N;
}
template <class T, size_t N>
struct array {
  T all[N];
  constexpr size_t size() const { return N; }
  constexpr T& operator[](size_t i) { return all[i]; }
  constexpr T const& operator[](size_t i) const { return all[i]; }
  constexpr T const* begin() const { return all; }
  constexpr T const* end() const { return all + N; }
};
template <class T>
class span {
 public:
  template <size_t N>
  constexpr span(T (&all)[N]) : data_(all), size_(N) {}
  constexpr size_t size() const { return size_; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }

 private:
  T* data_;
  size_t size_;
};
template <class T, size_t N>
span(T (&)[N]) -> span<T>;

class string_view {
 public:
  static constexpr size_t npos = ~size_t{0};
  constexpr string_view() = default;
  constexpr string_view(char const* text) : data_(text) {
    while (text[size_] != 0) ++size_;
  }
  constexpr string_view(char const* data, size_t size) : data_(data), size_(size) {}
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr char const* begin() const { return data_; }
  constexpr char const* end() const { return data_ + size_; }
  constexpr char operator[](size_t i) const { return data_[i]; }
  constexpr bool operator==(string_view b) const { return size_ == b.size_ && starts_with(b); }
  constexpr bool starts_with(string_view b) const { return size_ >= b.size_ && substr(0, b.size_).matches(b); }
  constexpr void remove_prefix(size_t n) { data_ += n, size_ -= n; }
  constexpr string_view substr(size_t from, size_t n = npos) const {
    return {data_ + from, n < size_ - from ? n : size_ - from};
  }
  constexpr size_t find(string_view b) const {
    for (size_t i = 0; i + b.size_ <= size_; ++i)
      if (substr(i).starts_with(b)) return i;
    return npos;
  }
  constexpr size_t find_first_of(string_view any) const { return first(any, true); }
  constexpr size_t find_first_not_of(string_view any) const { return first(any, false); }

 private:
  constexpr bool matches(string_view b) const {
    for (size_t i = 0; i < b.size_; ++i)
      if (data_[i] != b.data_[i]) return false;
    return true;
  }
  constexpr size_t first(string_view any, bool in) const {
    for (size_t i = 0; i < size_; ++i)
      if ((any.find({data_ + i, 1}) != npos) == in) return i;
    return npos;
  }
  char const* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace std
