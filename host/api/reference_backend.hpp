// The independent reference as a device: it steps one environment after the other, with dense matrices, in double.
#pragma once

#include <memory>

#include "host/backend/backend.hpp"

namespace stiction {

/// `capacity.max_contacts` bounds the contacts that are read out; most_points of the model holds them all.
std::unique_ptr<Backend> make_reference_backend(const Scene& scene, const Capacity& capacity, int batch);

}  // namespace stiction
