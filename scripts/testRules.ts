/*
 * Refuses what makes tests depend on luck, in tests and what supports them: waiting for a time instead of a condition, numbers
 * that are random in each run, fixed ports, retries, short limits of tests, and a shared expect() in concurrent tests.
 *   node scripts/run.mjs scripts/testRules.ts   lists every such place (part of `npm run check`)
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSyntaxNode, lineAt, type SyntaxNode, visit, visitSource } from "./syntaxTree.ts";

export type Rule = "wait" | "random" | "port" | "retry" | "limit" | "poll";

/** A place that a rule forbids. */
export interface Finding {
  file: string;
  /** From 1. */
  line: number;
  rule: Rule;
}

interface Exception {
  file: string;
  rule: Rule;
  reason: string;
}

const ROOT = join(import.meta.dirname, "..");
const FILES = [
  "{apps,packages,scripts}/**/*.test.{ts,tsx}",
  "tests/**/*.{ts,tsx,mts,mjs}",
  "packages/*/test/**/*.{ts,tsx}",
];
const SKIPPED = /(^|\/)(node_modules|dist|\.cache)$/;

const INSTEAD: Readonly<Record<Rule, string>> = {
  wait: "waits for a time; wait for a condition: until(), expect.poll(), an event",
  random:
    "is random in each run; use Random with a seed that the test prints and accepts, or randomUUID() for a name",
  port: "is a fixed port; use 0 or freePort()",
  retry: "retries a test; mend what fails",
  limit: "is a shorter limit than that of its kind of tests, which a busy machine may exceed; leave it out",
  poll: "belongs to no test once another of the concurrent ones has ended; use the expect() that the test receives",
};

/** Test files that start something, and how long their tests and hooks may take, in ms (`vitest.config.ts`). */
const STARTING = /\.(server|alone|browser)\.test\.tsx?$/;
const LIMIT_MS = 120_000;
const TESTS = new Set(["it", "test", "describe", "beforeAll", "beforeEach", "afterAll", "afterEach"]);

/** The files that may. */
const EXCEPTIONS: readonly Exception[] = [
  { file: "tests/support/until.ts", rule: "wait", reason: "the pause between two looks at a condition" },
  { file: "packages/chain/test/testService.ts", rule: "wait", reason: "the pause between two looks" },
  { file: "tests/support/outage.ts", rule: "wait", reason: "the pause between two looks at a page" },
  {
    file: "packages/chain/src/node/hostileNode.server.test.ts",
    rule: "wait",
    reason: "a node that sends slowly is the subject",
  },
  {
    file: "packages/outbound/src/hostileServers.test.ts",
    rule: "wait",
    reason: "a server that sends slowly is the subject",
  },
  {
    file: "packages/server/src/modules/ipfs/readUri.server.test.ts",
    rule: "wait",
    reason: "a server that sends slowly is the subject",
  },
  { file: "tests/server/wallets.server.test.ts", rule: "wait", reason: "an endless answer is the subject" },
  {
    file: "tests/server/largeAnswers.nightly.server.test.ts",
    rule: "wait",
    reason: "a sample of the memory",
  },
  { file: "tests/support/balancer.ts", rule: "wait", reason: "a balancer that checks servers at intervals" },
  {
    file: "tests/support/serverHost/program.ts",
    rule: "wait",
    reason: "a process that ends when it is not used",
  },
  {
    file: "tests/support/hostile/loopMonitor.mjs",
    rule: "wait",
    reason: "a monitor that samples the event loop",
  },
  {
    file: "tests/security/services.server.test.ts",
    rule: "poll",
    reason: "its concurrent tests are those of one table, which polls for nothing",
  },
  { file: "tests/fixtures/cloud/slow.ts", rule: "wait", reason: "slow cloud code is the subject" },
  { file: "tests/proofs/soak.ts", rule: "wait", reason: "a load of so many requests per second" },
  {
    file: "tests/proofs/leaksInspector.ts",
    rule: "wait",
    reason: "finalizers run some time after a collection",
  },
  { file: "tests/proofs/failover.ts", rule: "wait", reason: "a load of some seconds, which is measured" },
  { file: "tests/proofs/versions.ts", rule: "wait", reason: "a load of some seconds, which is measured" },
  {
    file: "tests/interop/parseServerSpecs/jasmineHelper.mjs",
    rule: "wait",
    reason: "what the specs of Parse Server call",
  },
  {
    file: "tests/interop/parseServerSpecs/specFunctions.mjs",
    rule: "wait",
    reason: "what the specs of Parse Server call",
  },
  {
    file: "tests/interop/parseServerSpecs/specServers.mjs",
    rule: "wait",
    reason: "what the specs of Parse Server call",
  },
  {
    file: "tests/interop/parseSdkSpecs/serverModule.mjs",
    rule: "wait",
    reason: "what the specs of Parse's SDK call",
  },
  {
    file: "tests/browser/demo.ts",
    rule: "wait",
    reason: "a video shows each page as long as it takes to read",
  },
  { file: "tests/browser/screenshots.ts", rule: "wait", reason: "pictures are taken after animations" },
  { file: "tests/browser/studioScreenshots.ts", rule: "wait", reason: "pictures are taken after animations" },
];

if (import.meta.main) main();

function main(): void {
  const exclude = (path: string) => SKIPPED.test(path);
  const files = [...new Set(FILES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude })))].sort();
  const all = files.flatMap((file) => findingsIn(file, readFileSync(join(ROOT, file), "utf8")));
  const isExcepted = ({ file, rule }: Finding) =>
    EXCEPTIONS.some((each) => each.file === file && each.rule === rule);
  const refused = all.filter((each) => !isExcepted(each));
  for (const { file, line, rule } of refused) console.error(`${file}:${line}: ${INSTEAD[rule]}`);
  const unused = EXCEPTIONS.filter(
    ({ file, rule }) => !all.some((each) => each.file === file && each.rule === rule),
  );
  for (const { file, rule } of unused) console.error(`${file} no longer needs its exception (${rule})`);
  if (refused.length + unused.length > 0) process.exitCode = 1;
  console.log(`tests: ${refused.length} places that depend on luck`);
}

/** The places in a file that the rules refuse. */
export function findingsIn(file: string, source: string): Finding[] {
  const findings: Finding[] = [];
  /** How functions that wait are called here, and which of their arguments is the time. */
  const waits = new Map([
    ["setTimeout", 1],
    ["setInterval", 1],
  ]);
  visitSource(file, source, (node) => {
    if (node.type === "ImportDeclaration") addWaits(node, waits);
    const rule = ruleAgainst(node, waits);
    if (rule) findings.push({ file, line: lineAt(source, node.start), rule });
    if (STARTING.test(file) && hasShortLimit(node))
      findings.push({ file, line: lineAt(source, node.start), rule: "limit" });
  });
  return [...findings, ...sharedPolls(file, source)];
}

/** Where a file with concurrent tests polls by the `expect()` that Vitest exports: it belongs to the test that began last. */
function sharedPolls(file: string, source: string): Finding[] {
  let isConcurrent = false;
  let isImported = false;
  const polls: Finding[] = [];
  visitSource(file, source, (node) => {
    if (node.type === "Property" && nameOf(node.key) === "concurrent") isConcurrent ||= isTrue(node.value);
    if (node.type === "MemberExpression" && nameOf(node.property) === "concurrent") isConcurrent = true;
    if (node.type === "ImportSpecifier" && nameOf(node.imported) === "expect") isImported = true;
    if (
      node.type === "MemberExpression" &&
      nameOf(node.property) === "poll" &&
      nameOf(node.object) === "expect"
    )
      polls.push({ file, line: lineAt(source, node.start), rule: "poll" });
  });
  return isConcurrent && isImported ? polls : [];
}

function isTrue(node: unknown): boolean {
  return isSyntaxNode(node) && node.value === true;
}

/** Adds the functions of `node:timers/promises`, under the names that the file gives them. */
function addWaits({ source, specifiers }: SyntaxNode, waits: Map<string, number>): void {
  if (!isSyntaxNode(source) || source.value !== "node:timers/promises" || !Array.isArray(specifiers)) return;
  for (const { imported, local } of specifiers)
    if (nameOf(imported) !== "setImmediate") waits.set(nameOf(local) ?? "", 0);
}

function ruleAgainst(node: SyntaxNode, waits: ReadonlyMap<string, number>): Rule | undefined {
  if (node.type === "Property") return isRetry(node) ? "retry" : undefined;
  if (node.type !== "CallExpression" || !Array.isArray(node.arguments)) return undefined;
  const called = nameOf(node.callee);
  if (called === "waitForTimeout") return "wait";
  if (called === "random") return isMathRandom(node.callee) ? "random" : undefined;
  if (called === "listen") return isFixedPort(node) ? "port" : undefined;
  const time = waits.get(called ?? "");
  return time !== undefined && isFixed(node.arguments[time]) ? "wait" : undefined;
}

/** The name of a variable, or of the property of an object. */
function nameOf(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined;
  if (node.type === "MemberExpression") return nameOf(node.property);
  return typeof node.name === "string" ? node.name : undefined;
}

/** Whether an argument contains a number other than 0, or a constant: what a caller passes is judged there. */
function isFixed(argument: unknown): boolean {
  let isFound = false;
  visit(argument, (node) => {
    if (node.type === "Literal" && typeof node.value === "number" && node.value !== 0) isFound = true;
    if (node.type === "Identifier" && /^[A-Z][A-Z0-9_]+$/.test(String(node.name))) isFound = true;
  });
  return isFound;
}

/** Whether a server listens on a fixed port. */
function isFixedPort({ callee, arguments: given }: SyntaxNode): boolean {
  if (!isSyntaxNode(callee) || callee.type !== "MemberExpression" || !Array.isArray(given)) return false;
  const [first]: unknown[] = given;
  if (!isSyntaxNode(first) || first.type !== "ObjectExpression") return isFixed(first);
  const properties = Array.isArray(first.properties) ? first.properties.filter(isSyntaxNode) : [];
  return properties.some(({ key, value }) => nameOf(key) === "port" && isFixed(value));
}

function isMathRandom(callee: unknown): boolean {
  return isSyntaxNode(callee) && nameOf(callee.object) === "Math";
}

/** Whether a test, a group or a hook has a limit of its own that is shorter than that of its kind. */
function hasShortLimit({ type, callee, arguments: given }: SyntaxNode): boolean {
  if (type !== "CallExpression" || !TESTS.has(calledFirst(callee) ?? "") || !Array.isArray(given))
    return false;
  const isShort = (node: unknown) =>
    isSyntaxNode(node) && typeof node.value === "number" && node.value < LIMIT_MS;
  const options = given.flatMap((each) => (isSyntaxNode(each) ? (each.properties ?? []) : []));
  return (
    given.slice(1).some(isShort) ||
    options.some((each) => isSyntaxNode(each) && nameOf(each.key) === "timeout" && isShort(each.value))
  );
}

/** The function that a chain of calls such as `it.each(rows)("…")` begins with. */
function calledFirst(node: unknown): string | undefined {
  if (!isSyntaxNode(node)) return undefined;
  if (node.type === "Identifier") return nameOf(node);
  return calledFirst(node.callee ?? node.object ?? node.tag);
}

/** `retry: 2` as an option of a test. */
function isRetry({ key, value }: SyntaxNode): boolean {
  return nameOf(key) === "retry" && isFixed(value);
}
