# The sidecar: `gateway serve` without Envoy, which is a container of its own (docker-compose.yml).
# A digest, so that the same commit gives the same image. A newer one: docker buildx imagetools inspect node:24-bookworm-slim
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No install scripts: nothing of them is needed here, and they would run as root.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# .git is not here: docker build --build-arg GATEWAY_COMMIT="$(git rev-parse --short=12 HEAD)" names the commit.
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
# `docker exec CONTAINER gateway doctor`; the file is executable and begins with its interpreter.
RUN ln -s /app/dist/cli/main.js /usr/local/bin/gateway
# The same user as Envoy's in docker-compose.yml: the socket between them is for this user alone.
USER 65532:65532
EXPOSE 9090
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["--config", "/etc/gateway/gateway.yaml", "serve"]
