/* Databases with the services of objects, on which random scenarios run. */
import type { JsonObject } from "@purse/protocol";
import { rolesOf } from "../src/auth/roles.ts";
import { ANONYMOUS, type AuthContext, MASTER } from "../src/core/authContext.ts";
import { EventBus } from "../src/core/eventBus.ts";
import { createLogger } from "../src/core/logger.ts";
import { FileUrls } from "../src/data/fileUrls.ts";
import { AggregationWorker } from "../src/data/objects/aggregationWorker.ts";
import { createObjects } from "../src/data/objects/index.ts";
import { parseClassPermissions } from "../src/data/permissions/parseClassPermissions.ts";
import { openSchemas } from "../src/data/schema/openSchemas.ts";
import type { Schemas } from "../src/data/schema/schemas.ts";
import type { ClassLevelPermissions, ClassSchema } from "../src/database/classSchema.ts";
import type { Store, Write } from "../src/database/store.ts";
import { NO_TRIGGERS } from "./noTriggers.ts";
import { FIELDS, ROLES, type RoleGraph, type Scenario, USERS } from "./permissionScenarios.ts";

/** A database with the services of objects. */
export interface System {
  name: string;
  store: Store;
  schemas: Schemas;
  objects: ReturnType<typeof createObjects>;
  /** Protected fields of the configuration, by class. */
  configured: Record<string, Record<string, string[]>>;
}

/** Creates the services on a new database, with the classes of the scenarios. */
export async function openSystem(name: string, store: Store): Promise<System> {
  const schemas = await openSchemas(store);
  const report = (error: unknown) => {
    throw error;
  };
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
    triggers: NO_TRIGGERS,
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
export async function prepare(
  { store, schemas, configured }: System,
  scenario: Scenario,
): Promise<AuthContext[]> {
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
