# By digest: a tag is moved, and what was tested is what runs. Another one, or a mirror's: --build-arg NODE=...
ARG NODE=node:24.21.0-alpine3.24@sha256:ebfe2f90462722a7a4de65e91990e97fe0d401c70e0e762c5b53302f905ec1c1

FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build

# What runs is one bundled file and its lazily loaded chunks, with the licences of what is in them: no node_modules.
FROM ${NODE}
WORKDIR /app
# Both listeners are for the container's network, and so is who may speak for a client: docs/deployment.md.
ENV NODE_ENV=production MODE=live HOST=0.0.0.0 ADMIN_HOST=0.0.0.0 TRUSTED_PROXIES=private
COPY package.json LICENSE ./
COPY --from=build /app/dist ./dist
# The image's user node, by number: Kubernetes can then see that it is not root.
USER 1000:1000
EXPOSE 8080
# The image's own wget (BusyBox), asked past any proxy, in the place of a second Node.js every ten seconds.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD wget -q -Y off -O /dev/null "http://127.0.0.1:${PORT:-8080}/api/health" || exit 1
CMD ["node", "--enable-source-maps", "dist/main.js"]
