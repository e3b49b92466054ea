// In place of the package parse-server, which the tests of the SDK start in their process: starts Purse processes.
import { generateKeyPairSync } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { facebookAuthenticator } from "../parseServerSpecs/authAdapters.mjs";
import { CurrentServer } from "../parseServerSpecs/currentServer.mjs";
import { configurationOf } from "../parseServerSpecs/serverOptions.mjs";
import { cloudDefinitions } from "../parseServerSpecs/specFunctions.mjs";
import { recordResults } from "../parseServerSpecs/specResults.mjs";

const PORT = Number(process.env.SPECS_PORT);
const OWN_URL = `http://localhost:${PORT}/server`;

/** Providers that Parse Server has itself. It takes the token "test" of this one. */
const providers = { facebook: facebookAuthenticator("test", "test") };

/** A push service for the messages of the tests, none of which reaches a device. */
const push = {
  fcm: {
    serviceAccount: {
      project_id: "integration",
      client_email: "push@integration.test",
      private_key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
        type: "pkcs8",
        format: "pem",
      }),
    },
  },
};

let current;
/** The options of the first server, which a server without data has again. */
let initial;
/** The options of the server that runs. */
let running;
/** Pages that the tests add to the server, by path, and files that they upload. */
const pages = new Map([
  ["/picture.png", (_, response) => response.send("a picture")],
  ["/endless.png", () => undefined],
]);

/** Answers requests of the tests' own pages, such as "/clear/:fast". */
function answerPage(request, response) {
  const path = request.url.split("/");
  const [pattern, respond] =
    [...pages].find(([each]) => {
      const parts = each.split("/");
      return (
        parts.length === path.length && parts.every((part, i) => part.startsWith(":") || part === path[i])
      );
    }) ?? [];
  if (respond === undefined) return false;
  const named = pattern
    .split("/")
    .flatMap((part, i) => (part.startsWith(":") ? [[part.slice(1), path[i]]] : []));
  response.setHeader("Content-Type", request.url.endsWith(".png") ? "image/png" : "text/html");
  response.setHeader("Access-Control-Allow-Origin", "*");
  respond({ params: Object.fromEntries(named) }, { send: (text) => response.end(text) });
  return true;
}

function isRunning(options) {
  return Object.keys({ ...options, ...running }).every((key) => Object.is(options[key], running[key]));
}

function configurationFor(options) {
  const configuration = configurationOf({ ...options, auth: { ...options.auth, ...providers } }, OWN_URL);
  return options.push ? { ...configuration, push } : configuration;
}

/** Parse Server defines the SDK of its process as a global, which the tests use beside their own. */
function defineGlobalSdk({ appId, masterKey, serverURL }) {
  const Parse = createRequire(join(process.env.SPECS_FOLDER, "integration/setup.js"))("parse/node");
  Parse.initialize(appId, undefined, masterKey);
  Parse.serverURL = serverURL;
  globalThis.Parse = Parse;
}

async function startFirst(options) {
  initial = options;
  defineGlobalSdk(options);
  current = new CurrentServer({
    appId: options.appId,
    masterKey: options.masterKey,
    cloud: options.cloud,
    configuration: () => configurationFor(initial),
  });
  await current.start(PORT, options.mountPath, answerPage);
}

async function startApp(options) {
  if (current === undefined) await startFirst(options);
  else if (isRunning(options)) current.reconnect();
  else {
    if (typeof options.cloud === "function") options.cloud({ Cloud: cloudDefinitions });
    await current.restart(configurationFor(options));
  }
  running = options;
  return {
    config: { ...options, state: "ok" },
    expressApp: { get: (path, respond) => pages.set(path, respond) },
    server: { close: (done) => done(), on: () => undefined },
    handleShutdown: async () => current.disconnect(),
  };
}

/** Records the results of the specs that are defined after it, and stops their server in the end. */
export function prepareSpecs() {
  // None of the SDK's tests needs the server's process but for its options, which it has.
  recordResults();
  afterAll(async () => {
    await current.remove();
    // Sockets of specs are still open.
    setTimeout(() => process.exit(), 100);
  }, 60_000);
}

export const TestUtils = {
  async destroyAllDataPermanently() {
    running = initial;
    await current.reset();
  },
};

export default { startApp };
