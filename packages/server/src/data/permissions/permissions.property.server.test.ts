import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ErrorCode, type JsonObject, ProtocolError, ROLE_PREFIX } from "@purse/protocol";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  type Asker,
  findInMemory,
  ModelError,
  moduleModel,
  type PermissionModel,
  type ReadOperation,
  referenceModel,
  type SystemState,
} from "../../../test/permissionModels.ts";
import { ROLES, type RoleGraph, type Scenario, scenarios } from "../../../test/permissionScenarios.ts";
import { openSystem, prepare, type System } from "../../../test/permissionSystems.ts";
import { createDatabase } from "../../../test/postgresDatabase.ts";
import { ANONYMOUS, type AuthContext, aclSubjectsOf, internalRequest } from "../../core/authContext.ts";
import { openStore } from "../../database/openStore.ts";
import type { Write } from "../../database/store.ts";
import { requiredPointers } from "./pointerPermissions.ts";

/** `PURSE_PROPERTY_MINUTES` searches for that long, with a new seed each time unless `PURSE_PROPERTY_SEED` is set. */
const MINUTES = Number(process.env.PURSE_PROPERTY_MINUTES ?? 0);
const IS_LONG = MINUTES > 0;
/** The random scenarios of a run without a time. */
const SCENARIOS = process.env.PURSE_TESTS === "all" ? 60 : 12;
const SEED = Number(process.env.PURSE_PROPERTY_SEED ?? (IS_LONG ? Date.now() % 2 ** 31 : 1));

const systems: System[] = [];
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "purse-permissions-"));
  closers.push(async () => rmSync(folder, { recursive: true }));
  const sqlite = await openStore({ kind: "sqlite", path: join(folder, "purse.sqlite") });
  closers.push(() => sqlite.close());
  const postgresql = await openStore({ kind: "postgres", url: await createDatabase(), connections: 6 });
  closers.push(() => postgresql.close());
  systems.push(await openSystem("SQLite", sqlite), await openSystem("PostgreSQL", postgresql));
});

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

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

const isById = (where: JsonObject) => Object.keys(where).length === 1 && typeof where.objectId === "string";
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
    // A query for a single object needs the permission for `get`.
    finds: await Promise.all(
      queries.map(({ where, order }) => find(isById(where) ? "get" : "find", where, order)),
    ),
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

function stateOf({ schemas, configured }: System, { notes, folders }: Scenario): SystemState {
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
  state: SystemState,
  clients: AuthContext[],
  { notes }: Scenario,
) {
  const schema = state.schemas.Note;
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
    console.info(`permissions: seed ${SEED}`);
    let runs = 0;
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      runs += 1;
      for (const system of systems) {
        const clients = await prepare(system, scenario);
        const state = stateOf(system, scenario);
        for (const [index, auth] of clients.entries()) {
          if (auth.kind === "user") {
            const roles = referenceRoles(scenario.roles, index - 1);
            expect([...auth.roles].sort(), `roles of ${auth.userId} on ${system.name}`).toEqual(roles);
          }
          const client =
            auth.kind === "user" ? `${ROLE_PREFIX}${auth.roles.join()} ${auth.userId}` : auth.kind;
          const expected = await readInMemory({ model: referenceModel, state, auth }, scenario);
          expect(await readInMemory({ model: moduleModel, state, auth }, scenario), client).toEqual(expected);
          expect(await readFromDatabase(system, auth, scenario), `${client} on ${system.name}`).toEqual(
            expected,
          );
        }
        const expected = await writeInMemory(referenceModel, state, clients, scenario);
        expect(await writeInMemory(moduleModel, state, clients, scenario), "writes").toEqual(expected);
        const written = await writeToDatabase(system, clients, scenario);
        expect(written, `writes on ${system.name}`).toEqual(expected);
      }
    });
    await fc.assert(property, {
      seed: SEED,
      ...(IS_LONG
        ? {
            numRuns: Number.MAX_SAFE_INTEGER,
            interruptAfterTimeLimit: MINUTES * 60_000,
            markInterruptAsFailure: false,
          }
        : { numRuns: SCENARIOS }),
    });
    console.info(`permissions: ${runs} scenarios`);
  },
  MINUTES * 60_000 + 120_000,
);
