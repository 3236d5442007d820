#include "host/record/attributes.hpp"

namespace stiction {
namespace {

/// UTF-8 text of any length.
Hdf5Handle text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

void write_value(hid_t object, const std::string& name, hid_t type, hid_t space, const void* value,
                 const std::string& what) {
  Hdf5Handle attribute(check_hdf5(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), what),
                       H5Aclose);
  if (value) check_hdf5(H5Awrite(attribute.get(), type, value), what);
}

/// Writes a scalar or, with `length`, a list; an empty list keeps its type and has length 0.
struct AttributeWriter {
  hid_t object;
  const std::string& name;
  const std::string& what;

  void scalar(hid_t type, const void* value) const {
    const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    write_value(object, name, type, space.get(), value, what);
  }
  void list(hid_t type, const void* values, hsize_t length) const {
    const Hdf5Handle space(H5Screate_simple(1, &length, nullptr), H5Sclose);
    write_value(object, name, type, space.get(), length > 0 ? values : nullptr, what);
  }

  void operator()(const std::string& text) const {
    const char* pointer = text.c_str();
    scalar(text_type().get(), &pointer);
  }
  void operator()(const std::vector<std::string>& texts) const {
    std::vector<const char*> pointers;
    for (const auto& text : texts) pointers.push_back(text.c_str());
    list(text_type().get(), pointers.data(), pointers.size());
  }
  void operator()(std::int64_t number) const { scalar(H5T_NATIVE_INT64, &number); }
  void operator()(std::uint64_t number) const { scalar(H5T_NATIVE_UINT64, &number); }
  void operator()(const std::vector<std::int64_t>& numbers) const {
    list(H5T_NATIVE_INT64, numbers.data(), numbers.size());
  }
  void operator()(double number) const { scalar(H5T_NATIVE_DOUBLE, &number); }
};

}  // namespace

void write_attribute(hid_t object, const RecordingAttribute& attribute, const std::string& what) {
  std::visit(AttributeWriter{object, attribute.name, what}, attribute.value);
}

}  // namespace stiction
