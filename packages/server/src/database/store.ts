import {
  type Condition,
  ErrorCode,
  type JsonObject,
  type JsonValue,
  type Operation,
  type Order,
  ProtocolError,
  type SubQuery,
} from "@purse/protocol";
import type { WorkerHealth } from "@purse/workers";
import type { AclSubjects } from "../core/aclSubjects.ts";
import type { RunLimitStatement } from "../core/limits/sharedLimiter.ts";
import type { ChangeLog } from "./changeLog.ts";
import type { ClassSchema } from "./classSchema.ts";
import type { Leases } from "./lease.ts";
import type { ObjectText } from "./objectText.ts";
import type { ReplicaStatus } from "./replicaStatus.ts";
import type { PendingReply, RequestRecord } from "./requestRecords.ts";
import type { UserPointers } from "./userPointers.ts";

/** A position in a scan: the number of an object in the order of insertion, and its id where two have the same number. */
export type ScanPosition = readonly [seq: number, id: string];

/** The position before the first object. */
export const SCAN_START: ScanPosition = [0, ""];

/** An object with the data that is never sent to clients (password hash, authData, …). */
export interface SecretObject {
  text: ObjectText;
  secret: JsonObject;
}

export interface StoreQuery {
  schema: ClassSchema;
  where: Condition;
  order: Order[];
  /** Undefined for no limit, in sub-queries. */
  limit: number | undefined;
  skip: number;
  /** Only objects that one of the subjects may read; null bypasses ACLs. */
  subjects: AclSubjects;
  /**
   * Prepared sub-queries, limited to what the client may read: by the SubQuery of `$inQuery` and `$select`, and the
   * query for the owner by the `$relatedTo` condition. A missing sub-query matches nothing; a `$relatedTo` without a
   * query does not check its owner.
   */
  subqueries?: ReadonlyMap<SubQuery | Condition, StoreQuery>;
  /** Whether objects get a `score`, their relevance for the text search of `where`. */
  includeScore?: boolean;
  /** Whether the result may lack the latest writes of other clients, from a replica. */
  allowsStaleRead?: boolean;
}

/** Groups objects by the values of fields and aggregates numbers. */
export interface StoreGroup {
  keys: [string, ...string[]][];
  /**
   * For each key that is a date: the number of characters of its ISO text to group by, such as 10 for days; undefined
   * for the whole value.
   */
  dateLengths?: readonly (number | undefined)[];
  /** Whether missing values of keys and null are different groups. */
  marksMissing?: boolean;
  /** `count` counts objects; the others aggregate a field, ignoring values that are not numbers. */
  aggregates: ({ fn: "count" } | { fn: "sum" | "avg" | "min" | "max"; path: [string, ...string[]] })[];
}

export interface GroupRow {
  /** In the order of the group's keys; null if the objects lack the field. */
  keys: JsonValue[];
  /** Which of the keys the objects lack; undefined unless the group distinguishes that from null. */
  missing?: boolean[];
  aggregates: (number | null)[];
}

/** A write; all writes of a transaction succeed or fail together. */
export type Write =
  | {
      kind: "create";
      schema: ClassSchema;
      id: string /** ISO. */;
      at: string;
      /** ISO, if it differs from `at`. */
      updatedAt?: string;
      object: JsonObject;
      secret?: JsonObject;
    }
  /** Stores an object unchanged, including its timestamps; replaces an existing one. */
  | { kind: "restore"; schema: ClassSchema; id: string; object: JsonObject; secret: JsonObject }
  | {
      kind: "update";
      schema: ClassSchema;
      id: string;
      at: string;
      /** By field or dotted path. */
      operations: Record<string, Operation>;
      /** Merged into the existing secret; null removes a key. */
      secret?: JsonObject;
      subjects: AclSubjects;
      /** Pointers that the object must have at the time of the write; otherwise it counts as not found. */
      pointers?: UserPointers | undefined;
      /** Throws `updateConflict` if the object was changed after this time (ISO). */
      ifUpdatedAt?: string | undefined;
    }
  | {
      kind: "delete";
      schema: ClassSchema;
      id: string;
      subjects: AclSubjects;
      /** As for an update. */
      pointers?: UserPointers | undefined;
    }
  /** Adds ids of the related class to the relation `key` of an object and removes others. */
  | { kind: "updateRelation"; schema: ClassSchema; id: string; key: string; add: string[]; remove: string[] }
  /** Removes an object from the relation `key` of all objects of a class. */
  | { kind: "removeFromRelations"; className: string; key: string; relatedId: string }
  /**
   * Reserves a unique value (a username, the hash of a session token, a signature). Throws UniqueConstraintError if
   * another owner holds it and it has not expired. Values that may be used only once are reserved by a new owner each
   * time. `expiresAt` is in ms since the epoch.
   */
  | { kind: "reserveUnique"; scope: string; value: string; owner: string; expiresAt?: number }
  | {
      kind: "releaseUnique";
      scope: string;
      value: string /** Releases only what this owner holds. */;
      owner?: string;
    }
  | { kind: "releaseAllUnique"; scope: string; owner: string }
  /**
   * Increments a counter up to `max`. The counter starts at zero if it has expired; each increment sets its `expiresAt`
   * (ms since the epoch). Throws CounterLimitError if `max` is reached.
   */
  | { kind: "incrementCounter"; scope: string; value: string; max: number; expiresAt: number }
  | { kind: "resetCounter"; scope: string; value: string }
  /**
   * Starts a request with an id. Throws DuplicateRequestError if the request has completed, is running, or was
   * interrupted and is not repeatable. Times are in ms since the epoch.
   */
  | {
      kind: "beginRequest";
      key: string;
      contentHash: string;
      owner: string;
      leaseExpiresAt: number;
      expiresAt: number;
      isRepeatable: boolean;
    }
  /** Extends the lease of a running request. */
  | { kind: "renewRequest"; key: string; owner: string; leaseExpiresAt: number }
  /**
   * Saves the replies of a request in the transaction of its write. Throws DuplicateRequestError if it has another
   * owner by now, or has completed. `isSubrequest` is set for a request in a batch, which was not started individually.
   */
  | {
      kind: "saveReplies";
      key: string;
      contentHash: string;
      owner: string;
      expiresAt: number;
      replies: PendingReply[];
      isSubrequest?: boolean;
    }
  /** Deletes the record of a failed request, so that it can be retried. */
  | { kind: "deleteRequest"; key: string; owner: string }
  /** Throws LeaseLostError if a lease has expired. The lease cannot expire before the transaction is committed. */
  | { kind: "fence"; lease: string; holder: string; fence: number };

export type CreateWrite = Extract<Write, { kind: "create" }>;

/** The object before and after a create, update or delete; null for other writes. */
export interface WriteResult {
  before: ObjectText | null;
  after: ObjectText | null;
}

/** A counter has reached its limit. Nothing of its transaction was written. */
export class CounterLimitError extends Error {
  override readonly name = "CounterLimitError";
  readonly scope: string;

  constructor(scope: string) {
    super(`the counter limit of ${scope} is reached`);
    this.scope = scope;
  }
}

/**
 * Creates the error of an update that expected another version of its object. Nothing of its transaction was written.
 */
export function updateConflict(): ProtocolError {
  return new ProtocolError(UPDATE_CONFLICT, "The object was changed in the meantime.", 409);
}

/** The code identifies this error, since no other error of a write has it. */
export const UPDATE_CONFLICT = ErrorCode.CACHE_MISS;

/** A unique value belongs to another owner. Nothing of its transaction was written. */
export class UniqueConstraintError extends Error {
  override readonly name = "UniqueConstraintError";
  readonly scope: string;
  readonly value: string;
  readonly owner: string;

  constructor(scope: string, value: string, owner: string) {
    super(`${scope} is taken`);
    this.scope = scope;
    this.value = value;
    this.owner = owner;
  }
}

/**
 * The interface of a database. Reads see every acknowledged write. A resolved write is durable; if the connection is
 * lost during a commit, the outcome is looked up, so that the write happens once. Rejects with ProtocolError 101 (no
 * such object, or no permission), 111 (type mismatch), UPDATE_CONFLICT, UniqueConstraintError, CounterLimitError,
 * LeaseLostError; 503 if the database cannot be reached.
 */
export interface Store {
  get(schema: ClassSchema, id: string, subjects: AclSubjects): Promise<ObjectText | undefined>;
  find(query: StoreQuery): Promise<readonly ObjectText[]>;
  count(query: StoreQuery): Promise<number>;
  /** Returns the distinct values of a field in the matching objects, in wire format; arrays count as a whole. */
  distinct(query: StoreQuery, path: [string, ...string[]]): Promise<JsonValue[]>;
  /** Returns one row for each group of the matching objects. */
  group(query: StoreQuery, group: StoreGroup): Promise<GroupRow[]>;
  /** Returns the query plan, in the format of the database. */
  explain(query: StoreQuery): Promise<JsonValue>;
  /** Returns an object with its secret, without any permission check, for internal use. */
  getSecret(schema: ClassSchema, id: string): Promise<SecretObject | undefined>;
  /** Returns the secrets of objects by their ids, for internal use. Missing objects are omitted. */
  getSecrets(schema: ClassSchema, ids: readonly string[]): Promise<Map<string, JsonObject>>;
  /** Returns the current owner of a unique value. */
  getUniqueOwner(scope: string, value: string): Promise<string | undefined>;
  /** Returns the value of a counter that has not expired. */
  getCounter(scope: string, value: string): Promise<number>;
  /** Returns the unique values that an owner holds in a scope. */
  getUniqueValues(scope: string, owner: string): Promise<readonly string[]>;
  /** Returns the ids of the objects whose relation `key` contains one of `relatedIds`. */
  ownersInRelation(className: string, key: string, relatedIds: string[]): Promise<readonly string[]>;
  write(writes: Write[]): Promise<WriteResult[]>;
  /**
   * Creates objects independently of each other, as one job. Resolves with the stored text or the error of each, in
   * their order, once all of them have been committed or rejected.
   */
  createEach(creates: readonly CreateWrite[]): Promise<(ObjectText | Error)[]>;
  /** Loads all classes, or the one with the given name if it exists. */
  loadClasses(className?: string): Promise<ClassSchema[]>;
  /**
   * Creates or changes a class with its table, fields and indexes. Removing a field deletes its values and relations.
   * `edit` receives the current schema, including changes by other processes, and returns the new one, or the same
   * object for no change.
   */
  changeClass(
    className: string,
    edit: (current: ClassSchema | undefined) => ClassSchema,
  ): Promise<ClassSchema>;
  /**
   * Adds columns for the fields of a class that queries would otherwise read from the JSON of the objects. Reads and
   * writes of the class wait until its table has been rewritten. Returns the changed class, undefined if it does not
   * exist. Only for databases with such columns.
   */
  addColumns?(className: string): Promise<ClassSchema | undefined>;
  /** Removes a class with its objects. */
  dropClass(schema: ClassSchema): Promise<void>;
  /** Deletes all objects of a class with their relations. */
  purge(schema: ClassSchema): Promise<void>;
  /**
   * Returns objects with their secrets in order of insertion, `after` the last position of the previous page. Returns
   * at most `limit` objects, fewer if they are large, none at the end.
   */
  scan(
    schema: ClassSchema,
    after: ScanPosition,
    limit: number,
  ): Promise<({ position: ScanPosition } & SecretObject)[]>;
  /** Returns members of relations, sorted by class, key, owner and related id. */
  scanRelations(
    after: [string, string, string, string],
    limit: number,
  ): Promise<[string, string, string, string][]>;
  /** Returns unexpired unique values, sorted by scope and value. */
  scanUniqueValues(
    after: [string, string],
    limit: number,
  ): Promise<{ scope: string; value: string; owner: string; expiresAt?: number }[]>;
  /** The record of a request with an id. */
  getRequest(key: string): Promise<RequestRecord | undefined>;
  /**
   * Returns the replies of the requests in a batch by the part of their keys after `key#`, as in `RequestRecord`: null
   * for those that were begun and have not completed.
   */
  getSubrequestReplies(key: string): Promise<Map<string, string | null>>;
  /** Deletes expired requests, and discards the oldest replies beyond a total length in characters. */
  deleteExpiredRequests(maxLength: number): Promise<void>;
  /** Deletes expired unique values and counters. */
  deleteExpired(): Promise<void>;
  /** Sends a notification to all processes that share the database, including this one. At most 8,000 bytes. */
  publish(message: string): Promise<void>;
  /**
   * Calls the listener with each notification; with undefined if some may have been missed. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: (message: string | undefined) => void): () => void;
  /** Returns why the database cannot be used although it responds; undefined if it can. */
  unavailableReason(): string | undefined;
  /** Tests whether the database can be written. Rejects otherwise. */
  probeWrite?(): Promise<void>;
  /** The size of a database on another machine, in bytes, without its write-ahead log. */
  sizeBytes?(): Promise<number>;
  /** The health of the worker threads of the database. */
  workers?(): WorkerHealth[];
  /** How the replica is used; undefined if there is none. */
  replica?(): ReplicaStatus;
  /** The changes of all processes; undefined if the database is used by a single process. */
  changeLog?: ChangeLog;
  leases: Leases;
  /** Where requests are counted for all processes; undefined if the database is used by a single process. */
  rateLimits?: { table: string; run: RunLimitStatement };
  /** Returns the time that all processes of the database agree on, in ms since the epoch. */
  now(): number;
  close(): Promise<void>;
}
