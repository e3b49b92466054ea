import type { MailName, MailTemplate } from "./mailTemplates.ts";
import type { JsonObject, JsonValue } from "./values.ts";

/*
 * What the studio's pages and its server (`/studio/api`) tell each other: shapes alone. Which route answers which is in
 * docs/studio/api.md. Times are ISO 8601 in UTC unless a name says ms; rows are objects as they travel in the Parse protocol.
 */

/** What an operator may do: everything; everything but operators, keys and backups; look. */
export type StudioRole = "owner" | "editor" | "readOnly";

/** Who a route serves: everybody, whoever is signed in (in matters of their own), or from a role upwards. */
export type StudioRight = "nobody" | "session" | StudioRole;

export interface StudioRouteRow {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/studio/api`, with named segments: `/data/:className`. */
  path: string;
  needs: StudioRight;
}

/** Every error. `code` as in the Parse protocol; of a conflict (409) `current` is the row as it is now. */
export interface StudioError {
  code: number;
  error: string;
  current?: JsonObject;
  /** The password was right and a code is wanted too (401). */
  secondFactor?: boolean;
}

export interface StudioOperator {
  id: string;
  username: string;
  role: StudioRole;
  createdAt: string;
  hasSecondFactor: boolean;
  /** Who cannot sign in. */
  isDisabled: boolean;
  lastSignInAt?: string;
}

export interface StudioSession {
  id: string;
  createdAt: string;
  /** To the minute. */
  lastUsedAt: string;
  /** The latest end, however much it is used. */
  expiresAt: string;
  address: string;
  userAgent: string;
  isCurrent: boolean;
}

/** What the pages ask first. `csrf` goes back as `X-Purse-CSRF` with everything but GET. */
export type StudioState =
  | { state: "setup" }
  | { state: "signedOut" }
  | { state: "signedIn"; operator: StudioOperator; csrf: string };

export interface StudioAuditEntry {
  id: string;
  at: string;
  operatorId?: string;
  username: string;
  /** The route: `PUT /data/:className/:objectId`; or `sign-in refused`. */
  action: string;
  target: string;
  /** `begun` is left where the server ended amid it. */
  outcome: "begun" | "done" | "refused";
  /** What was and what is, as short JSON texts; secrets are left out. */
  before?: string;
  after?: string;
  address: string;
  requestId: string;
  error?: string;
}

export interface StudioPage<Row> {
  results: Row[];
  /** Goes into `after` of the next request; none on the last page. */
  next?: string;
}

export interface StudioCount {
  count: number;
  /** Whether there are more: it was counted no further. */
  isCapped: boolean;
}

export interface StudioBulkResult {
  matched: number;
  changed: number;
  failed: { objectId: string; code: number; error: string }[];
}

export interface StudioImportResult {
  imported: number;
  failed: number;
  /** Those that were refused, as a file to correct and import again: CSV or JSON lines, with the reason. */
  errorFile: string;
}

export interface StudioExplain {
  plan: JsonValue;
  /** An index that would help, as `/schemas` takes it; none where there is one, or nothing to index. */
  suggestedIndex?: { name: string; fields: Record<string, 1 | -1> };
}

/** Events of `/data/:className/live`, by their `event:` name. `object` is the row, for delete as it was. */
export interface StudioLiveEvent {
  event: "create" | "update" | "enter" | "leave" | "delete";
  object: JsonObject;
}

export interface StudioSchemaPreview {
  /** For people, one change each: `+ Game.score Number`. */
  lines: string[];
  /** The class as an entry of `schemas` in purse.config.ts. */
  code: string;
}

export interface StudioPermissionCheck {
  isAllowed: boolean;
  /** Allowed on some objects only, those that point to the user: no object was named. */
  isOfSome: boolean;
  /** What decided: `class`, `pointer`, `acl`, `rule` (of a class of the server), `missing`. */
  decidedBy: "class" | "pointer" | "acl" | "rule" | "missing";
  why: string;
  /** Each guard in the order in which it is asked, up to the one that refused; one of them decided. */
  steps: { guard: string; isPassed: boolean; why: string; isDeciding: boolean }[];
  roles: string[];
  /** How the user came to be in each of the roles. */
  memberships: StudioMembership[];
  /** What the token gates of roles say of the user. */
  gates: { role: string; isMember: boolean; min: string; held?: string }[];
  /** Fields that this user does not get to see of the row. */
  hiddenFields: string[];
}

/** `user`: named in the role; `gate`: by what they hold; `role`: because they are in the role `from`. */
export type StudioMembership = { role: string } & ({ by: "user" | "gate" } | { by: "role"; from: string });

export interface StudioRoles {
  roles: { id: string; name: string; gate?: JsonObject }[];
  /** Members of `child` are members of `parent` too. */
  edges: { parent: string; child: string }[];
  /** Names of roles that lead back to themselves, each ring once. */
  cycles: string[][];
}

export interface StudioFinding {
  id: string;
  severity: "high" | "medium" | "low";
  title: string;
  /** What to do. */
  advice: string;
  className?: string;
}

export interface StudioLogLine {
  /** Grows by one with each line. */
  seq: number;
  time: string;
  level: string;
  message: string;
  fields: JsonObject;
}

export interface StudioFunctionRun {
  result?: JsonValue;
  error?: { code: number; error: string };
  ms: number;
  requestId: string;
  /** What it has logged, as far as it is kept. */
  logs: StudioLogLine[];
}

/** Ten seconds each. */
export interface StudioPoint {
  at: string;
  requests: number;
  /** Answered with 500 and above. */
  errors: number;
  p50Ms: number;
  p95Ms: number;
  sockets: number;
  subscriptions: number;
  memoryBytes: number;
  storageBytes: number | null;
  lagBlocks: number | null;
}

export interface StudioSlowRequest {
  at: string;
  method: string;
  path: string;
  status: number;
  ms: number;
}

/** A mail as it goes out. Without `writtenBy` it is as it comes with the server. */
export interface StudioMailTemplate {
  name: MailName;
  template: MailTemplate;
  writtenBy?: string;
  writtenAt?: string;
}

export interface StudioBackup {
  file: string;
  sizeBytes: number;
  createdAt: string;
  /** Made by the server, brought from elsewhere, or what was there before a backup was put back. */
  origin: "made" | "uploaded" | "beforeRestore";
}

export interface StudioBackupState {
  isRunning: boolean;
  /** Pages copied so far, of so many; `totalPages` is 0 until that is known. */
  pages: number;
  totalPages: number;
  error?: string;
  backups: StudioBackup[];
  /** Whether backups can be made and put back from here: an SQLite database, and a server that can start itself again. */
  canBackUp: boolean;
  canRestore: boolean;
  /** A backup that is being put back. */
  restoring?: StudioRestoring;
  /** How the last one ended. */
  lastRestore?: StudioRestore;
}

export interface StudioRestoring {
  file: string;
  /** `copying` and `checking` go on beside everything else; at `restarting` nothing answers for some seconds. */
  phase: "copying" | "checking" | "restarting";
  bytes: number;
  totalBytes: number;
}

export interface StudioRestore {
  file: string;
  username: string;
  at: string;
  outcome: "done" | "failed";
  /** Why it failed; everything is as it was then. */
  error?: string;
  /** The backup of what was there before. */
  keptAs?: string;
}

export interface StudioApiKey {
  id: string;
  name?: string;
  limit?: number;
  createdAt: string;
  lastUsedAt?: string;
  revokedAt?: string;
}

/** Requests with keys within an hour, by the id of the key. */
export interface StudioKeyUsage {
  /** When the hour begins. */
  at: string;
  requests: Record<string, number>;
}

/** What the server of a function or trigger was asked. Secrets are left out of the texts. */
export interface StudioHookCall {
  id: string;
  at: string;
  /** The function's name, or `beforeSave.Note`. */
  hook: string;
  url: string;
  /** The JSON that it was sent. */
  request: string;
  /** What it answered, as far as it is kept; with the HTTP status. */
  answer?: string;
  status?: number;
  ms: number;
  /** Why it could not be asked, or its answer not be read. */
  error?: string;
  /** Whether an operator had it asked once more. */
  isReplay: boolean;
}

/** A wallet that an index of known wallets follows. */
export interface StudioWatchedAddress {
  /** Lower-case hex. */
  address: string;
  /** How much of its history has been read, 0 to 100. */
  percent: number;
}
