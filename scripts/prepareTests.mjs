// Installs and builds what `npm test` needs. CI runs it beside the checks: installing mostly waits for the network and the disk.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { node, root } from "./install.mjs";

/** What tests need in folders of their own. */
const FOLDERS = [
  ["tests/interop", "the clients of the interop tests"],
  ["bench", "parse-server, which the client is tested with too"],
  ["tests/fixtures/oldApp", "the old packages of an old application"],
  ["tests/fixtures/createdApp", "the build tools of an old application"],
];

/** Prepares everything in processes of their own; exits this process if something fails. */
export async function prepareTests() {
  const folders = FOLDERS.map(([folder, what]) =>
    inProcess(process.execPath, "install.mjs", "ensureInstalled", join(root, folder), what),
  );
  // The others use the packages and the pinned runtime.
  await succeed([inProcess(process.execPath, "install.mjs", "ensureInstalled")]);
  await succeed([
    ...folders,
    inProcess(node, "build.mjs", "ensureAppsBuilt"),
    inProcess(node, "build.mjs", "ensureServersBuilt"),
    inProcess(node, "chromium.mjs", "ensureChromium"),
  ]);
}

async function succeed(running) {
  const failure = (await Promise.all(running)).find((status) => status !== 0);
  if (failure !== undefined) process.exit(failure);
}

/** Calls a function of another script in a process of its own; returns its exit code. */
function inProcess(runtime, script, name, ...args) {
  const module = new URL(script, import.meta.url).href;
  const code = `(await import(${JSON.stringify(module)})).${name}(...${JSON.stringify(args)})`;
  const child = spawn(runtime, ["--input-type=module", "-e", code], { stdio: "inherit", cwd: root });
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (status) => resolve(status ?? 1));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepareTests();
