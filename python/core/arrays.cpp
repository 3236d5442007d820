#include "python/core/arrays.hpp"

#include <type_traits>

#include "host/backend/cuda_backend.hpp"
#include "host/model/error.hpp"

namespace stiction::python {
namespace {

template <class T>
nb::object array_on(const FieldMemory& memory, const Shape& shape, nb::handle owner, Access access) {
  if (memory.cuda_device < 0) {
    nb::object array = nb::cast(nb::ndarray<nb::numpy, T>(memory.data, shape.size(), shape.data(), owner));
    if (access == Access::kWrite) return array;
    return nb::module_::import_("stiction.arrays").attr("read_only")(array);
  }
  const nb::ndarray<nb::array_api, T> array(memory.data, shape.size(), shape.data(), owner, nullptr, nb::dtype<T>(),
                                            nb::device::cuda::value, memory.cuda_device);
  return nb::module_::import_("stiction.gpu_array")
      .attr("GpuArray")(nb::cast(array), nb::arg("writable") = access == Access::kWrite);
}

template <class T>
nb::object copy_of(std::vector<T> values, const Shape& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

std::string type_text(const nb::dlpack::dtype& type) {
  static constexpr const char* kKinds[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  return (type.code < 7 ? kKinds[type.code] : "type") + std::to_string(type.bits);
}

template <class T>
std::vector<T> copied_values(const AnyArray& array) {
  const T* data = static_cast<const T*>(array.data());
  if (array.device_type() != nb::device::cuda::value) return {data, data + array.size()};
  std::vector<T> values(array.size());
  copy_from_cuda(array.device_id(), data, values.size() * sizeof(T), values.data());
  return values;
}

template <class T>
std::vector<double> values_of(const AnyArray& array) {
  std::vector<T> values = copied_values<T>(array);
  if constexpr (std::is_same_v<T, double>)
    return values;
  else
    return {values.begin(), values.end()};
}

bool is_readable(const AnyArray& array) {
  return array.device_type() == nb::device::cpu::value || array.device_type() == nb::device::cuda::value;
}

template <class T>
nb::object read_as(const AnyArray& array) {
  return copy_of(copied_values<T>(array), shape_of(array));
}

}  // namespace

nb::object live_array(const FieldMemory& memory, const Shape& shape, std::shared_ptr<void> owner, Access access) {
  const nb::capsule keeps(new std::shared_ptr<void>(std::move(owner)),
                          [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
  switch (memory.type) {
    case ValueType::kFloat64:
      return array_on<double>(memory, shape, keeps, access);
    case ValueType::kFloat32:
      return array_on<float>(memory, shape, keeps, access);
    case ValueType::kInt32:
      return array_on<std::int32_t>(memory, shape, keeps, access);
    case ValueType::kUint32:
      return array_on<std::uint32_t>(memory, shape, keeps, access);
  }
  return nb::none();
}

nb::object copied_array(std::vector<double> values, const Shape& shape) { return copy_of(std::move(values), shape); }
nb::object copied_array(std::vector<int> values, const Shape& shape) { return copy_of(std::move(values), shape); }
nb::object copied_array(std::vector<std::uint32_t> values, const Shape& shape) {
  return copy_of(std::move(values), shape);
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::vector<std::size_t> shape_of(const AnyArray& array) {
  std::vector<std::size_t> shape;
  for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(array.shape(i));
  return shape;
}

std::vector<double> read_array(const char* name, const AnyArray& array, const Shape& expected) {
  const auto refuse = [&](const std::string& wanted, const std::string& got) {
    throw InputError(std::string(name) + ": expected " + wanted + ", got " + got);
  };
  if (shape_of(array) != expected) refuse("shape " + shape_text(expected), shape_text(shape_of(array)));
  if (!is_readable(array)) refuse("an array in host memory or on a CUDA GPU", "one elsewhere");
  const nb::dlpack::dtype type = array.dtype();
  if (type == nb::dtype<double>()) return values_of<double>(array);
  if (type == nb::dtype<float>()) return values_of<float>(array);
  if (type == nb::dtype<std::int64_t>()) return values_of<std::int64_t>(array);
  if (type == nb::dtype<std::int32_t>()) return values_of<std::int32_t>(array);
  refuse("float64, float32, int64 or int32", type_text(type));
  return {};
}

nb::object read_gpu(const AnyArray& array) {
  const nb::dlpack::dtype type = array.dtype();
  if (type == nb::dtype<double>()) return read_as<double>(array);
  if (type == nb::dtype<float>()) return read_as<float>(array);
  if (type == nb::dtype<std::int32_t>()) return read_as<std::int32_t>(array);
  return read_as<std::uint32_t>(array);
}

void write_gpu(const AnyArray& array, const AnyArray& values) {
  copy_to_cuda(array.device_id(), const_cast<void*>(array.data()), array.nbytes(), values.data());
}

}  // namespace stiction::python
