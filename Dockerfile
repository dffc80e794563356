# The service (oriel-server) and the sandbox bank (oriel-sandbox) in one image.
#
#   docker build -t oriel .
#   docker run --read-only --tmpfs /tmp --env-file compose.env -v oriel-keys:/etc/oriel/keys oriel serve --role api
#
# BASE must be a Debian with Node 22.15 or later and npm. To build where images can't be pulled, pass your own with
# --build-arg BASE=...
ARG BASE=node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /oriel
COPY . .
RUN npm ci --no-audit --no-fund && npm run build && npm run pack -- server sandbox --out /packed

FROM ${BASE} AS install
COPY --from=build /packed/*.tgz /packed/
RUN npm install --global --prefix /opt/oriel --ignore-scripts --no-audit --no-fund --cache /tmp/npm /packed/*.tgz

FROM ${BASE}
# The tarballs, npm's cache and the development dependencies stay behind.
COPY --from=install /opt/oriel /opt/oriel
RUN ln -s /opt/oriel/bin/oriel-server /opt/oriel/bin/oriel-sandbox /usr/local/bin/ \
 && groupadd --gid 10001 oriel \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/oriel --shell /usr/sbin/nologin oriel \
 && install -d -o 10001 -g 10001 -m 700 /var/lib/oriel /etc/oriel /etc/oriel/keys
ENV NODE_ENV=production ORIEL_HOST=0.0.0.0 ORIEL_DATA_DIR=/var/lib/oriel ORIEL_KEY_DIR=/etc/oriel/keys
USER 10001:10001
WORKDIR /var/lib/oriel
VOLUME ["/var/lib/oriel", "/etc/oriel/keys"]
EXPOSE 4000
# The process serves for ORIEL_DRAIN_SECONDS after SIGTERM, so give it longer than that: docker stop --time 60
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.ORIEL_PORT || 4000) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["oriel-server"]
CMD ["serve"]
