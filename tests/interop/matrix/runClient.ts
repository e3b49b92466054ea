/*
 * Runs the scenario with one client: `node runClient.ts MODULE SERVER_URL APP_ID MASTER_KEY RPC_URL`, with its
 * folder as the working directory. Prints the outcomes as JSON on the last line.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { chainScenario } from "./chainScenario.ts";
import { dataScenario } from "./dataScenario.ts";
import { runOperations } from "./operation.ts";

const [module = "", serverUrl = "", appId = "", masterKey = "", rpcUrl = ""] = process.argv.slice(2);
const isOurs = module === "@purse/client";
// Moralis 0.0 reads `window` in Node.js too, which must therefore be declared.
Object.assign(globalThis, { window: undefined });
const require = createRequire(join(process.cwd(), "package.json"));
const loaded = isOurs ? await import(module) : require(`${module}/node`);
const Parse = loaded.default ?? loaded;
const isMoralis = typeof Parse.start === "function";

if (isMoralis) await Parse.start({ serverUrl, appId, masterKey, tracksCurrentUser: true });
else {
  Parse.initialize(appId, undefined, masterKey);
  Parse.serverURL = serverUrl;
}
if (!isOurs) Parse.User.enableUnsafeCurrentUser();
const scenario = { Parse, serverUrl, masterKey };
const outcomes = await runOperations(dataScenario(scenario));
if (isMoralis) outcomes.push(...(await runOperations(chainScenario(scenario, rpcUrl))));
console.log(JSON.stringify(outcomes));
process.exit(0);
