import type { MailName, MailTemplate } from "./mailTemplates.ts";
import type { JsonObject, JsonValue } from "./values.ts";

/*
 * Types of the admin API (`/studio/api`), shared by the server and the dashboard. docs/studio/api.md lists the routes.
 * Times are ISO 8601 in UTC unless the name says ms; rows are objects in the format of the Parse protocol.
 */

/** Permissions of an operator: everything; everything except operators, keys and backups; read-only. */
export type StudioRole = "owner" | "editor" | "readOnly";

/** Who may call a route: everyone, any signed-in operator (for their own account), or a minimum role. */
export type StudioAccessLevel = "nobody" | "session" | StudioRole;

export interface StudioRouteInfo {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path below `/studio/api` with parameters: `/data/:className`. */
  path: string;
  needs: StudioAccessLevel;
}

/** Body of all errors. `code` as in the Parse protocol; for a conflict (409) `current` is the current row. */
export interface StudioError {
  code: number;
  error: string;
  current?: JsonObject;
  /** The password was correct and a second factor is required (401). */
  secondFactor?: boolean;
}

export interface StudioOperator {
  id: string;
  username: string;
  role: StudioRole;
  createdAt: string;
  hasSecondFactor: boolean;
  /** Disabled operators cannot sign in. */
  isDisabled: boolean;
  lastSignInAt?: string;
}

export interface StudioSession {
  id: string;
  createdAt: string;
  /** Accurate to the minute. */
  lastUsedAt: string;
  /** Maximum lifetime, regardless of use. */
  expiresAt: string;
  address: string;
  userAgent: string;
  isCurrent: boolean;
}

/**
 * The session state, which the pages request first. `csrf` must be sent as `X-Purse-CSRF` with every request except
 * GET.
 */
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
  /** `begun` remains if the server stopped before the action completed. */
  outcome: "begun" | "done" | "refused";
  /** The values before and after the change as short JSON texts, without secrets. */
  before?: string;
  after?: string;
  address: string;
  requestId: string;
  error?: string;
}

export interface StudioPage<Row> {
  results: Row[];
  /** Cursor for `after` of the next request; absent on the last page. */
  next?: string;
}

export interface StudioCount {
  count: number;
  /** Whether there are more rows than were counted. */
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
  /** The rejected rows with reasons, as a file (CSV or JSON lines) that can be corrected and imported again. */
  errorFile: string;
}

export interface StudioExplain {
  plan: JsonValue;
  /**
   * An index that would speed up the query, in the format of `/schemas`; absent if one exists or nothing can be
   * indexed.
   */
  suggestedIndex?: { name: string; fields: Record<string, 1 | -1> };
}

/** Events of `/data/:className/live`, by `event:` name. `object` is the row; for delete, its last state. */
export interface StudioLiveEvent {
  event: "create" | "update" | "enter" | "leave" | "delete";
  object: JsonObject;
}

export interface StudioSchemaPreview {
  /** Human-readable, one change per line: `+ Game.score Number`. */
  lines: string[];
  /** The class as an entry of `schemas` in purse.config.ts. */
  code: string;
}

export interface StudioPermissionCheck {
  isAllowed: boolean;
  /** Allowed only on objects that point to the user; set if no object was given. */
  isOfSome: boolean;
  /** Which check decided: `class`, `pointer`, `acl`, `rule` (of a built-in class), `missing`. */
  decidedBy: "class" | "pointer" | "acl" | "rule" | "missing";
  why: string;
  /** All checks in order of evaluation, up to the one that denied access; exactly one of them decided. */
  steps: { guard: string; isPassed: boolean; why: string; isDeciding: boolean }[];
  roles: string[];
  /** Why the user is a member of each role. */
  memberships: StudioMembership[];
  /** Results of the token gates of roles for the user. */
  gates: { role: string; isMember: boolean; min: string; held?: string }[];
  /** Fields of the row that are hidden from the user. */
  hiddenFields: string[];
}

/** `user`: direct member; `gate`: by token balance; `role`: inherited from the role `from`. */
export type StudioMembership = { role: string } & ({ by: "user" | "gate" } | { by: "role"; from: string });

export interface StudioRoles {
  roles: { id: string; name: string; gate?: JsonObject }[];
  /** Members of `child` are also members of `parent`. */
  edges: { parent: string; child: string }[];
  /** Names of the roles in each cycle of the role hierarchy. */
  cycles: string[][];
}

export interface StudioFinding {
  id: string;
  severity: "high" | "medium" | "low";
  title: string;
  /** Recommended action. */
  advice: string;
  className?: string;
}

export interface StudioLogLine {
  /** Increases by one with each line. */
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
  /** Log lines of the call that are still in the buffer. */
  logs: StudioLogLine[];
}

/** Metrics of a ten-second interval. */
export interface StudioMetricsPoint {
  at: string;
  requests: number;
  /** Responses with status 500 and above. */
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

/** The current text of a mail. Without `writtenBy` it is the default. */
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
  /** Created by the server, uploaded, or created automatically before a restore. */
  origin: "made" | "uploaded" | "beforeRestore";
}

export interface StudioBackupState {
  isRunning: boolean;
  /** Pages copied so far and in total; `totalPages` is 0 until it is known. */
  pages: number;
  totalPages: number;
  error?: string;
  backups: StudioBackup[];
  /**
   * Whether backups can be created and restored here: requires an SQLite database and a server that can restart itself.
   */
  canBackUp: boolean;
  canRestore: boolean;
  /** The restore in progress. */
  restoring?: StudioRestoreProgress;
  /** The result of the last restore. */
  lastRestore?: StudioRestore;
}

export interface StudioRestoreProgress {
  file: string;
  /**
   * During `copying` and `checking` the server keeps working; during `restarting` it is unavailable for a few seconds.
   */
  phase: "copying" | "checking" | "restarting";
  bytes: number;
  totalBytes: number;
}

export interface StudioRestore {
  file: string;
  username: string;
  at: string;
  outcome: "done" | "failed";
  /** Why it failed; the database is unchanged in that case. */
  error?: string;
  /** File name of the backup of the previous database. */
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

/** Number of requests within an hour, by id of the API key. */
export interface StudioKeyUsage {
  /** Beginning of the hour. */
  at: string;
  requests: Record<string, number>;
}

/** A request to the server of a function or trigger, without secrets. */
export interface StudioHookCall {
  id: string;
  at: string;
  /** The function's name, or `beforeSave.Note`. */
  hook: string;
  url: string;
  /** The JSON body of the request. */
  request: string;
  /** The response, possibly truncated, and its HTTP status. */
  answer?: string;
  status?: number;
  ms: number;
  /** Why the request failed or the response could not be read. */
  error?: string;
  /** Whether an operator repeated the request. */
  isReplay: boolean;
}

/** A wallet in the index of known wallets. */
export interface StudioWatchedAddress {
  /** Lower-case hexadecimal. */
  address: string;
  /** How much of its history has been indexed, 0 to 100. */
  percent: number;
}
