# docker build -t which-thread . && docker run --rm -p 127.0.0.1:8888:8888 which-thread
FROM debian:trixie-slim

RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

ARG NB_USER=jovyan
ARG NB_UID=1000
ENV HOME=/home/${NB_USER} LANG=C.UTF-8
RUN useradd --create-home --uid ${NB_UID} ${NB_USER}

COPY --chown=${NB_UID}:${NB_UID} . ${HOME}/course
USER ${NB_USER}
WORKDIR ${HOME}/course
RUN python3 kernels/course setup

ENV PATH=${HOME}/course/.venv/bin:${PATH}
EXPOSE 8888
# Inside a container loopback is the container's own; the port is published on the host's loopback only (see above).
CMD ["python3", "kernels/course", "lab", "--", "--ServerApp.ip=0.0.0.0", "--no-browser", "--port=8888"]
