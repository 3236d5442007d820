# Installed by whoever runs the example that needs it.
