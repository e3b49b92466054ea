import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ErrorCode, type JsonObject, ProtocolError, ROLE_PREFIX } from "@purse/protocol";
import * as fc from "fast-check";
import postgres from "postgres";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import {
  type Asker,
  findInMemory,
  ModelError,
  moduleModel,
  type PermissionModel,
  type ReadOperation,
  referenceModel,
  type World,
} from "../../../test/permissionModels.ts";
import {
  FIELDS,
  ROLES,
  type RoleGraph,
  type Scenario,
  scenarios,
  USERS,
} from "../../../test/permissionScenarios.ts";
import { rolesOf } from "../../auth/roles.ts";
import {
  ANONYMOUS,
  type AuthContext,
  aclSubjectsOf,
  internalRequest,
  MASTER,
} from "../../core/authContext.ts";
import { EventBus } from "../../core/eventBus.ts";
import { createLogger } from "../../core/logger.ts";
import type { ClassLevelPermissions, ClassSchema } from "../../database/classSchema.ts";
import { openStore } from "../../database/openStore.ts";
import type { Store, Write } from "../../database/store.ts";
import { FileUrls } from "../fileUrls.ts";
import { AggregationWorker } from "../objects/aggregationWorker.ts";
import { createObjects } from "../objects/index.ts";
import { openSchemas } from "../schema/openSchemas.ts";
import type { Schemas } from "../schema/schemas.ts";
import { parseClassPermissions } from "./parseClassPermissions.ts";
import { requiredPointers } from "./pointerPermissions.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the server that the tests have started. */
    postgresUrl: string;
  }
}

/** `PURSE_PROPERTY_MINUTES` searches for longer, with a new seed each time unless `PURSE_PROPERTY_SEED` is set. */
const MINUTES = Number(process.env.PURSE_PROPERTY_MINUTES ?? 0.2);
const IS_LONG = process.env.PURSE_PROPERTY_MINUTES !== undefined;
const SEED = Number(process.env.PURSE_PROPERTY_SEED ?? (IS_LONG ? Date.now() % 2 ** 31 : 1));

/** A database with the services of objects. */
interface System {
  name: string;
  store: Store;
  schemas: Schemas;
  objects: ReturnType<typeof createObjects>;
  /** Protected fields of the configuration, by class. */
  configured: Record<string, Record<string, string[]>>;
}

const systems: System[] = [];
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-permissions-"));
  closers.push(async () => rmSync(folder, { recursive: true }));
  systems.push(
    await openSystem("SQLite", await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") })),
    await openSystem(
      "PostgreSQL",
      await openStore({ kind: "postgres", url: await newDatabase(), connections: 6 }),
    ),
  );
});

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function newDatabase(): Promise<string> {
  const name = `permissions_${process.pid}_${Date.now().toString(36)}`;
  const url = new URL(inject("postgresUrl"));
  const sql = postgres(url.href, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`CREATE DATABASE ${name}`);
  await sql.end();
  url.pathname = `/${name}`;
  return url.href;
}

async function openSystem(name: string, store: Store): Promise<System> {
  closers.push(() => store.close());
  const schemas = await openSchemas(store);
  const report = (error: unknown) => {
    throw error;
  };
  const none = () => undefined;
  const configured: System["configured"] = {};
  const logger = createLogger({
    level: "warn",
    format: "text",
    write: (line) => process.stderr.write(`${line}\n`),
  });
  const fileUrls = new FileUrls({
    appId: "test",
    mountPath: "/",
    publicUrl: "http://localhost",
    filesUrl: undefined,
  });
  const objects = createObjects({
    store,
    aggregationWorker: new AggregationWorker({ logger, maxResultBytes: 1_000_000 }),
    schemas,
    rules: new Map(),
    triggers: {
      beforeSave: none,
      afterSave: none,
      beforeDelete: none,
      afterDelete: none,
      beforeFind: none,
      afterFind: none,
    },
    fileUrls,
    events: new EventBus(report),
    allowClientClassCreation: false,
    allowClientAddField: true,
    allowCustomObjectId: false,
    defaultAcl: undefined,
    protectedFields: configured,
    clock: store.now,
    onError: report,
  });
  for (const className of ["Note", "Folder"]) {
    await schemas.change(className, (schema) => ({ ...schema, fields: FIELDS }));
  }
  return { name, store, schemas, objects, configured };
}

/** Stores a scenario and returns the clients whose permissions are compared. */
async function prepare({ store, schemas, configured }: System, scenario: Scenario): Promise<AuthContext[]> {
  await setPermissions(schemas, "Note", scenario.notePermissions);
  await setPermissions(schemas, "Folder", scenario.folderPermissions);
  delete configured.Note;
  if (scenario.configured) configured.Note = scenario.configured;
  const [note, folder, role] = ["Note", "Folder", "_Role"].map((name) => schemas.require(name));
  if (!note || !folder || !role) throw new Error("a class is missing");
  for (const schema of [note, folder, role]) await store.purge(schema);
  await store.write([
    ...scenario.notes.map((object) => createWrite(note, object)),
    ...scenario.folders.map((object) => createWrite(folder, object)),
    ...roleWrites(role, scenario.roles),
  ]);
  const users = await Promise.all(USERS.map((userId) => signIn(userId, store, role)));
  return [ANONYMOUS, ...users, MASTER];
}

async function setPermissions(
  schemas: Schemas,
  className: string,
  permissions: JsonObject | undefined,
): Promise<void> {
  const classLevelPermissions: ClassLevelPermissions = permissions
    ? parseClassPermissions(permissions, FIELDS)
    : {};
  await schemas.change(className, (schema) => ({ ...schema, classLevelPermissions }));
}

function createWrite(schema: ClassSchema, object: JsonObject): Write {
  return { kind: "create", schema, id: String(object.objectId), at: String(object.createdAt), object };
}

function roleWrites(schema: ClassSchema, { edges, members }: RoleGraph): Write[] {
  const relate = (role: number, key: string, add: string): Write => ({
    kind: "updateRelation",
    schema,
    id: `r${role}`,
    key,
    add: [add],
    remove: [],
  });
  return [
    ...ROLES.map((name, index) => {
      const at = "2026-01-01T00:00:00.000Z";
      return createWrite(schema, { objectId: `r${index}`, createdAt: at, updatedAt: at, name });
    }),
    ...edges.map(({ parent, child }) => relate(parent, "roles", `r${child}`)),
    ...members.flatMap((roles, user) => roles.map((role) => relate(role, "users", USERS[user] ?? ""))),
  ];
}

async function signIn(userId: string, store: Store, role: ClassSchema): Promise<AuthContext> {
  const roles = await rolesOf(userId, Promise.resolve([]), { store, schemaOf: () => role });
  return { kind: "user", userId, roles, sessionId: "", sessionToken: "" };
}

/** The names of a user's roles, by a plain search of the graph. */
function referenceRoles({ edges, members }: RoleGraph, user: number): string[] {
  const found = new Set(members[user]);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { parent, child } of edges) if (found.has(child)) found.add(parent);
  }
  return [...found].map((role) => ROLES[role] ?? "").sort();
}

/** What a client gets: a result, or the code of an error. */
type Outcome<T> = { result: T } | { code: number };

async function outcome<T>(work: () => Promise<T> | T): Promise<Outcome<T>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof ProtocolError || error instanceof ModelError) return { code: error.code };
    throw error;
  }
}

const byId = (a: JsonObject, b: JsonObject) => (String(a.objectId) < String(b.objectId) ? -1 : 1);

/** Runs the queries of a scenario against a database. */
async function readFromDatabase({ objects }: System, auth: AuthContext, { queries, notes }: Scenario) {
  const request = internalRequest(auth);
  const find = async (params: JsonObject) => {
    const found: { results: JsonObject[]; count?: number } = JSON.parse(
      await objects.find(request, "Note", params),
    );
    return found;
  };
  const finds = queries.map(({ where, order }) =>
    outcome(async () => {
      const { results } = await find({ where, limit: 1_000, ...(order !== undefined && { order }) });
      return results.sort(byId);
    }),
  );
  const counts = queries.map(({ where }) =>
    outcome(async () => (await find({ where, limit: 0, count: 1 })).count),
  );
  const gets = notes.map(({ objectId }) =>
    outcome(async () => {
      const object: JsonObject = JSON.parse(await objects.get(request, "Note", String(objectId), {}));
      return object;
    }),
  );
  return {
    finds: await Promise.all(finds),
    counts: await Promise.all(counts),
    gets: await Promise.all(gets),
  };
}

/** The same queries as `readFromDatabase`, in memory. */
async function readInMemory(asker: Asker, { queries, notes }: Scenario) {
  const find = (operation: ReadOperation, where: JsonObject, order?: string) =>
    outcome(() => findInMemory(asker, operation, { className: "Note", where, order }).sort(byId));
  return {
    finds: await Promise.all(queries.map(({ where, order }) => find("find", where, order))),
    counts: await Promise.all(
      queries.map(({ where }) =>
        outcome(() => findInMemory(asker, "count", { className: "Note", where }).length),
      ),
    ),
    gets: await Promise.all(
      notes.map(({ objectId }) =>
        outcome(() => {
          const all = findInMemory(asker, "get", { className: "Note", where: {} });
          const found = all.find((object) => object.objectId === objectId);
          if (!found) throw new ModelError(ErrorCode.OBJECT_NOT_FOUND);
          return found;
        }),
      ),
    ),
  };
}

function worldOf({ schemas, configured }: System, { notes, folders }: Scenario): World {
  return {
    schemas: { Note: schemas.require("Note"), Folder: schemas.require("Folder") },
    objects: { Note: notes, Folder: folders },
    configured,
  };
}

/** The order of the clients in which each object is written, so that not every combination is tried each time. */
function clientOf(clients: AuthContext[], index: number): AuthContext {
  return clients[index % clients.length] ?? ANONYMOUS;
}

/** Updates and then deletes each object as one of the clients; the store alone decides by the module's definitions. */
async function writeToDatabase(
  { store, schemas, objects }: System,
  clients: AuthContext[],
  { notes }: Scenario,
) {
  const schema = schemas.require("Note");
  const written = [];
  for (const [index, { objectId }] of notes.entries()) {
    const auth = clientOf(clients, index);
    const id = String(objectId);
    const own = { schema, id, subjects: aclSubjectsOf(auth) };
    const at = "2026-01-02T00:00:00.000Z";
    const update: Write = {
      ...own,
      kind: "update",
      at,
      operations: { touched: { op: "Set", value: 1 } },
      pointers: requiredPointers(schema, "update", auth),
    };
    const remove: Write = { ...own, kind: "delete", pointers: requiredPointers(schema, "delete", auth) };
    const isDone = (work: () => Promise<unknown>) => outcome(async () => void (await work()));
    written.push({
      id,
      service: await isDone(() => objects.update(internalRequest(auth), "Note", id, { touched: 2 })),
      update: await isDone(() => store.write([update])),
      remove: await isDone(() => store.write([remove])),
    });
  }
  return written;
}

/** The same writes as `writeToDatabase`, in memory. */
async function writeInMemory(
  model: PermissionModel,
  world: World,
  clients: AuthContext[],
  { notes }: Scenario,
) {
  const schema = world.schemas.Note;
  if (!schema) return [];
  return Promise.all(
    notes.map(async (object, index) => {
      const auth = clientOf(clients, index);
      const write = (operation: "update" | "delete", checksClass: boolean) =>
        outcome(() => {
          const code = checksClass ? model.classError(schema, operation, auth) : undefined;
          if (code !== undefined) throw new ModelError(code);
          if (!model.isWritable(schema, operation, auth, object)) {
            throw new ModelError(ErrorCode.OBJECT_NOT_FOUND);
          }
        });
      return {
        id: String(object.objectId),
        service: await write("update", true),
        update: await write("update", false),
        remove: await write("delete", false),
      };
    }),
  );
}

it(
  "SQLite, PostgreSQL and the permission module agree on who may read and write which objects and fields",
  async () => {
    console.info(`permissions: seed ${SEED}, ${MINUTES} minutes`);
    let runs = 0;
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      runs += 1;
      for (const system of systems) {
        const clients = await prepare(system, scenario);
        const world = worldOf(system, scenario);
        for (const [index, auth] of clients.entries()) {
          if (auth.kind === "user") {
            const roles = referenceRoles(scenario.roles, index - 1);
            expect([...auth.roles].sort(), `roles of ${auth.userId} on ${system.name}`).toEqual(roles);
          }
          const client =
            auth.kind === "user" ? `${ROLE_PREFIX}${auth.roles.join()} ${auth.userId}` : auth.kind;
          const expected = await readInMemory({ model: referenceModel, world, auth }, scenario);
          expect(await readInMemory({ model: moduleModel, world, auth }, scenario), client).toEqual(expected);
          expect(await readFromDatabase(system, auth, scenario), `${client} on ${system.name}`).toEqual(
            expected,
          );
        }
        const expected = await writeInMemory(referenceModel, world, clients, scenario);
        expect(await writeInMemory(moduleModel, world, clients, scenario), "writes").toEqual(expected);
        const written = await writeToDatabase(system, clients, scenario);
        expect(written, `writes on ${system.name}`).toEqual(expected);
      }
    });
    await fc.assert(property, {
      seed: SEED,
      numRuns: IS_LONG ? Number.MAX_SAFE_INTEGER : 60,
      interruptAfterTimeLimit: MINUTES * 60_000,
      markInterruptAsFailure: false,
    });
    console.info(`permissions: ${runs} scenarios`);
  },
  MINUTES * 60_000 + 120_000,
);
