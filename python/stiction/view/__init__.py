"""Recordings and simulations in the browser: `python -m stiction view FILE.h5`."""
