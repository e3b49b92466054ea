import { type JsonObject, tryParseJson } from "@purse/protocol";
import type { StudioAuditEntry, StudioEndpoint } from "@purse/server/studio-api";
import type { Translator } from "@purse/ui";
import { asObject, numberField, objectField, stringField } from "../../components/fields.ts";

type ChangeOf<Endpoint> = Endpoint extends {
  method: infer Method extends string;
  path: infer Path extends string;
}
  ? Method extends "GET"
    ? never
    : `${Method} ${Path}`
  : never;

/** What the audit log has entries of. A new route of the admin API does not compile without a sentence. */
type AuditedAction = Exclude<
  ChangeOf<StudioEndpoint>,
  // Chunks of an upload, which is one entry.
  "PUT /backup-uploads/:id"
>;

/** `{who}` is the operator, `{target}` what was changed; for the other names, see `namesOf`. */
const SENTENCES: Readonly<Record<AuditedAction, string>> = {
  "POST /setup": "{who} set up the studio",
  "POST /session": "{who} signed in",
  "POST /session/passkey": "{who} signed in with a passkey",
  "DELETE /session": "{who} signed out",
  "DELETE /sessions": "{who} ended all of their other sessions",
  "DELETE /sessions/:id": "{who} ended one of their sessions",
  "POST /access-tokens": "{who} created the access token {target}",
  "PUT /password": "{who} changed their password",
  "PUT /preferences": "{who} changed the theme of their studio",
  "POST /second-factor": "{who} began to set up a second factor",
  "PUT /second-factor": "{who} turned on their second factor",
  "DELETE /second-factor": "{who} removed their second factor",
  "POST /passkeys/registration": "{who} began to add a passkey",
  "POST /passkeys": "{who} added the passkey {target}",
  "PUT /passkeys/:id": "{who} renamed the passkey {target}",
  "DELETE /passkeys/:id": "{who} removed the passkey {target}",
  "POST /operators": "{who} added the operator {target}",
  "PUT /operators/:id": "{who} changed the operator {target}",
  "DELETE /operators/:id": "{who} deleted the operator {target}",
  "DELETE /operators/:id/sessions": "{who} ended the sessions of the operator {target}",
  "POST /data/:className/import": "{who} imported rows into the class {class}",
  "POST /data/:className/rows": "{who} created the row {row} of the class {class}",
  "PUT /data/:className/rows/:objectId": "{who} changed the row {row} of the class {class}",
  "DELETE /data/:className/rows/:objectId": "{who} deleted the row {row} of the class {class}",
  "POST /data/:className/bulk": "{who} changed or deleted several rows of the class {class}",
  "PUT /views/:className": "{who} saved the view {row} of the class {class}",
  "DELETE /views/:className/:id": "{who} removed the view {row} of the class {class}",
  "POST /schema/classes/:className": "{who} created the class {class}",
  "PUT /schema/classes/:className": "{who} changed the class {class}",
  "DELETE /schema/classes/:className": "{who} deleted the class {class}",
  "POST /schema/classes/:className/preview": "{who} previewed a change of the class {class}",
  "DELETE /schema/classes/:className/rows": "{who} deleted all rows of the class {class}",
  "POST /functions/:name": "{who} ran the function {target}",
  "POST /jobs/:name/run": "{who} started the job {target}",
  "POST /schedules": "{who} scheduled the job {job}",
  "PUT /schedules/:objectId": "{who} changed the schedule of the job {job}",
  "DELETE /schedules/:objectId": "{who} deleted the schedule of the job {job}",
  "POST /hooks/key": "{who} revealed the signing key of the hooks",
  "POST /hooks/test": "{who} sent a test event to the hook {hook}",
  "POST /hooks": "{who} added the hook {hook}",
  "PUT /hooks/functions/:functionName": "{who} changed the hook {hook}",
  "DELETE /hooks/functions/:functionName": "{who} removed the hook {hook}",
  "PUT /hooks/triggers/:className/:triggerName": "{who} changed the hook {hook}",
  "DELETE /hooks/triggers/:className/:triggerName": "{who} removed the hook {hook}",
  "POST /deliveries/:objectId/send": "{who} sent a chain event again",
  "POST /hook-calls/:id/replay": "{who} repeated a call of a hook",
  "POST /console/requests": "{who} sent {target} in the console",
  "POST /console/graphql": "{who} ran {target} in the GraphQL console",
  "POST /push": "{who} sent a push notification",
  "POST /push/test": "{who} sent a test notification",
  "PUT /config": "{who} changed the config: {names}",
  "POST /config/rollback/:id": "{who} restored an earlier version of the config",
  "POST /mail/test": "{who} sent a test email to {target}",
  "PUT /mail/templates/:name": "{who} changed the email template {target}",
  "DELETE /mail/templates/:name": "{who} reset the email template {target}",
  "POST /mail/templates/:name/test": "{who} sent a test email to {target}",
  "POST /files": "{who} uploaded the file {target}",
  "DELETE /files": "{who} deleted the file {target}",
  "POST /pins": "{who} pinned {target} to IPFS",
  "DELETE /pins/:cid": "{who} unpinned {target} from IPFS",
  "POST /chains/:chainId/addresses": "{who} had the address {address} indexed on chain {chain}",
  "POST /watches": "{who} added a listener for events on chain",
  "PUT /watches/:objectId": "{who} changed a listener for events on chain",
  "DELETE /watches/:objectId": "{who} removed a listener for events on chain",
  "POST /keys": "{who} created the API key {key}",
  "DELETE /keys/:id": "{who} revoked the API key {key}",
  "POST /streams/:objectId/status": "{who} paused or resumed the stream {target}",
  "POST /streams/:objectId/retry": "{who} sent all failed deliveries of the stream {target} again",
  "POST /streams/:objectId/deliveries/:deliveryId/send": "{who} sent a delivery of a stream again",
  "POST /backups": "{who} created the backup {target}",
  "DELETE /backups/:file": "{who} deleted the backup {target}",
  "POST /backups/:file/restore": "{who} began to restore the backup {target}",
  "PUT /backup-schedule": "{who} changed the schedule of backups",
  "DELETE /backup-schedule": "{who} turned scheduled backups off",
  "POST /backup-uploads": "{who} began to upload a backup",
  "POST /backup-uploads/:id/finish": "{who} uploaded the backup {target}",
};

const RESTORED = "backup restored";
const TOOL_PREFIX = "MCP ";
const MAX_NAME_LENGTH = 80;
/** Unicode's isolates, which also keep a name in another script from reordering its sentence. */
const ISOLATE = "\u2068";
const END_OF_ISOLATE = "\u2069";

type Names = Record<
  | "who"
  | "target"
  | "class"
  | "row"
  | "fields"
  | "names"
  | "hook"
  | "job"
  | "key"
  | "address"
  | "chain"
  | "tool",
  string
>;

/** A part of a sentence; names are what somebody has entered. */
export interface SentencePart {
  text: string;
  isName: boolean;
}

/** What an entry says, as a sentence. */
export function auditSentence(entry: StudioAuditEntry, { t }: Translator): SentencePart[] {
  const before = jsonOf(entry.before);
  const after = jsonOf(entry.after);
  const names = namesOf(entry, before, after);
  const isolated = Object.fromEntries(
    Object.entries(names).map(([name, text]) => [name, `${ISOLATE}${cut(text || "…")}${END_OF_ISOLATE}`]),
  );
  const n = numberField(after, "rows") ?? numberField(after, "matched") ?? 0;
  const key = sentenceOf(entry, after);
  const values = { ...isolated, n };
  const sentence = t(isAuditedAction(key) ? SENTENCES[key] : OTHER_SENTENCES[key], values);
  const text =
    entry.outcome === "done" || entry.action.startsWith("POST /session")
      ? sentence
      : entry.outcome === "refused"
        ? t("Rejected: {sentence}", { sentence })
        : t("Not finished: {sentence}", { sentence });
  return text
    .split(/(\u2068[^\u2069]*\u2069)/)
    .filter((part) => part !== "")
    .map((part) =>
      part.startsWith(ISOLATE) ? { text: part.slice(1, -1), isName: true } : { text: part, isName: false },
    );
}

/** The actions by which the log can be filtered, sorted by the sentences that label them. */
export function auditActions({ t, language }: Translator): { key: string; label: string }[] {
  const names = { ...namesOf(NOBODY, {}, {}), who: t("Someone") };
  const values = Object.fromEntries(Object.entries(names).map(([name, text]) => [name, text || "…"]));
  return Object.keys(SENTENCES)
    .filter(isAuditedAction)
    .map((key) => ({ key: String(key), label: t(SENTENCES[key], values) }))
    .concat({ key: RESTORED, label: t(OTHER_SENTENCES.restored, values) })
    .toSorted((a, b) => a.label.localeCompare(b.label, language));
}

const NOBODY = { username: "", action: "", target: "" };

/** Sentences that say more than that of their action, and of actions that are no routes. */
const OTHER_SENTENCES = {
  restored: "{who} restored the backup {target}",
  tool: "{who} called the tool {tool} over MCP",
  other: "{who} did this: {target}",
  refusedSignIn: "Someone tried to sign in as {who}",
  refusedPasskey: "Someone tried to sign in with a passkey",
  imported: "{who} imported rows into the class {class}: {n, number}",
  checked: "{who} checked a file for an import into the class {class}",
  changedRows: "{who} changed rows of the class {class}: {n, number}",
  deletedRows: "{who} deleted rows of the class {class}: {n, number}",
  addedFields: "{who} added {fields} to the class {class}",
  deletedFields: "{who} deleted {fields} from the class {class}",
  permissions: "{who} changed the permissions of the class {class}",
  indexes: "{who} changed the indexes of the class {class}",
  paused: "{who} paused the stream {target}",
  resumed: "{who} resumed the stream {target}",
};

function sentenceOf(
  { action, outcome }: StudioAuditEntry,
  after: JsonObject,
): AuditedAction | keyof typeof OTHER_SENTENCES {
  const isRefused = outcome === "refused";
  const { isDry, rows, matched, action: bulk, status } = after;
  switch (action) {
    case "POST /session":
      if (isRefused) return "refusedSignIn";
      break;
    case "POST /session/passkey":
      if (isRefused) return "refusedPasskey";
      break;
    case "POST /data/:className/import":
      // Entries of earlier versions, which logged validations, too.
      if (isDry === true) return "checked";
      if (typeof rows === "number") return "imported";
      break;
    case "POST /data/:className/bulk":
      if (typeof matched === "number") return bulk === "delete" ? "deletedRows" : "changedRows";
      break;
    case "PUT /schema/classes/:className":
      return changeOfClass(after) ?? action;
    case "POST /streams/:objectId/status":
      if (status === "paused") return "paused";
      if (status === "active") return "resumed";
      break;
    case RESTORED:
      return "restored";
  }
  if (action.startsWith(TOOL_PREFIX)) return "tool";
  return isAuditedAction(action) ? action : "other";
}

/** The sentence of an edit of a class that changes only one thing; otherwise undefined. */
function changeOfClass(edit: JsonObject): keyof typeof OTHER_SENTENCES | undefined {
  const parts = Object.keys(edit);
  if (parts.length !== 1) return undefined;
  if (parts[0] === "classLevelPermissions" || parts[0] === "access") return "permissions";
  if (parts[0] === "indexes") return "indexes";
  const fields = Object.values(objectField(edit, "fields") ?? {});
  const deleted = fields.filter((field) => asObject(field)?.__op === "Delete");
  if (fields.length === 0 || (deleted.length > 0 && deleted.length < fields.length)) return undefined;
  return deleted.length > 0 ? "deletedFields" : "addedFields";
}

function namesOf(
  { username, action, target }: Pick<StudioAuditEntry, "username" | "action" | "target">,
  before: JsonObject,
  after: JsonObject,
): Names {
  const [className = "", row = ""] = target.split("/");
  const [chain = "", address = ""] = target.split(" ");
  const list = (names: readonly string[]) => names.join(", ");
  return {
    who: username,
    target: isAuditedAction(action) || action === RESTORED ? target : `${action} ${target}`,
    class: className,
    row,
    fields: list(Object.keys(objectField(after, "fields") ?? {})),
    names: list(Object.keys(after)),
    hook: hookOf(action, target, after),
    job: stringField(before, "jobName") || stringField(after, "jobName"),
    key: stringField(before, "name") || stringField(after, "name") || target,
    chain,
    address,
    tool: action.startsWith(TOOL_PREFIX) ? action.slice(TOOL_PREFIX.length) : "",
  };
}

/** The name of a hook: of its function, or of trigger and class. */
function hookOf(
  action: string,
  target: string,
  { functionName, triggerName, className }: JsonObject,
): string {
  if (typeof functionName === "string") return functionName;
  if (typeof triggerName === "string") return `${triggerName}.${className}`;
  const [hookClass, trigger] = target.split("/");
  return action.includes("/hooks/triggers") ? `${trigger}.${hookClass}` : target;
}

function isAuditedAction(action: string): action is AuditedAction {
  return Object.hasOwn(SENTENCES, action);
}

/** The values before or after a change, which are cut if they are long. */
function jsonOf(text: string | undefined): JsonObject {
  const value = text === undefined ? undefined : tryParseJson(text);
  return asObject(value) ?? {};
}

function cut(text: string): string {
  const plain = text.replaceAll(ISOLATE, "").replaceAll(END_OF_ISOLATE, "");
  return plain.length > MAX_NAME_LENGTH ? `${plain.slice(0, MAX_NAME_LENGTH)}…` : plain;
}
