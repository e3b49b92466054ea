import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { bundledThreads } from "./tests/support/bundledThreads.ts";

// Servers and commands that tests start, hundreds of them, do not compile the same modules each time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, ".cache/compiled");

/** The items of the specification, by which tests are tagged: `npm test -- --tags-filter 8.code.107`. */
const items: { id: string }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "docs/internals/conformance/items.json"), "utf8"),
);

const STATELESS = /\/packages\/protocol\/src\/(?!.*\.test\.)/;
const IGNORED = ["**/node_modules/**", "**/dist/**", "**/.cache/**"];
/** Only `npm run test:all` runs these, and its part on PostgreSQL does not run them again. */
const NIGHTLY = process.env.PURSE_TESTS && !process.env.PURSE_WITHOUT_NIGHTLY ? [] : ["**/*.nightly.*"];

/** Functions and components share processes, but no modules, globals and timers. */
const SHARED: TestProjectInlineConfiguration["test"] = {
  exclude: [...IGNORED, ...NIGHTLY, "**/*.{server,alone,browser}.test.{ts,tsx}"],
  setupFiles: ["tests/support/renderingSetup.ts", "tests/support/renewal.ts"],
  isolate: false,
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

/** The suffix of a test file says how it runs. */
const kind = (
  name: string,
  settings: TestProjectInlineConfiguration["test"],
): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: [`{apps,packages,scripts,tests}/**/*.${name}.test.{ts,tsx}`],
    exclude: [...IGNORED, ...NIGHTLY],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    ...settings,
  },
});

export default defineConfig({
  plugins: [bundledThreads()],
  // Vite would choose the development files, of which graphql-relay knows nothing: values of both do not go together.
  resolve: {
    alias: [{ find: /^graphql$/, replacement: join(import.meta.dirname, "node_modules/graphql/index.mjs") }],
  },
  test: {
    tags: items.map(({ id }) => ({ name: id })),
    globalSetup: ["tests/support/globalSetup.ts"],
    // A poll is often a request, which takes a millisecond or two of CPU time.
    expect: { poll: { interval: 50, timeout: 15_000 } },
    // Many system tests wait more than they compute.
    maxWorkers: 4,
    fsModuleCache: true,
    // Without state: Node.js loads it once in a process, and not anew with each test file.
    server: { deps: { external: [STATELESS] } },
    projects: [
      kind("unit", { ...SHARED, include: ["{apps,packages,scripts,tests}/**/*.test.ts"] }),
      // Those of a process share its document. A process that got tests with and without one in turn would start anew each time.
      kind("component", {
        ...SHARED,
        include: ["{apps,packages}/**/*.test.tsx"],
        environment: "happy-dom",
      }),
      // They start servers, databases and chains, and stop them: they share processes and the modules that they import.
      kind("server", { isolate: false, setupFiles: ["tests/support/serverHost/release.ts"] }),
      // They set variables of their process, break connections, end processes, measure, or use the client of an app.
      kind("alone", {
        // A server of its own for Vite: one that is shared hands workers modules that other projects have transformed, also
        // those that are external here, which then exist twice.
        root: import.meta.dirname,
        setupFiles: ["tests/support/renderingSetup.ts"],
        server: { deps: { external: [/\/packages\/(protocol|client|react)\/src\/(?!.*\.test\.)/] } },
      }),
      // They share a browser, too.
      kind("browser", { isolate: false }),
    ],
  },
});
