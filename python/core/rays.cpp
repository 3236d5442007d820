// Rays that are cast in every environment; what they meet is in arrays on the simulator's device.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>

#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"

namespace stiction::python {
namespace {

/// Of shape (rays, 3), or (batch, rays, 3).
using Vectors = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

std::vector<double> values_of(const Vectors& vectors) { return {vectors.data(), vectors.data() + vectors.size()}; }

Rays rays_of(const Vectors& origin, const Vectors& direction, int body, const std::array<double, 3>& pos,
             const std::array<double, 4>& quat, const std::vector<int>& hidden, double cutoff, RayAnswer answer) {
  Rays rays;
  rays.own = origin.ndim() == 3;
  rays.count = static_cast<int>(origin.shape(rays.own ? 1 : 0));
  rays.origin = values_of(origin), rays.direction = values_of(direction);
  rays.frame_body = body, rays.frame_pos = pos, rays.frame_quat = quat;
  rays.hidden_bodies = hidden;
  rays.cutoff = cutoff;
  rays.answer = answer;
  return rays;
}

RayHits unlocked(const Simulator& simulator, const Rays& rays) {
  const nb::gil_scoped_release release;
  return simulator.cast_rays(rays);
}

std::size_t batch(const Simulator& s) { return static_cast<std::size_t>(s.options().batch); }

/// Distance (batch, nray), geom (batch, nray) and normal (batch, nray, 3).
nb::object cast_rays(nb::handle simulator, const Vectors& origin, const Vectors& direction,
                     const std::vector<int>& hidden, double cutoff) {
  const Rays rays = rays_of(origin, direction, 0, {0, 0, 0}, {1, 0, 0, 0}, hidden, cutoff, RayAnswer::kHits);
  return use_simulator(simulator, [&](const Simulator& s) -> nb::object {
    const RayHits hits = unlocked(s, rays);
    const Shape shape = {batch(s), static_cast<std::size_t>(rays.count)};
    const auto made = [&](const FieldMemory& memory, const Shape& of) {
      return live_array(memory, of, hits.owner, Access::kWrite);
    };
    return nb::make_tuple(made(hits.distance, shape), made(hits.geom, shape),
                          made(hits.normal, {shape[0], shape[1], 3}));
  });
}

/// Multiples of the directions (batch, height, width).
nb::object cast_depth(nb::handle simulator, const Vectors& origin, const Vectors& direction, int body,
                      const std::array<double, 3>& pos, const std::array<double, 4>& quat,
                      const std::vector<int>& hidden, double cutoff, int width) {
  const Rays rays = rays_of(origin, direction, body, pos, quat, hidden, cutoff, RayAnswer::kDepth);
  return use_simulator(simulator, [&](const Simulator& s) -> nb::object {
    const RayHits hits = unlocked(s, rays);
    const auto columns = static_cast<std::size_t>(width);
    const Shape shape = {batch(s), static_cast<std::size_t>(rays.count) / columns, columns};
    return live_array(hits.distance, shape, hits.owner, Access::kWrite);
  });
}

}  // namespace

void bind_rays(nb::module_& m) {
  m.def("cast_rays", &cast_rays,
        nb::sig("def cast_rays(simulator: object, origin: NDArray[numpy.float64], direction: NDArray[numpy.float64], "
                "hidden: list[int], cutoff: float) -> tuple[NDArray[numpy.floating], NDArray[numpy.int32], "
                "NDArray[numpy.floating]]"));
  m.def("cast_depth", &cast_depth,
        nb::sig("def cast_depth(simulator: object, origin: NDArray[numpy.float64], direction: NDArray[numpy.float64], "
                "body: int, pos: list[float], quat: list[float], hidden: list[int], cutoff: float, width: int) -> "
                "NDArray[numpy.floating]"));
}

}  // namespace stiction::python
