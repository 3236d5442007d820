# The program on Debian 12, without CUDA:
#
#   docker build -t stiction .
#   docker run --rm stiction run scenes/gripper2d
#
# With CUDA: from an image that has the toolkit, such as one of NVIDIA's "devel" images, with the GPU handed in:
#
#   docker build -t stiction:cuda --build-arg BASE=IMAGE .
#   docker run --rm --gpus all stiction:cuda bench scenes/gripper2d --device cuda --batch 4096
#
# The steps are those of the README; CI does not build these images.
ARG BASE=debian:12
FROM ${BASE}
WORKDIR /opt/stiction
COPY . .
RUN scripts/setup && scripts/build host-release && rm -rf /var/lib/apt/lists/*
ENTRYPOINT ["/opt/stiction/build/host-release/bin/stiction"]
CMD ["doctor"]
