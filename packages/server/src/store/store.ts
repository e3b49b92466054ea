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
import type { ClassSchema } from "../schema/classSchema.ts";
import type { ChangeLog } from "./changeLog.ts";
import type { Leases } from "./lease.ts";
import type { Principals } from "./principals.ts";
import type { KnownRequest, RememberedReply } from "./requests.ts";
import type { UserPointers } from "./userPointers.ts";

/** An object as it travels: the JSON text with objectId, createdAt, updatedAt, its fields and its ACL. */
export type ObjectText = string;

/** An object together with what must never travel (password hash, authData, …). */
export interface SecretObject {
  text: ObjectText;
  secret: JsonObject;
}

export interface StoreQuery {
  schema: ClassSchema;
  where: Condition;
  order: Order[];
  /** Without one, all: for sub-queries. */
  limit: number | undefined;
  skip: number;
  /** Only objects that one of these may read; null reads everything. */
  principals: Principals;
  /**
   * What the questions inside `where` come to for whoever asks: by the SubQuery of `$inQuery` and
   * `$select`, and by the `$relatedTo` condition the query for its owner. A sub-query that is missing
   * finds nothing; a `$relatedTo` without one is answered whoever owns it.
   */
  subqueries?: ReadonlyMap<SubQuery | Condition, StoreQuery>;
  /** Whether objects carry `score`, how well they fit the text search of `where`. */
  score?: boolean;
  /** Whether the answer may be a little behind: it may come from a replica. */
  mayLag?: boolean;
}

/** How objects are put together: by the values of some fields, with figures of the numbers in others. */
export interface StoreGroup {
  keys: [string, ...string[]][];
  /** `count` counts objects; all others take the numbers of a field, leaving out what is none. */
  figures: ({ figure: "count" } | { figure: "sum" | "avg" | "min" | "max"; path: [string, ...string[]] })[];
}

export interface GroupRow {
  /** In the order of the group's keys; null where objects have no such field. */
  keys: JsonValue[];
  figures: (number | null)[];
}

/** One step of a write; the steps of a group happen together or not at all. */
export type Write =
  | {
      kind: "create";
      schema: ClassSchema;
      id: string /** ISO. */;
      at: string;
      object: JsonObject;
      secret?: JsonObject;
    }
  /** Puts an object as it is, times and all, in place of one that may be there. */
  | { kind: "restore"; schema: ClassSchema; id: string; object: JsonObject; secret: JsonObject }
  | {
      kind: "update";
      schema: ClassSchema;
      id: string;
      at: string;
      /** By field or dotted path. */
      operations: Record<string, Operation>;
      /** Merged over what is there; a null removes the key. */
      secret?: JsonObject;
      principals: Principals;
      /** Pointers that the object must have at the time of the write; otherwise it is not found. */
      pointers?: UserPointers | undefined;
      /** Throws `outdated` where the object has been changed since then; ISO. */
      ifUpdatedAt?: string | undefined;
    }
  | {
      kind: "delete";
      schema: ClassSchema;
      id: string;
      principals: Principals;
      /** As for updates. */
      pointers?: UserPointers | undefined;
    }
  /** Adds to and removes from the relation `key` of an object; ids of the related class. */
  | { kind: "relate"; schema: ClassSchema; id: string; key: string; add: string[]; remove: string[] }
  /** Takes an object out of the relation `key` of all objects of a class. */
  | { kind: "leave"; className: string; key: string; relatedId: string }
  /**
   * Takes a value that only one may hold (a username, a session token's hash, a signature).
   * Throws ClaimTaken where another owner holds it and it has not expired; what may be used only once is
   * claimed by an owner that is new each time. `expiresAt` in ms since the epoch.
   */
  | { kind: "claim"; scope: string; value: string; owner: string; expiresAt?: number }
  | {
      kind: "release";
      scope: string;
      value: string /** Releases only what this owner holds. */;
      owner?: string;
    }
  | { kind: "releaseAll"; scope: string; owner: string }
  /**
   * Counts one more towards `most`, from none where `until` has passed; each count moves `until` (ms since
   * the epoch) on. Throws LimitReached where `most` have been counted.
   */
  | { kind: "count"; scope: string; value: string; most: number; until: number }
  | { kind: "uncount"; scope: string; value: string }
  /**
   * Begins to carry out a request with an id. Throws RequestTaken where it has been carried out, somebody does so now, or
   * did when it ended and the request is not `repeatable`. Times in ms since the epoch.
   */
  | {
      kind: "beginRequest";
      key: string;
      content: string;
      owner: string;
      runningUntil: number;
      expiresAt: number;
      repeatable: boolean;
    }
  /** Says that the owner is still at work. */
  | { kind: "renewRequest"; key: string; owner: string; runningUntil: number }
  /**
   * Remembers the replies of a request together with what its group writes. Throws RequestTaken where its owner is another
   * one by now, or it has been carried out. `part`: of a part of a request, which was not begun by itself.
   */
  | {
      kind: "remember";
      key: string;
      content: string;
      owner: string;
      expiresAt: number;
      replies: RememberedReply[];
      part?: boolean;
    }
  /** Lets a request that failed be sent again. */
  | { kind: "forgetRequest"; key: string; owner: string }
  /** Throws LeaseLost where the term of a lease is over; it cannot end before the group is written. */
  | { kind: "fence"; lease: string; holder: string; fence: number };

/** What a create, update or delete did, as texts; other steps have neither. */
export interface WriteResult {
  before: ObjectText | null;
  after: ObjectText | null;
}

/** As many have been counted as may be. Nothing of its group was written. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly scope: string;

  constructor(scope: string) {
    super(`the limit of ${scope} is reached`);
    this.scope = scope;
  }
}

/** The error of an update that knew another state of its object than there is. Nothing of its group was written. */
export function outdated(): ProtocolError {
  return new ProtocolError(OUTDATED, "The object has been changed meanwhile.", 409);
}

/** Told from others by its number, which no other error of a write has. */
export const OUTDATED = ErrorCode.CACHE_MISS;

/** A claim that another owner holds. Nothing of its group was written. */
export class ClaimTaken extends Error {
  override readonly name = "ClaimTaken";
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
 * The face of a database. Reads see every acknowledged write. A write that resolved survives
 * power loss; one whose connection was lost while it was committed is looked up, so that it happens once. Rejections:
 * ProtocolError 101 (no such object, or no right to it), 111 (type clash), OUTDATED, ClaimTaken, LimitReached, LeaseLost;
 * 503 where the database cannot be reached.
 */
export interface Store {
  get(schema: ClassSchema, id: string, principals: Principals): Promise<ObjectText | undefined>;
  find(query: StoreQuery): Promise<ObjectText[]>;
  count(query: StoreQuery): Promise<number>;
  /** The values of a field in the objects of a query, each once, as they travel; arrays as a whole. */
  distinct(query: StoreQuery, path: [string, ...string[]]): Promise<JsonValue[]>;
  /** One row for each group of the objects of a query. */
  group(query: StoreQuery, group: StoreGroup): Promise<GroupRow[]>;
  /** How the database would answer a query, in its own words. */
  explain(query: StoreQuery): Promise<JsonValue>;
  /** An object with its secret, past every permission: for the server's own use. */
  getSecret(schema: ClassSchema, id: string): Promise<SecretObject | undefined>;
  /** The owner that holds a claim now. */
  ownerOf(scope: string, value: string): Promise<string | undefined>;
  /** How much has been counted and not forgotten yet. */
  countOf(scope: string, value: string): Promise<number>;
  /** The values that an owner holds in a scope. */
  claimsOf(scope: string, owner: string): Promise<string[]>;
  /** Ids of the objects that relate to `relatedId` by the relation `key` of a class. */
  ownersInRelation(className: string, key: string, relatedIds: string[]): Promise<string[]>;
  write(group: Write[]): Promise<WriteResult[]>;
  /** All classes, or the one of a name if there is one. */
  loadClasses(className?: string): Promise<ClassSchema[]>;
  /**
   * Creates or changes a class: its table, fields and indexes. A field that is gone takes its values and
   * relations with it. `edit` is given the class as it is now, whichever
   * process changed it last, and answers it as it shall be; the same object means no change.
   */
  changeClass(
    className: string,
    edit: (current: ClassSchema | undefined) => ClassSchema,
  ): Promise<ClassSchema>;
  /** Removes a class with its objects. */
  dropClass(schema: ClassSchema): Promise<void>;
  /** Removes all objects of a class with their relations. */
  purge(schema: ClassSchema): Promise<void>;
  /**
   * Objects in the order of insertion, with their secrets; `after` is the last `seq` that was seen. At most `limit`,
   * fewer where they are large, none at the end.
   */
  scan(schema: ClassSchema, after: number, limit: number): Promise<({ seq: number } & SecretObject)[]>;
  /** Members of relations, in order: class, key, owner, related. */
  scanRelations(
    after: [string, string, string, string],
    limit: number,
  ): Promise<[string, string, string, string][]>;
  /** Claims that hold now, in the order of scope and value. */
  scanClaims(
    after: [string, string],
    limit: number,
  ): Promise<{ scope: string; value: string; owner: string; expiresAt?: number }[]>;
  /** What is known of a request with an id. */
  requestOf(key: string): Promise<KnownRequest | undefined>;
  /** The answers of parts of a request, by what stands behind `key#` in their keys. */
  partsOf(key: string): Promise<Map<string, string>>;
  /** Forgets requests whose time has passed, and the oldest answers beyond so many characters in all. */
  sweepRequests(maxLength: number): Promise<void>;
  /** Forgets claims and counts whose time has passed. */
  sweep(): Promise<void>;
  /** Tells all processes that share the database, this one too. At most 8,000 bytes. */
  announce(message: string): Promise<void>;
  /**
   * Calls the listener with what is announced; with undefined where announcements may have been missed.
   * Returns the way to stop.
   */
  onAnnounced(listener: (message: string | undefined) => void): () => void;
  /** Why the database cannot be worked with though it answers; undefined where it can. */
  problem(): string | undefined;
  /** Writes something, to see whether that can be done (again). Rejects where it cannot. */
  probeWrite?(): Promise<void>;
  /** The threads that work for the database. */
  workers?(): WorkerHealth[];
  /** Where several processes may write: what they wrote. Undefined where this process alone does. */
  changeLog?: ChangeLog;
  leases: Leases;
  /** The clock that all processes that share the database agree on, in ms since the epoch. */
  now(): number;
  close(): Promise<void>;
}
