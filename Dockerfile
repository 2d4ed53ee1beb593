# The sidecar: `gateway serve` without Envoy, which has its own container (docker-compose.yml).
# Pinned by digest, so that a commit always builds the same image. To find a newer digest:
# docker buildx imagetools inspect node:24-bookworm-slim
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Install scripts are not needed here, and would run as root.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The build has no .git. To record the commit: docker build --build-arg GATEWAY_COMMIT="$(git rev-parse --short=12 HEAD)"
ARG GATEWAY_COMMIT=''
RUN GATEWAY_COMMIT="$GATEWAY_COMMIT" npm run build

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ARG GATEWAY_VERSION=0.2.0
ARG GATEWAY_COMMIT=''
LABEL org.opencontainers.image.title="ai-firewall-gateway" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$GATEWAY_VERSION" \
      org.opencontainers.image.revision="$GATEWAY_COMMIT"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/dist ./dist
# For `docker exec CONTAINER gateway doctor`.
RUN ln -s /app/dist/cli/main.js /usr/local/bin/gateway
# Envoy has the same user (docker-compose.yml), since only this user may use the socket between them.
USER 65532:65532
EXPOSE 9090
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["--config", "/etc/gateway/gateway.yaml", "serve"]
