# docker build -t which-thread . && docker run --rm -p 127.0.0.1:8888:8888 which-thread
# Binder builds this file too. What each layer weighs and what was left out: data/README.md.
FROM debian:trixie-slim

LABEL org.opencontainers.image.title="Which thread runs this?" \
      org.opencontainers.image.description="A live notebook course on the threading models of the JVM, told in Scala" \
      org.opencontainers.image.licenses="MIT AND CC-BY-4.0"

# A hub that updates its learners' pages needs git: --build-arg MORE_PACKAGES=git
ARG MORE_PACKAGES=
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv ${MORE_PACKAGES} \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/*

# Binder and JupyterHub name the user that they run as.
ARG NB_USER=jovyan
ARG NB_UID=1000
ENV HOME=/home/${NB_USER} LANG=C.UTF-8
RUN useradd --create-home --uid ${NB_UID} ${NB_USER} && install -d -o ${NB_USER} /srv/course

# Not in the home folder: a hub may mount the user's own there.
WORKDIR /srv/course
USER ${NB_USER}

# The embedded kernel answers sooner and holds less memory than Almond.
ENV COURSE_KERNEL=ammonite \
    COURSIER_CACHE=/srv/course/.build/jar-cache
COPY --chown=${NB_UID} kernels kernels

# All that any page loads, compiled and warmed up: the kernel by an archive of its own, every JVM that it forks by the runtime's class data.
# Then goes what only set-up or a Python kernel needs.
RUN python3 kernels/course setup \
    && .venv/bin/python -m pip install --no-cache-dir --no-deps --require-hashes --quiet -r kernels/locks/python-hub.txt \
    && .venv/bin/python -B kernels/image/slim.py \
    && mkdir -p .build/jupyter/workspaces data/results && cp kernels/jupyter/*.jupyterlab-workspace .build/jupyter/workspaces

COPY --chown=${NB_UID} data data
COPY --chown=${NB_UID} notebooks notebooks
# What `kernels/course reset` brings back; solutions are no page of the reader's.
COPY --chown=${NB_UID} notebooks/*.ipynb .build/fresh-pages/
COPY --chown=${NB_UID} README.md LICENSE ./

# However Jupyter is started here, by the line below or by a hub, it is configured as `kernels/course lab` does it.
ENV PATH=/srv/course/.venv/bin:${PATH} \
    JUPYTER_CONFIG_PATH=/srv/course/kernels/image:/srv/course/kernels/jupyter \
    JUPYTER_PREFER_ENV_PATH=1 \
    JUPYTER_RUNTIME_DIR=/srv/course/.build/jupyter/runtime \
    JUPYTERLAB_WORKSPACES_DIR=/srv/course/.build/jupyter/workspaces

EXPOSE 8888
HEALTHCHECK --interval=30s --start-period=60s CMD ["python3", "kernels/image/healthy.py"]
# Inside a container loopback is the container's own; the port is published on the host's loopback only (see above).
CMD ["jupyter", "lab", "--no-browser", "--ip=0.0.0.0"]
