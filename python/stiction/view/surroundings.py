"""What stands around the model on the page: sky, ground, light, and the colours of the controls, light or dark."""

from dataclasses import dataclass

import numpy as np

from stiction.view import meshes
from stiction.view.geometry import floors, visible_geoms

BRAND = (52, 92, 140)      # of buttons and sliders
SKY_ROWS = 256             # of the picture behind everything
HORIZON_ROW = 0.4          # of its height: below it is the colour of the horizon
MIST = (5.0, 30.0)         # where the ground begins to fade and where it has become the horizon, in diagonals of the scene
GAMMA = 2.2                # of the screen
ABOVE = 2e-4               # of the grid over the ground, in diagonals: less flickers


@dataclass(frozen=True)
class Theme:
    """Colours (red, green, blue) from 0 to 255, and intensities of the lights."""

    dark: bool
    zenith: tuple[int, int, int]
    horizon: tuple[int, int, int]
    ground: tuple[int, int, int]
    lines: tuple[int, int, int]
    sun: float
    fill: float
    sky: float
    mirror: float  # how much of the sky is seen in what is flat


LIGHT = Theme(False, (176, 199, 225), (228, 234, 242), (214, 219, 226), (176, 183, 193), 1.1, 0.3, 0.75, 0.2)
DARK = Theme(True, (15, 18, 24), (58, 66, 80), (50, 57, 69), (78, 87, 101), 1.5, 0.4, 0.75, 0.1)


class Surroundings:
    """Sky, ground and light around all environments, which lie between the corners low (3) and high (3) [m]."""

    def __init__(self, server, model, low: np.ndarray, high: np.ndarray):
        self._server, self._scene = server, server.scene
        self._middle, self._extent = (low + high) / 2, float(np.linalg.norm(high - low))
        visible = set(visible_geoms(model))
        levels = [model.geom_pos[geom, 2] for geom in floors(model) if geom in visible]
        self._has_ground = bool(levels)
        self._level = max(levels, default=low[2])
        self._cell = 10.0 ** np.floor(np.log10(np.max(high - low)))

    def show(self, theme: Theme) -> None:
        """Shows a theme in place of the last one, to everybody."""
        gui, scene = self._server.gui, self._scene
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND, dark_mode=theme.dark)
        scene.set_background_image(sky(theme), format="png")
        near, far = MIST
        mist = np.round(255 * (np.array(theme.horizon) / 255) ** GAMMA).astype(int)  # the page takes it as linear
        scene.configure_fog(near * self._extent, far * self._extent, color=tuple(mist.tolist()))
        self._add_lights(theme)
        self._add_ground(theme)

    def _add_lights(self, theme: Theme) -> None:
        """Adds a sun with shadows, a second light from the other side, and the light of the sky."""
        scene = self._scene
        scene.configure_default_lights(enabled=False)
        scene.configure_environment_map("studio", environment_intensity=theme.mirror)
        scene.add_light_directional("/lights/sun", intensity=theme.sun, cast_shadow=True, position=(0.6, -0.9, 1.6))
        scene.add_light_directional("/lights/fill", intensity=theme.fill, position=(-0.8, 0.6, 0.7))
        scene.add_light_hemisphere(
            "/lights/sky", sky_color=(235, 241, 255), ground_color=(130, 125, 118), intensity=theme.sky)

    def _add_ground(self, theme: Theme) -> None:
        """Adds the level planes as one sheet for all environments; without such planes, a grid of lines alone."""
        half = MIST[1] * self._extent
        x, y = self._middle[:2]
        if self._has_ground:
            vertices, faces = meshes.sheet()
            self._scene.add_mesh_simple("/ground", vertices * [half, half, 1], faces, color=theme.ground, side="double",
                                        position=(x, y, self._level), cast_shadow=False)
        self._scene.add_grid(
            "/grid", 2 * half, 2 * half, position=(x, y, self._level + ABOVE * self._extent), cell_size=self._cell,
            section_size=self._cell, cell_color=theme.lines, section_color=theme.lines, cell_thickness=0.6,
            section_thickness=0.6, fade_distance=0.5 * half, shadow_opacity=0.0 if self._has_ground else 0.2)


def sky(theme: Theme) -> np.ndarray:
    """The picture behind everything (SKY_ROWS, 4, 3) uint8, from the zenith down to the horizon."""
    share = np.clip(np.arange(SKY_ROWS) / (HORIZON_ROW * SKY_ROWS), 0, 1)[:, None]
    colors = np.array(theme.zenith) + share * (np.array(theme.horizon) - theme.zenith)
    return np.repeat(np.round(colors).astype(np.uint8)[:, None], 4, axis=1)
