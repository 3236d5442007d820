"""Planning by rollouts: many action sequences from one state are simulated together."""

from stiction.planning.sampling import SamplingPlanner, Settings

__all__ = ["SamplingPlanner", "Settings"]
