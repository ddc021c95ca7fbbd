# By digest: a tag is moved, and what was tested is what runs. Another one, or a mirror's: --build-arg NODE=...
ARG NODE=node:24.21.0-alpine3.24@sha256:ebfe2f90462722a7a4de65e91990e97fe0d401c70e0e762c5b53302f905ec1c1

FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# With what only development needs: of it, the reference at /reference is built. None of it gets into the image.
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
RUN node scripts/build.mjs --image /image
# Node.js and the libraries that it is linked with, which is all that it needs of this base.
RUN node=$(command -v node); \
    for file in "$node" $(ldd "$node" | grep -o '/[^ ]*'); do mkdir -p "/image$(dirname "$file")" && cp -L "$file" "/image$file"; done; \
    mkdir -p /image/bin && ln -s "$node" /image/bin/node
COPY LICENSE /image/

# What runs is one bundled program, on Node.js, with V8's code cache of it: no shell, no package manager, no node_modules, and nothing that is written.
FROM scratch
COPY --from=build /image /
# The address of the source is the owner's: docker build --label org.opencontainers.image.source=...
LABEL org.opencontainers.image.title="swapgate" \
      org.opencontainers.image.description="Self-hosted gateway that checks swaps before they are signed" \
      org.opencontainers.image.version="0.1.0-beta.1" \
      org.opencontainers.image.licenses="Apache-2.0"
# Both listeners are for the container's network, by IPv4 and IPv6, and so is who may speak for a client: docs/deployment.md.
ENV NODE_ENV=production MODE=live HOST=:: ADMIN_HOST=:: TRUSTED_PROXIES=private
# By number, as there are no names here: Kubernetes can then see that it is not root.
USER 1000:1000
# The service, and the admin listener where ADMIN_PORT=9090 sets it.
EXPOSE 8080 9090
# There is nothing but Node.js to ask with; half a minute apart, as each question is a process of its own.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["/bin/node", "-e", "require('http').get({ port: process.env.PORT || 8080, path: '/api/health', timeout: 4000 }, (reply) => process.exit(reply.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
CMD ["/bin/node", "/swapgate.cjs"]
