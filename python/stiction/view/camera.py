"""The viewpoint of the page."""

from dataclasses import dataclass

import numpy as np

from stiction.view.forces import rotate

FOV = np.deg2rad(40)   # vertical
CLOSE = 0.85           # the corners of the box around everything are empty
SLANT = np.array([0.45, -0.8, 0.5])  # from the middle towards the camera
NARROW = 576           # window [pixels] in which the controls are below the drawing, not beside it
COVERED = 0.4          # of the height there
SQUARE = 1.1           # width over height that a camera of the model needs


@dataclass(frozen=True)
class Camera:
    position: np.ndarray  # (3) [m]
    target: np.ndarray    # (3) what it turns around [m]
    fov: float            # vertical [rad]

    def fitted(self, width: int, height: int) -> "Camera":
        """The same view in a window of this size [pixels]: from further away in a narrow one, and higher up in the
        window where controls cover its lower part."""
        width = max(width, 1)
        covered = COVERED if width < NARROW else 0.0
        back = max(1.0, SQUARE * (1 - covered) * height / width) / (1 - covered)
        away = back * (self.position - self.target)
        ahead = -away / np.linalg.norm(away)
        side = np.cross(ahead, [0.0, 0.0, 1.0])
        up = np.cross(side / max(np.linalg.norm(side), 1e-9), ahead)
        down = covered * np.linalg.norm(away) * np.tan(self.fov / 2) * up
        return Camera(self.target + away - down, self.target - down, self.fov)


def camera_for(model, drawing, env: int | None) -> Camera:
    """For one environment the model's first camera, otherwise a camera that sees everything from in front and above."""
    alone = 0 if len(drawing.offsets) == 1 else env
    if alone is not None and model.ncam > 0 and model.cam_bodyid[0] == 0:
        return _of_model(model, drawing, drawing.offsets[alone])
    low, high = drawing.corners(alone)
    middle, radius = (low + high) / 2, np.linalg.norm(high - low) / 2
    direction = SLANT / np.linalg.norm(SLANT)
    return Camera(middle + CLOSE * radius / np.tan(FOV / 2) * direction, middle, FOV)


def _of_model(model, drawing, offset: np.ndarray) -> Camera:
    """Camera 0 of the model; it turns around the point on its axis that is nearest to the middle of the scene."""
    position = model.cam_pos[0]
    ahead = rotate(model.cam_quat[0], np.array([0.0, 0.0, -1.0]))
    distance = max(float(ahead @ ((drawing.low + drawing.high) / 2 - position)), 1e-2)
    return Camera(position + offset, position + offset + distance * ahead, np.deg2rad(float(model.cam_fovy[0])))
