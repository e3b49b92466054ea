// `npm run check`: format and lint, types, import rules, unused exports, generated pages, the documentation, vocabulary, long sentences,
// and rules of tests.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ensureInstalled, node, root } from "./install.mjs";

ensureInstalled();
const isColored = process.stdout.isTTY && !("NO_COLOR" in process.env || "FORCE_COLOR" in process.env);
/** The compiler, written in Go, collects garbage only beyond this limit, which saves a quarter of its CPU time. */
const compilerMemory = { GOGC: "off", GOMEMLIMIT: "4GiB" };
const bin = (name) => join(root, "node_modules/.bin", name);
const steps = [
  ["format and lint", bin("biome"), ["check", "--error-on-warnings"]],
  ["types", bin("tsc"), ["-b"]],
  ["documentation site", node, ["scripts/docs.mjs", "--if-changed"]],
  [
    "layers",
    node,
    [bin("depcruise"), "packages", "apps", "scripts", "tests", "--config", ".dependency-cruiser.cjs"],
  ],
  ["cycles and layers of the server", node, ["scripts/architecture.ts"]],
  ["unused files, exports and dependencies", node, [bin("knip"), "--treat-config-hints-as-errors"]],
  ["conformance table", node, ["scripts/conformance.ts", "--check"]],
  ["generated reference pages", node, ["scripts/reference.ts", "--check"]],
  ["client of the data API", node, ["scripts/web3api.ts", "--check"]],
  ["facts of chains", node, ["scripts/chainFacts.ts", "--check"]],
  ["links of the documentation", node, ["scripts/links.ts"]],
  ["vocabulary", node, ["scripts/vocabulary.ts"]],
  ["licenses of packages", node, ["scripts/packages/thirdParty.ts"]],
  ["sentences for operators", node, ["scripts/sentences.ts"]],
  ["luck in tests", node, ["scripts/testRules.ts"]],
];
/** Prints what a step has written when it has ended. */
async function succeeds([name, command, args]) {
  const output = [];
  const step = spawn(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: root,
    env: { ...compilerMemory, ...process.env, ...(isColored && { FORCE_COLOR: "1" }) },
  });
  for (const stream of [step.stdout, step.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const status = await new Promise((resolve, reject) => step.once("error", reject).once("close", resolve));
  console.log(`\n— ${name}`);
  process.stdout.write(Buffer.concat(output));
  return status === 0;
}

const failed = [];
const waiting = [...steps];
/** Most steps use one core. */
const workers = Array.from({ length: Math.min(availableParallelism(), 4) }, async () => {
  for (let step = waiting.shift(); step; step = waiting.shift()) {
    if (!(await succeeds(step))) failed.push(step);
  }
});
await Promise.all(workers);
for (const [name] of failed) console.error(`failed: ${name}`);
process.exitCode = failed.length > 0 ? 1 : 0;
