"""The scene of the page: shapes, contact points, force arrows and friction cones of all environments."""

import numpy as np

from stiction.mjcf import pair_friction
from stiction.view import meshes
from stiction.view.forces import (
    Arrows,
    cone_mesh,
    cone_scales,
    facing,
    loaded,
    patch_resultants,
    quaternion_of,
    single_forces,
    turn_x_to,
)
from stiction.view.geometry import (
    Shape,
    handled_bodies,
    longest_arrow,
    loose_bodies,
    moving_bodies,
    object_size,
    reach,
    shapes_of,
)
from stiction.view.models import DrawnModels
from stiction.view.play import Frame

POINT = (64, 64, 70)       # contact points that carry nothing
ARROW = (208, 52, 44)
CONE = (242, 169, 59)
SEE_THROUGH = 0.5          # opacity of handled bodies: the forces on them lie inside
LOADED = 1e-6              # of the largest force seen: less is drawn as no force


class Instances:
    """A changing number of copies of one mesh. Unused copies have size zero, so that arrays keep their length."""

    def __init__(self, scene, name: str, mesh, color, **options):
        self._scene, self._name, self._mesh, self._options = scene, name, mesh, options
        self._color = tuple(int(c) for c in linear_rgb(np.array(color) / 255))
        self._handle, self._capacity = None, 0

    def show(self, position: np.ndarray, quat: np.ndarray, scale: np.ndarray) -> None:
        """Shows n copies with positions (n, 3) [m], quaternions (n, 4) wxyz and scales (n, 3) [m]."""
        if len(position) > self._capacity:
            self._grow(len(position))
        if self._handle is None:
            return
        padded = [np.zeros((self._capacity, width), dtype=np.float32) for width in (3, 4, 3)]
        padded[1][:, 0] = 1
        for array, values in zip(padded, (position, quat, scale)):
            array[: len(values)] = values
        self._handle.batched_positions, self._handle.batched_wxyzs, self._handle.batched_scales = padded

    def clear(self) -> None:
        self.show(np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)))

    def _grow(self, needed: int) -> None:
        if self._handle is not None:
            self._handle.remove()
        self._capacity = max(64, 2 ** int(np.ceil(np.log2(needed))))
        quat = np.tile([1.0, 0, 0, 0], (self._capacity, 1))
        zeros = np.zeros((self._capacity, 3))
        self._handle = self._scene.add_batched_meshes_simple(
            self._name, *self._mesh, quat, zeros, batched_scales=zeros, batched_colors=self._color, lod="off",
            **self._options)


class Drawing:
    """Draws frames of all environments side by side in a grid."""

    def __init__(self, server, models: DrawnModels, cone_sides: int, first: Frame):
        model = models.first
        self.server, self.scene, self.models, self.model = server, server.scene, models, model
        self.show_points, self.show_forces, self.show_cones, self.single_points = True, True, True, False
        self.low, self.high = reach(model, first.body_pose)
        self.offsets = grid_offsets(len(models.of_env), self.high - self.low)
        self.size = object_size(model, self.high - self.low)
        self.largest_force = 0.0   # seen so far [N]
        self.force_scale = 1.0     # of arrows, as the user likes them
        self._loose = loose_bodies(model)[models.geom_bodyid]  # (ngeom)
        self.opacity = SEE_THROUGH  # of handled bodies
        self._split_shapes(first)
        self._points = Instances(self.scene, "/contacts", meshes.ball(6), POINT, cast_shadow=False)
        self._ecps = Instances(self.scene, "/patches", meshes.ball(6), ARROW, cast_shadow=False)
        self._shafts = Instances(self.scene, "/forces/shafts", meshes.shaft(), ARROW, cast_shadow=False)
        self._heads = Instances(self.scene, "/forces/heads", meshes.arrow_head(), ARROW, cast_shadow=False)
        self._cones = Instances(self.scene, "/cones", cone_mesh(cone_sides), CONE, opacity=0.3, side="double",
                                cast_shadow=False, receive_shadow=False, flat_shading=cone_sides < 12)

    def update(self, frame: Frame) -> None:
        """Publishes a frame."""
        with self.server.atomic():
            for shape, envs, handle in self._moving:
                handle.batched_positions, handle.batched_wxyzs = self._placed(shape, frame.body_pose, envs)
            for handle in self._see_through:
                handle.opacity = None if self.opacity == 1 else self.opacity
            self._draw_contacts(frame)

    def corners(self, env: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Corners (3), (3) of a box around one environment; None: around all [m]."""
        offsets = self.offsets if env is None else self.offsets[env : env + 1]
        return self.low + offsets.min(axis=0), self.high + offsets.max(axis=0)

    def meters_per_newton(self) -> float:
        """Scale of arrows."""
        longest = longest_arrow(self.model, self.high - self.low)
        return self.force_scale * longest / self.largest_force if self.largest_force > 0 else 0.0

    def _split_shapes(self, first: Frame) -> None:
        """One object for every model, mesh and kind of geom: fixed or moving, transparent or solid, handled or not."""
        self._moving, self._see_through = [], []
        for k, model in enumerate(self.models.models):
            self._split_shapes_of(model, self.models.envs_with(k), f"geoms/{k}" if k else "geoms", first)

    def _split_shapes_of(self, model, envs: np.ndarray, folder: str, first: Frame) -> None:
        moves, handled = moving_bodies(model), handled_bodies(model)
        for shape in shapes_of(model):
            kinds = np.column_stack([moves[shape.body], handled[shape.body], np.asarray(shape.rgba)[:, 3] < 1])
            for kind in np.unique(kinds, axis=0):
                moving, is_handled, clear = kind
                words = "_".join(word for word, on in zip(("moving", "handled", "clear"), kind) if on)
                part = shape.select((kinds == kind).all(axis=1), f"/{folder}/{shape.name}_{words or 'fixed'}")
                handle = self._add_shape(part, first.body_pose, envs, clear)
                self._moving += [(part, envs, handle)] if moving else []
                self._see_through += [handle] if is_handled else []

    def _add_shape(self, shape: Shape, body_pose: np.ndarray, envs: np.ndarray, clear: bool):
        position, quat = self._placed(shape, body_pose, envs)
        num = len(envs)
        rgba = np.tile(np.asarray(shape.rgba), (num, 1))
        return self.scene.add_batched_meshes_simple(
            shape.name, shape.vertices, shape.faces, quat, position, batched_scales=np.tile(shape.scale, (num, 1)),
            batched_colors=linear_rgb(rgba), batched_opacities=rgba[:, 3] if clear else None,
            flat_shading=shape.flat, lod="off")

    def _placed(self, shape: Shape, body_pose: np.ndarray, envs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        position, quat = shape.place(body_pose[envs])
        position = position + self.offsets[envs, None]
        return position.reshape(-1, 3).astype(np.float32), quat.reshape(-1, 4).astype(np.float32)

    def _draw_contacts(self, frame: Frame) -> None:
        contacts = frame.contacts
        if contacts is None or len(contacts) == 0:
            for instances in (self._points, self._ecps, self._shafts, self._heads, self._cones):
                instances.clear()
            return
        self.largest_force = max(self.largest_force, float(contacts.force[:, 0].max()))
        self._draw_points(contacts.position, contacts.env, self._points)
        if frame.patches is not None:
            self._draw_points(frame.patches.point, frame.patches.env, self._ecps)
        bearing = loaded(contacts, LOADED * self.largest_force)
        each_pair = patch_resultants(bearing) if frame.patches is None else frame.patches
        arrows = facing(single_forces(bearing) if self.single_points else each_pair, self._loose)
        if len(arrows):
            self.largest_force = max(self.largest_force, float(np.linalg.norm(arrows.force, axis=1).max()))
        self._draw_arrows(arrows if self.show_forces else arrows_none(arrows))
        self._draw_cones(arrows if self.show_cones else arrows_none(arrows), frame.friction)

    def _draw_points(self, position: np.ndarray, env: np.ndarray, instances: Instances) -> None:
        if not self.show_points:
            return instances.clear()
        quat = np.tile([1.0, 0, 0, 0], (len(position), 1))
        radius = np.full((len(position), 3), 0.06 * self.size)
        return instances.show(position + self.offsets[env], quat, radius)

    def _draw_arrows(self, arrows: Arrows) -> None:
        """Draws arrows from their points along the forces; the head is at most half of an arrow."""
        length = self.meters_per_newton() * np.linalg.norm(arrows.force, axis=1)
        keep = length > 1e-3 * self.size
        length = length[keep]
        direction = arrows.force[keep] / np.linalg.norm(arrows.force[keep], axis=1, keepdims=True)
        start = arrows.point[keep] + self.offsets[arrows.env[keep]]
        quat = turn_x_to(direction)
        head = np.minimum(0.5 * self.size, 0.5 * length)
        thin, wide = 0.1 * head, 0.3 * head
        self._shafts.show(start, quat, np.column_stack([length - head, thin, thin]))
        self._heads.show(start + (length - head)[:, None] * direction, quat, np.column_stack([head, wide, wide]))

    def _draw_cones(self, arrows: Arrows, friction: np.ndarray | None) -> None:
        sliding = None if friction is None else friction[arrows.env[:, None], arrows.geom]
        mu = pair_friction(self.models, arrows.geom[:, 0], arrows.geom[:, 1], sliding)
        scale = cone_scales(arrows, mu, self.meters_per_newton())
        quat = quaternion_of(np.swapaxes(arrows.frame, 1, 2))
        self._cones.show(arrows.point + self.offsets[arrows.env], quat, scale)


def linear_rgb(rgba: np.ndarray) -> np.ndarray:
    """Display colours (..., 4) as linear colours (..., 3) uint8, as the page takes the colours of instances."""
    return np.round(255 * np.clip(rgba[..., :3], 0, 1) ** 2.0).astype(np.uint8)


def arrows_none(arrows: Arrows) -> Arrows:
    return Arrows(*(getattr(arrows, name)[:0] for name in arrows.__dataclass_fields__))


def grid_offsets(num: int, size: np.ndarray) -> np.ndarray:
    """Places (num, 3) of environments of this size in a grid around the origin, with its rows along x [m]."""
    columns = int(np.ceil(np.sqrt(num)))
    rows = -(-num // columns)
    k = np.arange(num)
    spacing = 1.15 * np.maximum(size[:2], 1e-3)
    offsets = np.zeros((num, 3))
    offsets[:, 0] = (k % columns - (columns - 1) / 2) * spacing[0]
    offsets[:, 1] = ((rows - 1) / 2 - k // columns) * spacing[1]
    return offsets
