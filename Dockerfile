# The sidecar: `gateway serve` without Envoy, which is a container of its own (docker-compose.yml).
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No install scripts: nothing of them is needed here, and they would run as root.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/dist ./dist
# The same user as Envoy's in docker-compose.yml: the socket between them is for this user alone.
USER 65532:65532
EXPOSE 9090
ENTRYPOINT ["node", "/app/dist/cli/main.js"]
CMD ["--config", "/etc/gateway/gateway.yaml", "serve"]
