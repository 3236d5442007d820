#include "host/scene/variants.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "host/model/error.hpp"
#include "host/scene/mujoco_importer.hpp"

namespace stiction {
namespace {

struct Slot {
  int body, type;
  ContactProfile profile;
  std::string name;  // of the first geom that is in it
};

using SlotIds = std::vector<std::vector<int>>;  // the slot of every geom of every model

/// Where geom g of a model goes, whose earlier geoms have taken `taken` slots: the first free one of its kind.
int slot_for(const Model& m, const ContactProfile& profile, int g, const std::set<int>& taken,
             std::vector<Slot>& slots) {
  const auto fits = [&](int i) {
    const Slot& slot = slots[static_cast<std::size_t>(i)];
    return slot.body == m.geom_body[g] && slot.type == m.geom_type[g] && slot.profile == profile && !taken.count(i);
  };
  for (int i = 0; i < static_cast<int>(slots.size()); ++i)
    if (fits(i)) return i;
  slots.push_back({m.geom_body[g], m.geom_type[g], profile, m.geom_names[static_cast<std::size_t>(g)]});
  return static_cast<int>(slots.size()) - 1;
}

/// Puts the slots in the order of their bodies.
void order_by_body(std::vector<Slot>& slots, SlotIds& ids) {
  std::vector<int> order(slots.size()), place(slots.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return slots[a].body < slots[b].body; });
  std::vector<Slot> sorted;
  for (std::size_t i = 0; i < order.size(); ++i)
    place[order[i]] = static_cast<int>(i), sorted.push_back(std::move(slots[order[i]]));
  slots = std::move(sorted);
  for (std::vector<int>& own : ids)
    for (int& slot : own) slot = place[slot];
}

SlotIds assign_slots(const std::vector<ReadVariant>& read, std::vector<Slot>& slots) {
  SlotIds ids;
  for (const ReadVariant& variant : read) {
    std::set<int> taken;
    std::vector<int> own;
    for (int g = 0; g < variant.model.ngeom; ++g) {
      own.push_back(slot_for(variant.model, variant.profile[static_cast<std::size_t>(g)], g, taken, slots));
      taken.insert(own.back());
    }
    ids.push_back(std::move(own));
  }
  order_by_body(slots, ids);
  return ids;
}

void clear_geoms(Model& m) {
  m.ngeom = 0;
  for (auto* reals : {&m.geom_size, &m.geom_pos, &m.geom_quat, &m.geom_friction, &m.geom_radius, &m.geom_box_center,
                      &m.geom_box_half})
    reals->clear();
  for (auto* ints : {&m.geom_type, &m.geom_body, &m.geom_mesh, &m.geom_piece, &m.geom_source_id}) ints->clear();
  m.geom_names.clear();
}

void clear_pairs(Model& m) {
  m.npair = 0;
  for (auto* ints : {&m.pair_geom, &m.pair_condim, &m.pair_explicit, &m.pair_friction_rule}) ints->clear();
  for (auto* reals : {&m.pair_friction, &m.pair_kinetic, &m.pair_margin}) reals->clear();
}

void clear_hulls(Model& m) {
  m.nmesh = m.nmeshvert = m.nmeshneighbor = m.nmeshface = m.nmeshfacevert = m.nmeshfacing = 0;
  for (auto* ints : {&m.mesh_vert_adr, &m.mesh_vert_num, &m.mesh_neighbor_adr, &m.mesh_neighbor_num, &m.mesh_neighbor,
                     &m.mesh_face_adr, &m.mesh_face_num, &m.mesh_face_vert_adr, &m.mesh_face_vert_num,
                     &m.mesh_face_vert, &m.mesh_facing_adr, &m.mesh_facing})
    ints->clear();
  for (auto* reals : {&m.mesh_vert, &m.mesh_face_normal}) reals->clear();
}

void append_spare(Model& m) {
  const auto append = [](std::vector<double>& to, std::initializer_list<double> more) { to.insert(to.end(), more); };
  m.geom_mesh.push_back(kSpareGeom);
  m.geom_piece.push_back(-1);
  m.geom_source_id.push_back(-1);
  m.geom_names.push_back("");
  for (auto* triple : {&m.geom_size, &m.geom_pos, &m.geom_friction, &m.geom_box_center, &m.geom_box_half})
    append(*triple, {0, 0, 0});
  append(m.geom_quat, {1, 0, 0, 0});
  m.geom_radius.push_back(0);
}

void append_geom(const Model& from, int g, const std::vector<int>& hull, Model& m) {
  const auto append = [&](const std::vector<double>& source, int width, std::vector<double>& to) {
    const auto first = source.begin() + static_cast<std::ptrdiff_t>(g) * width;
    to.insert(to.end(), first, first + width);
  };
  const int mesh = from.geom_mesh[g];
  m.geom_mesh.push_back(mesh < 0 ? mesh : hull[static_cast<std::size_t>(mesh)]);
  m.geom_piece.push_back(from.geom_piece[g]);
  m.geom_source_id.push_back(from.geom_source_id[static_cast<std::size_t>(g)]);
  m.geom_names.push_back(from.geom_names[static_cast<std::size_t>(g)]);
  append(from.geom_size, 3, m.geom_size);
  append(from.geom_pos, 3, m.geom_pos);
  append(from.geom_quat, 4, m.geom_quat);
  append(from.geom_friction, 3, m.geom_friction);
  append(from.geom_radius, 1, m.geom_radius);
  append(from.geom_box_center, 3, m.geom_box_center);
  append(from.geom_box_half, 3, m.geom_box_half);
}

/// The model with its geoms in the slots, without pairs and hulls.
Model in_slots(const Model& from, const std::vector<Slot>& slots, const std::vector<int>& slot_of,
               const std::vector<int>& hull) {
  Model m = from;
  clear_geoms(m), clear_pairs(m), clear_hulls(m);
  std::vector<int> geom_in(slots.size(), -1);
  for (std::size_t g = 0; g < slot_of.size(); ++g) geom_in[slot_of[g]] = static_cast<int>(g);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    ++m.ngeom;
    m.geom_type.push_back(slots[i].type);
    m.geom_body.push_back(slots[i].body);
    if (geom_in[i] < 0)
      append_spare(m);
    else
      append_geom(from, geom_in[i], hull, m);
  }
  for (RestingOverlap& overlap : m.resting_overlaps)
    for (int& geom : overlap.geom) geom = slot_of[geom];
  return m;
}

/// A candidate pair of slots; the smaller slot first in `key`.
struct SlotPair {
  std::array<int, 2> geom;  // as in pair_geom
  int condim, is_explicit, friction_rule;
  std::array<double, 5> friction;
  double kinetic, margin;
};
using SlotPairs = std::map<std::pair<int, int>, SlotPair>;

std::pair<int, int> key_of(int a, int b) { return std::minmax(a, b); }

SlotPairs pairs_of(const Model& m, const std::vector<int>& slot_of) {
  SlotPairs pairs;
  for (int p = 0; p < m.npair; ++p) {
    SlotPair pair{{slot_of[m.pair_geom[2 * p]], slot_of[m.pair_geom[2 * p + 1]]},
                  m.pair_condim[p],
                  m.pair_explicit[p],
                  m.pair_friction_rule[p],
                  {},
                  m.pair_kinetic[p],
                  m.pair_margin[p]};
    std::copy_n(m.pair_friction.begin() + 5 * p, 5, pair.friction.begin());
    pairs.emplace(key_of(pair.geom[0], pair.geom[1]), pair);
  }
  return pairs;
}

/// Whether a model has a geom in the slot.
bool fills(const std::vector<int>& slot_of, int slot) {
  return std::find(slot_of.begin(), slot_of.end(), slot) != slot_of.end();
}

/// Whether two models have the same pair. Friction of geoms is theirs, and that of the pair only says whether a contact
/// may resist turning; a <pair> has its own.
bool is_same(const SlotPair& a, const SlotPair& b) {
  const bool alike = a.geom == b.geom && a.condim == b.condim && a.is_explicit == b.is_explicit &&
                     a.friction_rule == b.friction_rule && a.kinetic == b.kinetic && a.margin == b.margin;
  return alike && (!a.is_explicit || a.friction == b.friction);
}

/// The pairs of all models.
SlotPairs join_pairs(const std::vector<ReadVariant>& read, const SlotIds& ids, const std::string& where) {
  std::vector<SlotPairs> own;
  SlotPairs joined;
  for (std::size_t v = 0; v < read.size(); ++v) {
    own.push_back(pairs_of(read[v].model, ids[v]));
    for (const auto& [key, pair] : own.back()) {
      SlotPair& all = joined.emplace(key, pair).first->second;
      if (!is_same(all, pair))
        throw InputError(where + ": attach.model: '" + read[v].name +
                         "' and another model of its list differ in what a <pair> says: use the friction of geoms");
      for (std::size_t k = 0; k < 5; ++k) all.friction[k] = std::max(all.friction[k], pair.friction[k]);
    }
  }
  for (std::size_t v = 0; v < read.size(); ++v)
    for (const auto& [key, pair] : joined)
      if (!own[v].count(key) && fills(ids[v], key.first) && fills(ids[v], key.second))
        throw InputError(where + ": attach.model: '" + read[v].name +
                         "' and another model of its list differ in which geoms may touch (exclude, pair, or geoms "
                         "that overlap at the start)");
  return joined;
}

/// A plane has no bounds that could say that it is not there; it may be spare only where nothing could touch it.
void refuse_spare_planes(const std::vector<ReadVariant>& read, const std::vector<Slot>& slots, const SlotIds& ids,
                         const SlotPairs& pairs, const std::string& where) {
  for (const auto& [key, pair] : pairs) {
    const Slot& slot = slots[static_cast<std::size_t>(pair.geom[0])];  // planes are the first type
    if (slot.type != static_cast<int>(GeomType::kPlane)) continue;
    for (std::size_t v = 0; v < read.size(); ++v)
      if (fills(ids[v], pair.geom[1]) && !fills(ids[v], pair.geom[0]))
        throw InputError(where + ": attach.model: '" + read[v].name + "' has no plane '" + slot.name +
                         "', which another model of the list has: use a box");
  }
}

void append_pair(const SlotPair& pair, Model& m) {
  ++m.npair;
  m.pair_geom.insert(m.pair_geom.end(), pair.geom.begin(), pair.geom.end());
  m.pair_condim.push_back(pair.condim);
  m.pair_explicit.push_back(pair.is_explicit);
  m.pair_friction_rule.push_back(pair.friction_rule);
  m.pair_friction.insert(m.pair_friction.end(), pair.friction.begin(), pair.friction.end());
  m.pair_kinetic.push_back(pair.kinetic);
  m.pair_margin.push_back(pair.margin);
}

template <class T>
void add_new(const std::vector<T>& more, std::vector<T>& all) {
  for (const T& value : more)
    if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
}

}  // namespace

std::vector<ContactProfile> contact_profiles(const CompiledModel& compiled, const Model& model) {
  const mjModel& m = *compiled.model;
  std::set<int> in_pairs(m.pair_geom1, m.pair_geom1 + m.npair);
  in_pairs.insert(m.pair_geom2, m.pair_geom2 + m.npair);
  const auto named = [&](int id) { return in_pairs.count(id) ? name_of(&m, mjOBJ_GEOM, id) : ""; };
  std::vector<ContactProfile> profiles;
  for (const int id : model.geom_source_id)
    profiles.push_back({m.geom_contype[id],
                        m.geom_conaffinity[id],
                        m.geom_condim[id],
                        m.geom_priority[id],
                        m.geom_margin[id],
                        named(id),
                        {},
                        {}});
  for (const RestingOverlap& overlap : model.resting_overlaps)
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const auto other = static_cast<std::size_t>(overlap.geom[1 - side]);
      profiles[static_cast<std::size_t>(overlap.geom[side])].rests.push_back(std::to_string(model.geom_body[other]) +
                                                                             " " + model.geom_names[other]);
    }
  for (ContactProfile& profile : profiles) std::sort(profile.rests.begin(), profile.rests.end());
  return profiles;
}

Model join_variants(const std::vector<ReadVariant>& read, const std::string& where, std::vector<Variant>& variants) {
  check_alike(read, where);
  std::vector<Slot> slots;
  const SlotIds ids = assign_slots(read, slots);
  const SlotPairs pairs = join_pairs(read, ids, where);
  refuse_spare_planes(read, slots, ids, pairs, where);
  Model hulls;
  const std::vector<std::vector<int>> hull_ids = join_hulls(read, hulls);
  for (std::size_t v = 0; v < read.size(); ++v)
    variants.push_back({read[v].name, in_slots(read[v].model, slots, ids[v], hull_ids[v]), read[v].qpos, read[v].qvel});
  Model joined = variants.front().model;
  for (std::size_t i = 0; i < slots.size(); ++i) joined.geom_names[i] = slots[i].name;
#define ST_COUNT(name) \
  if (std::string_view(#name).starts_with("nmesh")) joined.name = hulls.name;
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
#define ST_INT(name, length) \
  if (std::string_view(#name).starts_with("mesh_")) joined.name = hulls.name;
#define ST_REAL(name, length) ST_INT(name, length)
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  for (const auto& [key, pair] : pairs) append_pair(pair, joined);
  import_shared_dofs(joined);
  for (const Variant& variant : variants) {
    for (const RestingOverlap& overlap : variant.model.resting_overlaps)
      if (std::ranges::find(joined.resting_overlaps, overlap.geom, &RestingOverlap::geom) ==
          joined.resting_overlaps.end())
        joined.resting_overlaps.push_back(overlap);
    add_new(variant.model.left_out, joined.left_out);
    add_new(variant.model.ignored, joined.ignored);
    for (const Bulge& bulge : variant.model.bulges)
      if (std::ranges::find(joined.bulges, bulge.mesh, &Bulge::mesh) == joined.bulges.end())
        joined.bulges.push_back(bulge);
  }
  validate(joined);
  return joined;
}

}  // namespace stiction
