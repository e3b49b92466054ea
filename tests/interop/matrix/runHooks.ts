/*
 * Runs the scenario with a React client in a document without a browser:
 * `node runHooks.ts MODULE SERVER_URL APP_ID MASTER_KEY RPC_URL MORALIS`, with its folder as the working
 * directory. MORALIS stands for moralis and moralis-v1. Prints the outcomes as JSON on the last line.
 */
import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mnemonicToAccount } from "viem/accounts";
import { signingProvider } from "../../support/signingProvider.ts";
import { hookScenario } from "./hookScenario.ts";
import { runOperations } from "./operation.ts";

type Untyped = ReturnType<NodeJS.Require>;

const [module = "", serverUrl = "", appId = "", , rpcUrl = "", moralis = ""] = process.argv.slice(2);
const account = mnemonicToAccount("test test test test test test test test test test test junk", {
  addressIndex: 2,
});
const home = pathToFileURL(join(process.cwd(), "package.json")).href;
const require = createRequire(home);

/** What the client's imports stand for, also where the workspace has another React. */
const stands = new Map(
  [
    ...["react", "react-dom", "react/jsx-runtime"].map((name) => [name, name] as const),
    ...(moralis.startsWith("@purse/")
      ? []
      : (["moralis", "moralis-v1"] as const).map((name) => [name, moralis] as const)),
  ].map(([name, found]) => [name, pathToFileURL(require.resolve(found)).href]),
);
registerHooks({
  resolve(specifier, context, next) {
    const url = stands.get(specifier);
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
  },
});

openDocument();
const { createElement } = require("react");
const { render } = require("react-dom");
const hooks: Untyped = await import(module);
// The old clients treat this process as a server without a current user.
if (!moralis.startsWith("@purse/"))
  (require(moralis).default ?? require(moralis)).User.enableUnsafeCurrentUser();

const used: { hook: () => unknown; result: { current: Untyped } }[] = [];
function Use({ index }: { index: number }): null {
  const use = used[index];
  if (use) use.result.current = use.hook();
  return null;
}
const root = document.createElement("div");
function show(): void {
  const uses = used.map((_, index) => createElement(Use, { index, key: index }));
  render(createElement(hooks.MoralisProvider, { appId, serverUrl }, uses), root);
}
const outcomes = await runOperations(
  hookScenario({
    hooks,
    address: account.address.toLowerCase(),
    use(hook) {
      const result = { current: undefined };
      used.push({ hook, result });
      show();
      return result;
    },
  }),
);
console.log(JSON.stringify(outcomes));
process.exit(0);

/** Makes this process look like a page of the server with a wallet. */
function openDocument(): void {
  const { GlobalWindow } = require("happy-dom");
  const page = new GlobalWindow({ url: new URL("/", serverUrl).href });
  const names = [
    "document",
    "location",
    "localStorage",
    "sessionStorage",
    "XMLHttpRequest",
    "HTMLElement",
    "HTMLIFrameElement",
    "Element",
    "Node",
    "Event",
    "CustomEvent",
    "File",
    "FileReader",
    "WebSocket",
    "requestAnimationFrame",
    "cancelAnimationFrame",
  ];
  for (const name of names) define(name, page[name]);
  define("window", globalThis);
  define("self", globalThis);
  define("navigator", page.navigator);
  for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"])
    define(name, page[name].bind(page));
  define("ethereum", wallet());
}

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** A wallet that signs all requests. Versions before 1 read its chain from it. */
function wallet() {
  return { ...signingProvider(account, rpcUrl), isMetaMask: true, chainId: "0x539" };
}
