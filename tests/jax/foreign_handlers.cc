// Foreign functions for test_ffi.py, compiled against the header that jaxlib ships.
#include <cstdint>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// out = a + scale * b
static ffi::Error add(ffi::Buffer<ffi::F32> a, ffi::Buffer<ffi::F32> b, float scale,
                      ffi::ResultBuffer<ffi::F32> out)
{
    for (size_t i = 0; i < a.element_count(); i++)
        out->typed_data()[i] = a.typed_data()[i] + scale * b.typed_data()[i];
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Add, add,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Attr<float>("scale")
                                  .Ret<ffi::Buffer<ffi::F32>>());

static ffi::Error refuse(ffi::AnyBuffer, std::string_view why, ffi::Result<ffi::AnyBuffer>)
{
    return ffi::Error(ffi::ErrorCode::kFailedPrecondition, "refused: " + std::string(why));
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Refuse, refuse,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Attr<std::string_view>("why").Ret<ffi::AnyBuffer>());

// Bytes of any array, as they are, with the number that stands for its type behind them.
static ffi::Error copy(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y, ffi::ResultBuffer<ffi::S32> type)
{
    std::memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
    type->typed_data()[0] = static_cast<int32_t>(x.element_type());
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Copy, copy, ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Ret<ffi::Buffer<ffi::S32>>());

// Checks attributes of every kind; what is wrong is the error.
static ffi::Error attributes(bool flag, int32_t i32, int64_t i64, float f32, double f64,
                             std::string_view text, ffi::Span<const int64_t> numbers,
                             ffi::Span<const float> floats, ffi::Dictionary more,
                             ffi::ResultBuffer<ffi::S32> out)
{
    auto depth = more.get<int64_t>("depth");
    auto list = more.get<ffi::Dictionary>("list"); // its names are "0" and "1"
    std::ostringstream said;
    if (!flag || i32 != -5 || i64 != (int64_t{1} << 40) || f32 != 1.5f || f64 != 0.1 ||
        text != "h\xc3\xa9llo")
        said << "scalars: " << flag << i32 << i64 << f32 << f64 << text;
    if (numbers.size() != 3 || numbers[2] != 30 || floats.size() != 4 || floats[3] != 4.5f) said << "arrays";
    if (!depth || *depth != 7 || !list || list->size() != 2) said << "dictionaries";
    if (!list || *list->get<std::string_view>("0") != "x" || *list->get<int64_t>("1") != 5) said << "lists";
    out->typed_data()[0] = 1;
    return said.str().empty() ? ffi::Error::Success() : ffi::Error::InvalidArgument(said.str());
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Attributes, attributes,
                              ffi::Ffi::Bind()
                                  .Attr<bool>("flag")
                                  .Attr<int32_t>("i32")
                                  .Attr<int64_t>("i64")
                                  .Attr<float>("f32")
                                  .Attr<double>("f64")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int64_t>>("numbers")
                                  .Attr<ffi::Span<const float>>("floats")
                                  .Attr<ffi::Dictionary>("more")
                                  .Ret<ffi::Buffer<ffi::S32>>());

// A state for each place where it is called: counts its calls.
struct Counter {
    static ffi::TypeId id;
    explicit Counter(int32_t first) : next(first) {}
    int32_t next;
};
ffi::TypeId Counter::id = {};
static const ffi::TypeInfo counter_info = ffi::MakeTypeInfo<Counter>();

static ffi::ErrorOr<std::unique_ptr<Counter>> begin_count(int32_t first)
{
    if (first < 0) return ffi::Unexpected(ffi::Error::InvalidArgument("first must not be negative"));
    return std::make_unique<Counter>(first);
}
static ffi::Error count(Counter *counter, ffi::ResultBuffer<ffi::S32> out)
{
    out->typed_data()[0] = counter->next++;
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(BeginCount, begin_count, ffi::Ffi::BindInstantiate().Attr<int32_t>("first"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(Count, count,
                              ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::Buffer<ffi::S32>>());
extern "C" __attribute__((visibility("default"))) void *CounterId()
{
    return &Counter::id;
}
extern "C" __attribute__((visibility("default"))) const void *CounterInfo()
{
    return &counter_info;
}

// Done later, on another thread.
static ffi::Future later(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y)
{
    ffi::Promise promise;
    ffi::Future future(promise);
    std::thread([x, y, promise = std::move(promise)]() mutable {
        for (size_t i = 0; i < x.element_count(); i++) y->typed_data()[i] = 2 * x.typed_data()[i];
        if (x.typed_data()[0] < 0)
            promise.SetError(ffi::Error(ffi::ErrorCode::kAborted, "negative, and late"));
        else
            promise.SetAvailable();
    }).detach();
    return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Later, later,
                              ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

// Whether operand and result share memory, and what the operand's first two elements in memory are.
static ffi::Error memory(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y,
                         ffi::ResultBuffer<ffi::F32> seen)
{
    seen->typed_data()[0] = x.untyped_data() == y->untyped_data();
    seen->typed_data()[1] = x.typed_data()[0];
    seen->typed_data()[2] = x.typed_data()[1];
    if (x.untyped_data() != y->untyped_data())
        std::memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
    y->typed_data()[1] += 100;
    return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    Memory, memory,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());
