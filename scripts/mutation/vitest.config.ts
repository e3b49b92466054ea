import { join } from "node:path";
import { defineConfig } from "vitest/config";

const root = join(import.meta.dirname, "../..");

/**
 * The tests of permissions and of the query compiler that run within one process, for `npm run mutate`. Packages are
 * imported from this folder, which may be a copy of the repository.
 */
export default defineConfig({
  root,
  resolve: {
    alias: {
      "@purse/protocol": join(root, "packages/protocol/src/index.ts"),
    },
  },
  test: {
    include: [
      "packages/protocol/src/{acl,matcher,conditionCost}.test.ts",
      "packages/server/src/data/permissions/*.test.ts",
      "packages/server/src/database/sql/*.test.ts",
    ],
    // The ids of the specification are defined in the configuration of all tests.
    strictTags: false,
    exclude: [
      "**/node_modules/**",
      "packages/server/src/data/permissions/permissions.property.server.test.ts",
    ],
  },
});
