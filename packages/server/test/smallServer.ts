/*
 * A server of objects, batches and requests with ids alone: the modules of the product without all others, so that it starts
 * within a second. Takes the port, the folder of its files and, for PostgreSQL, the database's URL.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { objectRoutes } from "../src/api/objectRoutes.ts";
import { createParseApi } from "../src/api/parseApi.ts";
import { EventBus } from "../src/core/eventBus.ts";
import { createBodyMemory } from "../src/core/http/bodyMemory.ts";
import { createBodyParser } from "../src/core/http/bodyParser.ts";
import { createClientAddress } from "../src/core/http/clientAddress.ts";
import { createMasterKeyVerifier } from "../src/core/http/masterKey.ts";
import { errorReply } from "../src/core/http/reply.ts";
import { createLogger } from "../src/core/logger.ts";
import { FileUrls } from "../src/data/fileUrls.ts";
import { AggregationWorker } from "../src/data/objects/aggregationWorker.ts";
import { createObjects } from "../src/data/objects/index.ts";
import { openSchemas } from "../src/data/schema/openSchemas.ts";
import { openStore } from "../src/database/openStore.ts";
import { NO_TRIGGERS } from "./noTriggers.ts";

const [port = "", folder = "", url] = process.argv.slice(2);
const MOUNT = "/server";
const serverUrl = `http://127.0.0.1:${port}${MOUNT}`;
const appId = "test-app";
const report = (error: unknown, during: string) => console.error(during, error);

const store = await openStore(
  url === undefined
    ? { kind: "sqlite", path: join(folder, "purse.sqlite") }
    : { kind: "postgres", url, connections: 6 },
);
const schemas = await openSchemas(store, new Map());
const fileUrls = new FileUrls({ appId, mountPath: MOUNT, publicUrl: serverUrl, filesUrl: undefined });
const clientAddressOf = createClientAddress({ trustedProxies: [] });
const log = createLogger({
  level: "warn",
  format: "text",
  write: (line) => process.stderr.write(`${line}\n`),
});
const events = new EventBus(report);
const objects = createObjects({
  store,
  aggregationWorker: new AggregationWorker({ logger: log, maxResultBytes: 64 * 1024 * 1024 }),
  schemas,
  rules: new Map(),
  triggers: NO_TRIGGERS,
  limits: { defaultLimit: 100, maxLimit: Number.POSITIVE_INFINITY },
  fileUrls,
  events,
  allowClientClassCreation: true,
  allowClientAddField: true,
  allowCustomObjectId: false,
  defaultAcl: undefined,
  protectedFields: {},
  clock: store.now,
  onError: report,
});
const parseApi = createParseApi({
  appId,
  verifyMaintenanceKey: () => undefined,
  hasClientKey: () => true,
  verifyMasterKey: createMasterKeyVerifier({
    masterKey: "test-master-key",
    readOnlyMasterKey: undefined,
    masterKeyIps: ["*"],
  }),
  mountPath: MOUNT,
  serverUrl,
  clientAddressOf,
  withParsedBody: createBodyParser({
    appId,
    isMasterKey: () => false,
    isValidSession: async () => false,
    maxBodyBytes: 1_000_000,
    maxAnonymousBodyBytes: 1_000_000,
    memory: createBodyMemory(64 * 1024 * 1024, clientAddressOf),
  }),
  routes: objectRoutes({
    objects,
    saveInstallation: () => Promise.reject(new Error("not part of this server")),
  }),
  store,
  idempotency: { paths: [/.*/], seconds: 300, rememberedFields: objects.replayFields },
  authenticateSession: () => Promise.reject(new Error("nobody signs in")),
  knownSession: () => undefined,
  requestLimits: { assertWithin: () => undefined, isLimited: () => false, areDefined: () => false },
  createEach: objects.createEach,
  report,
});

const server = createServer((message, response) => {
  const [path = "", search = ""] = (message.url ?? "").split("?", 2);
  parseApi
    .handle(message, path.slice(MOUNT.length), search)
    .catch((error: unknown) => errorReply(error, (unexpected) => report(unexpected, path)))
    .then((reply) => {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
      response.end(reply.body);
    });
});
server.listen(Number(port), "127.0.0.1", () => console.log("ready"));
