// Memory of a simulator as arrays of Python, without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <vector>

#include "host/model/env_field.hpp"

namespace stiction::python {

namespace nb = nanobind;

using Shape = std::vector<std::size_t>;

enum class Access { kRead, kWrite };

/// An array on `memory` that keeps `owner` alive: NumPy's on the host, a `stiction.gpu_array.GpuArray` on a GPU.
nb::object live_array(const FieldMemory& memory, const Shape& shape, std::shared_ptr<void> owner, Access access);

/// A NumPy array with a copy of `values`.
nb::object copied_array(std::vector<double> values, const Shape& shape);
nb::object copied_array(std::vector<int> values, const Shape& shape);
nb::object copied_array(std::vector<std::uint32_t> values, const Shape& shape);

/// "(4, 7)"
std::string shape_text(const std::vector<std::size_t>& shape);

/// Any array that a caller hands in: NumPy, torch, JAX, ...
using AnyArray = nb::ndarray<nb::ro, nb::c_contig>;

std::vector<std::size_t> shape_of(const AnyArray& array);

/// A NumPy array with what is in GPU memory of one of the types of a FieldMemory, and the way back; both wait for the
/// GPU.
nb::object read_gpu(const AnyArray& array);
void write_gpu(const AnyArray& array, const AnyArray& values);  // of the same type and shape, in host memory

/// The values of an array of real numbers as double. Throws InputError "name: expected ..., got ..." for another
/// shape, type or device.
std::vector<double> read_array(const char* name, const AnyArray& array, const Shape& expected);

}  // namespace stiction::python
