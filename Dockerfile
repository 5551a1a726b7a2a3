# The referee, the client and the reference bots in one image: docker compose up, or docker build .
FROM python:3.12-slim AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/palestra && /opt/palestra/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY protocol ./protocol
COPY client ./client
COPY bots ./bots
COPY server ./server
# The wheels are what students install from this server: http://HOST:8000/simple/
RUN /opt/palestra/bin/pip install --no-cache-dir --no-build-isolation --no-deps ./protocol ./client ./bots ./server && \
    /opt/palestra/bin/pip wheel --no-cache-dir --no-build-isolation --no-deps \
    --wheel-dir /opt/palestra/share/palestra/wheels ./protocol ./client ./bots

FROM python:3.12-slim
COPY --from=build /opt/palestra /opt/palestra
RUN useradd --system --create-home --uid 10001 palestra && install -d -o palestra /data
USER 10001
WORKDIR /home/palestra
ENV PATH=/opt/palestra/bin:$PATH PYTHONUNBUFFERED=1 PALESTRA_DATA=/data PALESTRA_LOG=json
# Kept in ~/.cache: a bot that compiles when its first match begins may be late for it.
RUN palestra-bots compile
EXPOSE 8765 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
CMD ["palestra-server", "serve", "--host", "0.0.0.0"]
