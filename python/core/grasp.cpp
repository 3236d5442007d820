// The quality of grasps. Shapes are checked in Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include "host/grasp/quality.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"

namespace stiction::python {
namespace {

using Ints = nb::ndarray<const int, nb::c_contig, nb::device::cpu>;

Grasps grasps_from(int batch, int contacts, int dimension, int facets, const nb::dict& arrays,
                   const std::optional<Ints>& count) {
  Grasps grasps;
  grasps.batch = batch, grasps.contacts = contacts, grasps.dimension = dimension, grasps.facets = facets;
  const auto values = [&](const char* name) {
    const auto array = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(arrays[name]);
    return std::vector<double>(array.data(), array.data() + array.size());
  };
  grasps.position = values("position"), grasps.normal = values("normal");
  grasps.friction = values("friction"), grasps.torsion = values("torsion");
  grasps.center = values("center"), grasps.length = values("length");
  if (arrays.contains("tangent")) grasps.tangent = values("tangent");
  if (count) grasps.count.assign(count->data(), count->data() + count->size());
  return grasps;
}

GraspQuality unlocked(const Grasps& grasps, const GraspQualityOptions& options) {
  const nb::gil_scoped_release release;
  return grasp_quality(grasps, options);
}

nb::dict judge(int batch, int contacts, int dimension, int facets, const nb::dict& arrays,
               const std::optional<Ints>& count, bool volume, int threads) {
  const Grasps grasps = grasps_from(batch, contacts, dimension, facets, arrays, count);
  GraspQuality quality = unlocked(grasps, {volume, threads});
  const Shape shape = {static_cast<std::size_t>(batch)};
  nb::dict out;
  out["closure"] = copied_array(std::vector<int>(quality.closure.begin(), quality.closure.end()), shape);
  out["epsilon"] = copied_array(std::move(quality.epsilon), shape);
  out["lower"] = copied_array(std::move(quality.lower), shape);
  out["upper"] = copied_array(std::move(quality.upper), shape);
  if (volume) out["volume"] = copied_array(std::move(quality.volume), shape);
  return out;
}

}  // namespace

void bind_grasp(nb::module_& m) {
  m.def("grasp_quality", &judge, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
        nb::arg(),
        nb::sig("def grasp_quality(batch: int, contacts: int, dimension: int, facets: int, arrays: dict[str, "
                "NDArray[numpy.float64]], count: NDArray[numpy.int32] | None, volume: bool, threads: int) -> dict[str, "
                "NDArray[numpy.generic]]"));
}

}  // namespace stiction::python
