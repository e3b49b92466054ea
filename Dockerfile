# The image of a Purse server: the package of the `purse` command, without a package manager's cache, sources or the local chain.
#
#   docker build -t purse .
#   docker run -p 1337:1337 -v purse:/data -e PURSE_SERVER_URL=https://purse.example/server purse
#
# Builds for the platform of the base image; NODE_IMAGE names another one with Node.js 22.18 or later and npm.
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
RUN npm run --silent packages -- purse \
 && cd .cache/purse-package \
 && npm pack --silent --pack-destination /tmp \
 && npm install --prefix /opt/purse --no-audit --no-fund --loglevel=error /tmp/purse-*.tgz \
 && rm -rf /opt/purse/node_modules/@foundry-rs /opt/purse/node_modules/@uniswap /opt/purse/node_modules/.package-lock.json

FROM ${NODE_IMAGE}
COPY --from=build /opt/purse /opt/purse
RUN ln -s /opt/purse/node_modules/purse/bin/purse.js /usr/local/bin/purse \
 && install -d -o 1000 -g 1000 -m 700 /data \
 && install -d /app
# Settings and cloud code, if any: /app/purse.config.ts, /app/cloud/main.ts. Data, keys and files: /data.
WORKDIR /app
ENV NODE_ENV=production \
    PURSE_ENV=production \
    PURSE_HOST=0.0.0.0 \
    PURSE_PORT=1337 \
    PURSE_DATA_DIR=/data
VOLUME /data
EXPOSE 1337
USER 1000:1000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PURSE_PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["purse"]
