import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { bundledThreads } from "./tests/support/bundledThreads.ts";
import SlowestFirst from "./tests/support/slowestFirst.ts";

// Servers and commands that tests start, hundreds of them, do not compile the same modules each time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, ".cache/compiled");

/** The items of the specification, by which tests are tagged: `npm test -- --tags-filter 8.code.107`. */
const items: { id: string }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "docs/internals/conformance/items.json"), "utf8"),
);

/** Tests of functions without effects. */
const PURE = [
  "{apps/*,packages/{chain,cli,devchain,protocol,server,ui}}/src/**/*.test.ts",
  "scripts/**/*.test.ts",
];
/** What tests use that replace globals, or start something. */
const EFFECTS =
  /\bvi\.|@vitest-environment|process\.env|globalThis|\binject\(|DATABASES|spawn|new Worker|\b(createChain(Folder|Service)|createCloud|createDatabase|createServer|hostPurse|inProcessServer|proxyNode|start(Dev|Test)Chain|startChainWithGap|startService|testChain)\b/;
const pure = filesOf(PURE).filter((file) => !EFFECTS.test(textOf(file)));

/** Tests that start databases, chains and services, and stop them. */
const STARTING = ["packages/{chain,server}/src/**/*.test.ts"];
/** What tests use that set variables of their process, which servers that are started later would inherit. */
const VARIABLES = /assign\(process\.env|process\.env(\.\w+|\[\w+\]) (\?\?)?= /;
/** What tests use that replace something in their process, measure it, or end its threads. */
const REPLACEMENTS = /\bvi\.(?!waitFor)|@vitest-environment|threadCpuUsage|BroadcastChannel|createCloud/;
/** Tests that break connections, which may fail once more when the test is over. */
const BREAKING =
  /chainFaults|hostileNode|notificationChannel|postgresConnection|session\.|supervision|transactions\./;
const shared = filesOf(STARTING).filter(
  (file) => !pure.includes(file) && !BREAKING.test(file) && !uses(file, REPLACEMENTS, VARIABLES),
);

/** Tests that send requests to servers in other processes. */
const REQUESTING = ["tests/{security,server}/**/*.test.ts"];
/** What tests use that break connections between servers and services. */
const PROXIES = /\bstart(Breakable|Postgres)Proxy\b/;
/** The client, whose modules have the state of one app. */
const CLIENT = /"@purse\/client"/;
const requesting = filesOf(REQUESTING).filter(
  (file) => !uses(file, REPLACEMENTS, VARIABLES, PROXIES, CLIENT),
);

/** What tests of components use that stays announced to others. */
const ANNOUNCED = /\bannounceWallet\(/;
const rendering = filesOf(["{apps,packages}/*/src/**/*.test.{ts,tsx}"]).filter((file) => {
  const source = textOf(file);
  return source.startsWith("// @vitest-environment happy-dom") && !ANNOUNCED.test(source);
});
const replacesModules = (file: string) => /\bvi\.mock\(/.test(textOf(file));
/** Tests of components that can share the modules that they import and the document. */
const components = rendering.filter((file) => !replacesModules(file));
/** Tests of components that import their modules anew. */
const mockedComponents = rendering.filter(replacesModules);

/** Tests that replace globals, timers and modules, and tests of the client, whose modules have the state of one app. */
const RENEWING = ["{apps,packages}/*/src/**/*.test.{ts,tsx}"];
/** What tests use that importing anew does not undo. */
const LASTING =
  /@vitest-environment|globalThis\.\w+ = |new Worker|spawn|node:cluster|createCloud|inject\(|announceWallet/;
/** Of the tests of chain data, the others start something. */
const WITH_TIMERS = /\bvi\.useFakeTimers\(/;
const renewed = filesOf(RENEWING).filter(
  (file) =>
    (!/^packages\/(chain|devchain)\//.test(file) || uses(file, WITH_TIMERS)) &&
    !pure.includes(file) &&
    !shared.includes(file) &&
    !BREAKING.test(file) &&
    !uses(file, LASTING, VARIABLES),
);

function filesOf(patterns: string[]): string[] {
  return globSync(patterns, { cwd: import.meta.dirname, exclude: ["**/node_modules/**"] });
}

function uses(file: string, ...patterns: RegExp[]): boolean {
  const source = textOf(file);
  return patterns.some((pattern) => pattern.test(source));
}

function textOf(file: string): string {
  return readFileSync(join(import.meta.dirname, file), "utf8");
}

export default defineConfig({
  plugins: [bundledThreads()],
  test: {
    tags: items.map(({ id }) => ({ name: id })),
    sequence: { sequencer: SlowestFirst },
    globalSetup: ["tests/support/globalSetup.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    // A poll is often a request, which takes a millisecond or two of CPU time.
    expect: { poll: { interval: 50, timeout: 15_000 } },
    // Many system tests wait more than they compute.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          // They share the modules that they import, which take longer than the tests.
          name: "pure",
          include: pure,
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "components",
          include: components,
          setupFiles: ["tests/support/renderingSetup.ts"],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "mocked",
          include: mockedComponents,
          setupFiles: ["tests/support/renderingSetup.ts", "tests/support/renewal.ts"],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          // They share a process, whose start takes longer than most of them.
          name: "renewed",
          include: renewed,
          setupFiles: ["tests/support/renewal.ts"],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          // They share the modules that they import and a browser, one file after the other.
          name: "browser",
          include: ["tests/browser/**/*.test.ts"],
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{packages,apps}/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
          exclude: [
            "**/node_modules/**",
            "packages/{chain,devchain}/**",
            ...pure,
            ...shared,
            ...rendering,
            ...renewed,
          ],
          setupFiles: ["tests/support/renderingSetup.ts"],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          // They stop what they start, and importing their modules takes as long as many of their tests.
          name: "shared",
          include: shared,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          // Their servers end with them.
          name: "requesting",
          include: requesting,
          setupFiles: ["tests/support/serverHost/release.ts"],
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          // With servers and chains of their own.
          name: "system",
          include: ["tests/**/*.test.ts", "packages/{chain,devchain}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "tests/browser/**", ...pure, ...shared, ...renewed, ...requesting],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
