"""Sky, ground and light of films and pictures. A model that has a sky is shown as its author lit it.

The light of a sun is spread over N directions within its half angle α, so that its shadows have soft edges:

    d_j ∝ d + tan α √((j + ½) / N) (a cos jγ + b sin jγ),   I_j = I / N,   γ = π (3 - √5),   a, b ⟂ d   [-]
"""

from typing import Any

import numpy as np

from stiction.errors import optional

SKY = ((0.60, 0.70, 0.82), (0.97, 0.97, 0.98))  # overhead, below; the horizon is half-way
SUN = {"pos": (0.6, -0.9, 1.6), "dir": (-0.45, 0.6, -1.0), "diffuse": (0.55, 0.53, 0.50), "specular": (0.15, 0.15, 0.15)}
FILL = {"pos": (-0.8, 1.6, 2.0), "dir": (0.5, -0.8, -1.0), "diffuse": (0.10, 0.11, 0.13), "castshadow": False}
AMBIENT, HEADLIGHT = (0.34, 0.35, 0.37), (0.12, 0.12, 0.12)
SHADOW_CLIP = 4.0    # half width of the map of shadows, in extents of the model: in a smaller one the ground shades itself
SHADOW_SIZE = 4096   # of that map [pixels]
MOST_LIGHTS = 8      # that OpenGL adds up
TANGENT = 0.04       # of a sun's half angle
GLASS = 0.25         # opacity below which nothing casts a shadow
GOLDEN = np.pi * (3 - np.sqrt(5))


def set_stage(spec: Any) -> None:
    """Adds sky and light to a mujoco.MjSpec that has no sky, and takes away the edges of its grounds."""
    mujoco = optional("mujoco", "a picture")
    spec.visual.map.shadowclip = max(spec.visual.map.shadowclip, SHADOW_CLIP)
    spec.visual.quality.shadowsize = max(spec.visual.quality.shadowsize, SHADOW_SIZE)
    if any(texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX for texture in spec.textures):
        return
    spec.add_texture(name="stage/sky", type=mujoco.mjtTexture.mjTEXTURE_SKYBOX, rgb1=SKY[0], rgb2=SKY[1], width=256,
                     builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT, height=1536)
    spec.visual.rgba.haze = (*np.mean(SKY, axis=0), 1.0)
    spec.visual.headlight.ambient, spec.visual.headlight.diffuse, spec.visual.headlight.specular = AMBIENT, HEADLIGHT, (0, 0, 0)
    for light in list(spec.lights):
        spec.delete(light)
    for light in (SUN, FILL):
        spec.worldbody.add_light(type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, **light)
    for geom in spec.worldbody.geoms:
        if geom.type == mujoco.mjtGeom.mjGEOM_PLANE:
            geom.size[:2] = 0  # endless, as it is for contacts


def soften_shadows(scene: Any) -> None:
    """Spreads every light of a mujoco.MjvScene that comes from far away and casts shadows over some directions."""
    for geom in scene.geoms[: scene.ngeom]:
        geom.castshadow = geom.rgba[3] >= GLASS
    suns = [light for light in scene.lights[: scene.nlight] if light.castshadow and _is_far(light)]
    copies = 1 + (MOST_LIGHTS - scene.nlight) // len(suns) if suns and scene.nlight < MOST_LIGHTS else 1
    for sun in suns:
        directions = spread(np.array(sun.dir), copies)
        sun.diffuse[:], sun.specular[:] = np.array(sun.diffuse) / copies, np.array(sun.specular) / copies
        sun.dir[:] = directions[0]
        for direction in directions[1:]:
            _copy_light(sun, scene.lights[scene.nlight])
            scene.lights[scene.nlight].dir[:] = direction
            scene.nlight += 1


def spread(direction: np.ndarray, copies: int) -> np.ndarray:
    """Unit vectors (copies, 3) around a direction (3), evenly over a small disc."""
    side = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
    side /= np.linalg.norm(side)
    j = np.arange(copies)[:, None]
    radius = TANGENT * np.sqrt((j + 0.5) / copies) * (copies > 1)
    around = direction + radius * (np.cos(GOLDEN * j) * side + np.sin(GOLDEN * j) * np.cross(direction, side))
    return around / np.linalg.norm(around, axis=1, keepdims=True)


def _is_far(light: Any) -> bool:
    return light.type == optional("mujoco", "a picture").mjtLightType.mjLIGHT_DIRECTIONAL


def _copy_light(source: Any, target: Any) -> None:
    for name in ("type", "id", "castshadow", "headlight", "range", "intensity", "bulbradius", "cutoff", "exponent", "texid"):
        setattr(target, name, getattr(source, name))
    for name in ("pos", "dir", "attenuation", "ambient", "diffuse", "specular"):
        getattr(target, name)[:] = getattr(source, name)
