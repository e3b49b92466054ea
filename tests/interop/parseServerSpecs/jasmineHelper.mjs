// In place of the helper.js of Parse Server's specs: the same globals, with a Purse process for a server.
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { customAuthenticator, facebookAuthenticator, shortLivedAuthenticator } from "./authAdapters.mjs";
import { CurrentServer } from "./currentServer.mjs";
import { graphqlServerOf, restApp } from "./graphqlServer.mjs";
import { internalReason, isSkipped } from "./internalSpecs.mjs";
import { definedSchemas, InternalAccess, serverInternals } from "./serverInternals.mjs";
import { configurationOf } from "./serverOptions.mjs";
import { cloudDefinitions, takeMails } from "./specFunctions.mjs";
import { recordResults } from "./specResults.mjs";
import { serverContacts } from "./specServers.mjs";

const FOLDER = process.env.SPECS_FOLDER;
const PORT = Number(process.env.SPECS_PORT);
const MASTER_KEY = process.env.SPECS_MASTER_KEY;
const SERVER_URL = `http://localhost:${PORT}/1`;
/** The API's URL as Purse knows it. */
const OWN_URL = `http://localhost:${PORT}/server`;
const DATABASE = "postgres";

const require = createRequire(join(FOLDER, "spec/helper.js"));
// Loading it defines Parse.Cloud, which is replaced below.
require("../lib/index");
const Parse = require("parse/node");

const { rest, Config, InstallationsRouter } = serverInternals(Parse, SERVER_URL, MASTER_KEY);
replaceModule("../lib/Routers/InstallationsRouter", { InstallationsRouter });
replaceModule("../lib/SchemaMigrations/DefinedSchemas", {
  DefinedSchemas: definedSchemas((changed) => reconfigureServer(changed)),
});
replaceModule(
  "../lib/GraphQL/ParseGraphQLServer",
  graphqlServerOf({
    port: PORT,
    async setConfig(params) {
      const headers = {
        "Content-Type": "application/json",
        "X-Parse-Application-Id": "test",
        "X-Parse-Master-Key": MASTER_KEY,
      };
      const body = JSON.stringify({ params });
      const answer = await fetch(`${SERVER_URL}/graphql-config`, { method: "PUT", headers, body });
      if (!answer.ok) throw new Error((await answer.json()).error);
    },
  }),
);
// Purse serves live queries by itself.
require("../lib/index").ParseServer.createLiveQueryServer = async () => ({
  server: { close: async () => undefined },
});
require.cache[require.resolve("../lib/rest")].exports = { ...rest, default: rest };
require.cache[require.resolve("../lib/Config")].exports = Object.assign(Config, { default: Config, Config });

// Parse Server ignores the master key of live queries unless it is one of its key pairs, which the specs do not set.
const { open } = Parse.LiveQueryClient.prototype;
Parse.LiveQueryClient.prototype.open = function () {
  this.masterKey = undefined;
  return open.call(this);
};

function replaceModule(path, members) {
  require(path);
  require.cache[require.resolve(path)].exports = members;
}

// Specs that empty the database through it have an empty one anyway.
process.env.TESTING = "1";
jasmine.DEFAULT_TIMEOUT_INTERVAL = 60_000;
process.noDeprecation = true;
process.on("unhandledRejection", () => undefined);

const IN_PROCESS_OPTIONS = [
  "databaseAdapter",
  "databaseURI",
  "cacheAdapter",
  "loggerAdapter",
  "analyticsAdapter",
];

const defaultConfiguration = {
  serverURL: SERVER_URL,
  appId: "test",
  javascriptKey: "test",
  dotNetKey: "windows",
  clientKey: "client",
  restAPIKey: "rest",
  webhookKey: "test-webhook-key",
  masterKey: MASTER_KEY,
  maintenanceKey: "test-maintenance-key",
  readOnlyMasterKey: "read-only-test",
  fileUpload: { enableForPublic: true, enableForAnonymousUser: true, enableForAuthenticatedUser: true },
  auth: {
    custom: customAuthenticator(Parse, "fastrde", "password"),
    facebook: facebookAuthenticator("8675309", "jenny"),
    myoauth: { module: resolve(FOLDER, "spec/support/myoauth.js") },
    shortLivedAuth: shortLivedAuthenticator(),
  },
  allowClientClassCreation: true,
};

let options = defaultConfiguration;
const current = new CurrentServer({
  appId: "test",
  masterKey: MASTER_KEY,
  configuration: () => configurationOf(defaultConfiguration, OWN_URL),
});

/** Restarts the server with other options and the same data. */
async function reconfigureServer(changed = {}) {
  const ownAdapter = Config.get("test").database.adapter;
  const inProcess = IN_PROCESS_OPTIONS.find((key) => ![undefined, ownAdapter].includes(changed[key]));
  if (inProcess) throw new InternalAccess(`option ${inProcess}`);
  options = { ...defaultConfiguration, ...changed };
  if (typeof changed.cloud === "function") changed.cloud(Parse);
  if (typeof changed.cloud === "string") require(resolve(FOLDER, changed.cloud));
  const { publicServerURL: publicUrl = SERVER_URL } = options;
  const isOwn = typeof publicUrl !== "string" || publicUrl.startsWith(SERVER_URL);
  await current.restart(configurationOf(options, isOwn ? OWN_URL : publicUrl));
  Parse.initialize(options.appId, options.javascriptKey, options.masterKey);
  const fake = {
    config: Config.get("test"),
    server: { close: (done) => done?.(), address: () => ({ port: PORT }) },
    handleShutdown: () => undefined,
    app: restApp(PORT, "/1"),
  };
  return new Proxy(fake, {
    get(target, key) {
      if (key in target || key === "then" || typeof key === "symbol") return target[key];
      throw new InternalAccess(`parseServer.${key}`);
    },
  });
}

function connectClient() {
  Parse.initialize("test", "test", MASTER_KEY);
  Parse.serverURL = SERVER_URL;
}

/** A user with an email address, or a new one if nobody has it. */
async function userWithEmail(email) {
  const where = encodeURIComponent(JSON.stringify({ email: { $in: [email, email.toLowerCase()] } }));
  const headers = { "X-Parse-Application-Id": options.appId, "X-Parse-Master-Key": MASTER_KEY };
  const answer = await fetch(`${SERVER_URL}/users?where=${where}`, { headers });
  const [user = { email }] = (await answer.json()).results ?? [];
  return Parse.Object.fromJSON({ ...user, className: "_User" });
}

takeMails(async ({ to, subject, text = "", html = "" }) => {
  const { emailAdapter, appName = "" } = options;
  if (!emailAdapter) return;
  const loaded = emailAdapter.module && require(emailAdapter.module);
  const adapter = loaded ? new (loaded.default ?? loaded)(emailAdapter.options) : emailAdapter;
  const link = /https?:\/\/[^\s"<>]+/.exec(text || html)?.[0].replace("/server/", "/1/");
  const user = await userWithEmail(to);
  if (link?.includes("verify_email") && adapter.sendVerificationEmail)
    await adapter.sendVerificationEmail({ link, appName, user });
  else if (link?.includes("password_reset") && adapter.sendPasswordResetEmail)
    await adapter.sendPasswordResetEmail({ link, appName, user });
  else await adapter.sendMail({ to, subject, text: text.replaceAll("/server/", "/1/") });
});

Object.assign(Parse.Cloud, {
  ...cloudDefinitions,
  sendEmail: (mail) => options.emailAdapter?.sendMail(mail),
  useMasterKey: () => undefined,
  _removeAllHooks: () => undefined,
});

beforeAll(async () => {
  Parse.User.enableUnsafeCurrentUser();
  await current.start(PORT, "/1");
  connectClient();
}, 60_000);

let contactsBefore = 0;
/** Whether the spec has used the server: otherwise it tests a module of Parse Server or the SDK alone. */
let hasUsedServer = true;
beforeEach(() => {
  contactsBefore = serverContacts();
});

afterEach(async () => {
  hasUsedServer = serverContacts() > contactsBefore;
  await Parse.User.logOut().catch(() => undefined);
  Parse.CoreManager.getLiveQueryController().setDefaultLiveQueryClient();
  connectClient();
  options = defaultConfiguration;
  await current.reset();
}, 60_000);

afterAll(async () => {
  await current.remove();
  // Sockets of specs are still open.
  setTimeout(() => process.exit(), 100);
});

const inProcess = new Proxy(
  { createObject: () => undefined },
  {
    get(target, key) {
      if (key in target) return target[key];
      throw new InternalAccess(`databaseAdapter.${String(key)}`);
    },
  },
);

function sortedText(value) {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedText).join(", ")}]`;
  return `{${Object.keys(value)
    .sort()
    .map((key) => `${key}: ${sortedText(value[key])}, `)
    .join("")}}`;
}

const TestObject = Parse.Object.extend({ className: "TestObject" });

Object.assign(globalThis, {
  Parse,
  TestObject,
  Item: Parse.Object.extend({ className: "Item" }),
  Container: Parse.Object.extend({ className: "Container" }),
  reconfigureServer,
  defaultConfiguration,
  databaseAdapter: inProcess,
  databaseURI: "postgres://",
  mockCustomAuthenticator: (id, password) => customAuthenticator(Parse, id, password),
  mockFacebookAuthenticator: facebookAuthenticator,
  create: (values, then) => new TestObject(values).save().then(then),
  createTestUser: () => new Parse.User().signUp({ username: "test", password: "moon-y" }),
  ok: (value, message) => expect(value).toBeTruthy(message),
  equal: (a, b, message) => expect(a).toEqual(b, message),
  strictEqual: (a, b, message) => expect(a).toBe(b, message),
  notEqual: (a, b, message) => expect(a).not.toEqual(b, message),
  arrayContains: (list, item) => list.includes(item),
  jequal: (a, b) => expect(sortedText(a)).toEqual(sortedText(b)),
  range: (count) => [...Array(count).keys()],
  jfail: (error) => fail(`${error?.message} ${JSON.stringify(error)}`),
  retryFlakyTests: () => undefined,
  flakyTest: () => undefined,
  displayTestStats: () => undefined,
  // Which specs run depends on the database: PostgreSQL's are the ones that Purse can pass.
  on_db: (database, run, otherwise) => (database === DATABASE ? run() : otherwise?.()),
  it_id: () => (run) => run,
  it_exclude_dbs: (excluded) => (excluded.includes(DATABASE) ? xit : it),
  it_only_db: (database) => (database === DATABASE ? it : xit),
  describe_only_db: (database) => (database === DATABASE ? describe : xdescribe),
  describe_only: (isWanted) => (isWanted() ? describe : xdescribe),
  it_only_postgres_version: () => it,
  it_only_node_version: () => it,
  it_only_mongodb_version: () => xit,
  it_exclude_postgres_version: () => xit,
  it_exclude_mongodb_version: () => it,
  it_exclude_node_version: () => it,
  fit_exclude_dbs: () => xit,
  fdescribe_only_db: () => xdescribe,
});
jasmine.timeout = (ms = 100) => new Promise((done) => setTimeout(done, ms));
const mocked = new Map();
jasmine.mockLibrary = (library, name, mock) => {
  mocked.set(`${library} ${name}`, require(library)[name]);
  require(library)[name] = mock;
};
jasmine.restoreLibrary = (library, name) => {
  require(library)[name] = mocked.get(`${library} ${name}`);
};

const file = basename(process.env.SPECS_RESULTS).replace(/\.\w+\.json$/, "");
recordResults({
  isSkipped,
  internalReason: (...args) =>
    internalReason(file, ...args) ?? (hasUsedServer ? undefined : "sends nothing to the server"),
});
