#include <map>

#include "host/scene/variants.hpp"

namespace stiction {
namespace {

/// A hull with lists that count from its own first entry, as they are told apart and copied.
struct HullLists {
  std::vector<double> vert, face_normal;
  std::vector<int> neighbor_adr, neighbor_num, neighbor, face_vert_adr, face_vert_num, face_vert, facing;

  auto operator<=>(const HullLists&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 mistakes it
};

template <class T>
std::vector<T> part(const std::vector<T>& all, int first, int end, int width = 1) {
  return {all.begin() + static_cast<std::ptrdiff_t>(first) * width,
          all.begin() + static_cast<std::ptrdiff_t>(end) * width};
}

std::vector<int> shifted(std::vector<int> values, int by) {
  for (int& value : values) value += by;
  return values;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

HullLists hull_lists(const Model& m, int mesh) {
  const bool last = mesh + 1 == m.nmesh;
  const int vert = m.mesh_vert_adr[mesh], face = m.mesh_face_adr[mesh];
  const int vert_end = vert + m.mesh_vert_num[mesh], face_end = face + m.mesh_face_num[mesh];
  const int neighbor = m.mesh_neighbor_adr[vert], face_vert = m.mesh_face_vert_adr[face];
  const int neighbor_end = m.mesh_neighbor_adr[vert_end - 1] + m.mesh_neighbor_num[vert_end - 1];
  const int face_vert_end = m.mesh_face_vert_adr[face_end - 1] + m.mesh_face_vert_num[face_end - 1];
  const int facing_end = last ? m.nmeshfacing : m.mesh_facing_adr[mesh + 1];
  return {part(m.mesh_vert, vert, vert_end, 3),
          part(m.mesh_face_normal, face, face_end, 3),
          shifted(part(m.mesh_neighbor_adr, vert, vert_end), -neighbor),
          part(m.mesh_neighbor_num, vert, vert_end),
          part(m.mesh_neighbor, neighbor, neighbor_end),
          shifted(part(m.mesh_face_vert_adr, face, face_end), -face_vert),
          part(m.mesh_face_vert_num, face, face_end),
          part(m.mesh_face_vert, face_vert, face_vert_end),
          part(m.mesh_facing, m.mesh_facing_adr[mesh], facing_end)};
}

void append_hull(const HullLists& hull, Model& m) {
  m.mesh_vert_adr.push_back(m.nmeshvert);
  m.mesh_vert_num.push_back(static_cast<int>(hull.neighbor_num.size()));
  m.mesh_face_adr.push_back(m.nmeshface);
  m.mesh_face_num.push_back(static_cast<int>(hull.face_vert_num.size()));
  m.mesh_facing_adr.push_back(m.nmeshfacing);
  append(m.mesh_vert, hull.vert);
  append(m.mesh_face_normal, hull.face_normal);
  append(m.mesh_neighbor_adr, shifted(hull.neighbor_adr, m.nmeshneighbor));
  append(m.mesh_neighbor_num, hull.neighbor_num);
  append(m.mesh_neighbor, hull.neighbor);
  append(m.mesh_face_vert_adr, shifted(hull.face_vert_adr, m.nmeshfacevert));
  append(m.mesh_face_vert_num, hull.face_vert_num);
  append(m.mesh_face_vert, hull.face_vert);
  append(m.mesh_facing, hull.facing);
  ++m.nmesh;
  m.nmeshvert = static_cast<int>(m.mesh_neighbor_num.size());
  m.nmeshneighbor = static_cast<int>(m.mesh_neighbor.size());
  m.nmeshface = static_cast<int>(m.mesh_face_vert_num.size());
  m.nmeshfacevert = static_cast<int>(m.mesh_face_vert.size());
  m.nmeshfacing = static_cast<int>(m.mesh_facing.size());
}

}  // namespace

std::vector<std::vector<int>> join_hulls(const std::vector<ReadVariant>& read, Model& joined) {
  std::map<HullLists, int> known;
  std::vector<std::vector<int>> ids;
  for (const ReadVariant& variant : read) {
    std::vector<int> own;
    for (int mesh = 0; mesh < variant.model.nmesh; ++mesh) {
      const auto [entry, is_new] = known.try_emplace(hull_lists(variant.model, mesh), joined.nmesh);
      if (is_new) append_hull(entry->first, joined);
      own.push_back(entry->second);
    }
    ids.push_back(std::move(own));
  }
  return ids;
}

}  // namespace stiction
