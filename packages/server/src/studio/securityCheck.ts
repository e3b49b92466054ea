import { isInternalClassName } from "@purse/protocol";
import type { Config } from "../config/loadConfig.ts";
import { ANONYMOUS } from "../core/authContext.ts";
import { evaluateClassPermissions } from "../data/permissions/classPermissions.ts";
import type { ClassSchema } from "../database/classSchema.ts";
import type { StudioOperator } from "../studioApi/access.ts";
import type { StudioFinding } from "../studioApi/permissions.ts";

export interface SecurityDependencies {
  config: Pick<
    Config,
    | "environment"
    | "host"
    | "masterKey"
    | "masterKeyIps"
    | "readOnlyMasterKey"
    | "serverUrl"
    | "allowClientClassCreation"
    | "allowPrivateHooks"
    | "allowPrivateMetadata"
    | "accountLockout"
    | "passwordPolicy"
    | "requireApiKey"
    | "metricsIps"
    | "filesUrl"
  >;
  operators(): Promise<StudioOperator[]>;
}

/** Whether an entry of an address list matches every address. */
const matchesEveryAddress = (entry: string): boolean => entry === "*" || entry.endsWith("/0");
const WEAK_KEYS = /^(master|secret|password|test|changeme|my|your|app|parse|moralis)|(.)\2{5}/i;
/** Minimum length of random keys as text; shorter ones are usually not random. */
const MIN_KEY_LENGTH = 24;

/** Finds insecure settings and permissions, the most severe first. */
export async function findSecurityIssues(
  { config, operators }: SecurityDependencies,
  classes: readonly ClassSchema[],
): Promise<StudioFinding[]> {
  const activeOperators = (await operators()).filter(({ isDisabled }) => !isDisabled);
  const findings = [
    ...checkKeys(config),
    ...checkSettings(config),
    ...activeOperators
      .filter(({ hasSecondFactor, role }) => !hasSecondFactor && role !== "readOnly")
      .map(({ username, role }) =>
        finding(
          "operator.second-factor",
          role === "owner" ? "high" : "medium",
          `${username} signs in with a password only`,
          "Have this operator set up a second factor.",
        ),
      ),
    ...classes.flatMap(checkClass),
  ];
  const rank = { high: 0, medium: 1, low: 2 };
  return findings.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

function checkKeys({
  masterKey,
  readOnlyMasterKey,
  masterKeyIps,
}: SecurityDependencies["config"]): StudioFinding[] {
  const found: StudioFinding[] = [];
  for (const [name, key] of [
    ["master key", masterKey],
    ["read-only master key", readOnlyMasterKey ?? undefined],
  ] as const) {
    if (key === undefined || (key.length >= MIN_KEY_LENGTH && !WEAK_KEYS.test(key))) continue;
    found.push(
      finding(
        "keys.weak",
        "high",
        `The ${name} can be guessed`,
        "Use a random key of at least 32 characters, or unset it: the server then generates one.",
      ),
    );
  }
  if (masterKeyIps.some(matchesEveryAddress)) {
    found.push(
      finding(
        "keys.everywhere",
        "high",
        "The master key works from every address",
        "List the addresses that need it in PURSE_MASTER_KEY_IPS.",
      ),
    );
  }
  return found;
}

function checkSettings(config: SecurityDependencies["config"]): StudioFinding[] {
  const isPublic = config.host !== "127.0.0.1" && config.host !== "::1" && config.host !== "localhost";
  const isProduction = config.environment === "production";
  const rows: [boolean, StudioFinding][] = [
    [
      !(config.serverUrl ?? "").startsWith("https:") && (isPublic || isProduction),
      finding(
        "tls",
        "high",
        "The public URL does not use HTTPS",
        "Put a reverse proxy with TLS in front of the server, and set PURSE_SERVER_URL to its https URL.",
      ),
    ],
    [
      config.allowClientClassCreation,
      finding(
        "classes.by-clients",
        isProduction ? "high" : "low",
        "Clients can create classes",
        "Set PURSE_ALLOW_CLIENT_CLASS_CREATION=0 in production.",
      ),
    ],
    [
      config.accountLockout === undefined,
      finding(
        "passwords.lockout",
        "medium",
        "Attempts to guess passwords are not limited",
        "Set accountLockout.",
      ),
    ],
    [
      Object.values(config.passwordPolicy).every((rule) => rule === undefined || rule === false),
      finding("passwords.policy", "low", "There is no password policy", "Set passwordPolicy."),
    ],
    [
      config.allowPrivateHooks,
      finding(
        "outbound.hooks",
        isProduction ? "high" : "low",
        "Webhooks can call private addresses",
        "Unset PURSE_ALLOW_PRIVATE_HOOKS.",
      ),
    ],
    [
      config.allowPrivateMetadata,
      finding(
        "outbound.metadata",
        isProduction ? "high" : "low",
        "NFT metadata can be read from private addresses",
        "Unset PURSE_ALLOW_PRIVATE_METADATA.",
      ),
    ],
    [
      config.metricsIps.some(matchesEveryAddress),
      finding(
        "metrics",
        "medium",
        "Everyone can read /metrics",
        "List the addresses that need it in PURSE_METRICS_IPS.",
      ),
    ],
    [
      !config.requireApiKey && isProduction,
      finding(
        "data.api-key",
        "medium",
        "The data API does not require an API key",
        "Set PURSE_REQUIRE_API_KEY=1.",
      ),
    ],
    [
      config.filesUrl === undefined && isProduction,
      finding(
        "files.origin",
        "low",
        "Uploaded files are served on the app's origin",
        "Serve them from another host with PURSE_FILES_URL.",
      ),
    ],
  ];
  return rows.flatMap(([isFound, found]) => (isFound ? [found] : []));
}

function checkClass(schema: ClassSchema): StudioFinding[] {
  const { className, fields, indexes } = schema;
  if (isInternalClassName(className) || className.startsWith("_")) return [];
  const isOpen = (operation: "find" | "get" | "create" | "update" | "delete" | "addField") =>
    evaluateClassPermissions(schema, operation, ANONYMOUS).objects === "all";
  const found: StudioFinding[] = [];
  const open = (["update", "delete"] as const).filter(isOpen);
  if (open.length > 0) {
    found.push({
      ...finding(
        "class.write",
        "high",
        `Everyone can ${open.join(" and ")} objects of ${className} that have no ACL`,
        "Require a signed-in user or a role, or give new objects an ACL.",
      ),
      className,
    });
  }
  if (isOpen("addField")) {
    found.push({
      ...finding("class.fields", "medium", `Everyone can add fields to ${className}`, "Restrict addField."),
      className,
    });
  }
  if (isOpen("create")) {
    found.push({
      ...finding(
        "class.create",
        "low",
        `Everyone can create objects of ${className}`,
        "Require a signed-in user.",
      ),
      className,
    });
  }
  const indexedFields = new Set(Object.values(indexes).map((index) => Object.keys(index)[0]));
  for (const [field, { type }] of Object.entries(fields)) {
    if (type !== "Pointer" || indexedFields.has(field)) continue;
    found.push({
      ...finding(
        "class.index",
        "low",
        `${className}.${field} has no index`,
        "Queries often filter by pointers: add an index.",
      ),
      className,
    });
  }
  return found;
}

function finding(
  id: string,
  severity: StudioFinding["severity"],
  title: string,
  advice: string,
): StudioFinding {
  return { id, severity, title, advice };
}
