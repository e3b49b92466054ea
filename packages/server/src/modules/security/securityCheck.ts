import type { ModuleFacts } from "@purse/kernel";
import { isInternalClassName } from "@purse/protocol";
import { ANONYMOUS } from "../../core/authContext.ts";
import { isLoopback } from "../../core/http/address.ts";
import { PROGRAM } from "../../core/programName.ts";
import type { DefaultAccess } from "../../data/permissions/classAccess.ts";
import { evaluateClassPermissions } from "../../data/permissions/classPermissions.ts";
import { type Strangers, strangerAccess } from "../../data/permissions/strangerAccess.ts";
import type { Schemas } from "../../data/schema/schemas.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { SharedSettings } from "../../module/tokens.ts";
import type { StudioOperator } from "../../studioApi/access.ts";
import type { StudioFinding } from "../../studioApi/security.ts";

export interface SecurityDependencies {
  settings: Pick<ModuleFacts, "environment" | "compatibility"> & SharedSettings;
  /** Whether clients of the data API need a key. */
  requiresApiKeys: boolean;
  operators(): Promise<StudioOperator[]>;
}

/** Whether an entry of an address list matches every address. */
const matchesEveryAddress = (entry: string): boolean => entry === "*" || entry.endsWith("/0");
const WEAK_KEYS = /^(master|secret|password|test|changeme|my|your|app|parse|moralis)|(.)\2{5}/i;
/** Minimum length of random keys as text; shorter ones are usually not random. */
const MIN_KEY_LENGTH = 24;

/** Finds insecure settings and permissions, the most severe first. */
export async function findSecurityIssues(
  { settings, requiresApiKeys, operators }: SecurityDependencies,
  schemas: Pick<Schemas, "access" | "all">,
): Promise<StudioFinding[]> {
  const activeOperators = (await operators()).filter(({ isDisabled }) => !isDisabled);
  const findings = [
    ...checkKeys(settings),
    ...checkSettings(settings, requiresApiKeys, schemas.access),
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
    ...schemas.all().flatMap(checkClass),
  ];
  const rank = { high: 0, medium: 1, low: 2 };
  return findings.sort((a, b) => rank[a.severity] - rank[b.severity]);
}

function checkKeys({
  masterKey,
  readOnlyMasterKey,
  masterKeyIps,
}: SecurityDependencies["settings"]): StudioFinding[] {
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

function checkSettings(
  settings: SecurityDependencies["settings"],
  requiresApiKeys: boolean,
  access: DefaultAccess,
): StudioFinding[] {
  const isPublic = settings.host !== "localhost" && !isLoopback(settings.host);
  const isProduction = settings.environment === "production";
  const rows: [boolean, StudioFinding][] = [
    [
      !(settings.serverUrl ?? "").startsWith("https:") && (isPublic || isProduction),
      finding(
        "tls",
        "high",
        "The public URL does not use HTTPS",
        "Put a reverse proxy with TLS in front of the server, and set PURSE_SERVER_URL to its https URL.",
      ),
    ],
    [
      access === "open" && isProduction && settings.compatibility !== "parse",
      finding(
        "classes.open",
        "medium",
        "New classes are open to everyone until permissions are set",
        "Set PURSE_CLASS_ACCESS=closed once apps do not depend on it.",
      ),
    ],
    [
      settings.allowClientClassCreation,
      finding(
        "classes.by-clients",
        isProduction ? "high" : "low",
        "Clients can create classes",
        "Set PURSE_ALLOW_CLIENT_CLASS_CREATION=0 in production.",
      ),
    ],
    [
      settings.accountLockout === undefined,
      finding(
        "passwords.lockout",
        "medium",
        "Attempts to guess passwords are not limited",
        "Set accountLockout.",
      ),
    ],
    [
      settings.passwordPolicy.minLength === 0 && settings.passwordPolicy.isStrong === undefined,
      finding(
        "passwords.policy",
        isProduction ? "medium" : "low",
        "Passwords may have any length",
        "Set passwordPolicy.minLength.",
      ),
    ],
    [
      settings.allowPrivateHooks,
      finding(
        "outbound.hooks",
        isProduction ? "high" : "low",
        "Webhooks can call private addresses",
        "Unset PURSE_ALLOW_PRIVATE_HOOKS.",
      ),
    ],
    [
      settings.allowPrivateMetadata,
      finding(
        "outbound.metadata",
        isProduction ? "high" : "low",
        "NFT metadata can be read from private addresses",
        "Unset PURSE_ALLOW_PRIVATE_METADATA.",
      ),
    ],
    [
      settings.metricsIps.some(matchesEveryAddress),
      finding(
        "metrics",
        "medium",
        "Everyone can read /metrics",
        "List the addresses that need it in PURSE_METRICS_IPS.",
      ),
    ],
    [
      !requiresApiKeys && isProduction,
      finding(
        "data.api-key",
        "medium",
        "The data API does not require an API key",
        "Set PURSE_REQUIRE_API_KEY=1.",
      ),
    ],
    [
      settings.filesUrl === undefined && isProduction,
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
  const { read, create, change } = strangerAccess(schema);
  const found: StudioFinding[] = [];
  const add = (
    id: string,
    severity: StudioFinding["severity"],
    who: Strangers,
    what: string,
    advice: string,
  ) => {
    if (who === undefined) return;
    const title = `${who === "everyone" ? "Everyone" : "Every signed-in user"} can ${what}`;
    const close = `Or close the class: ${PROGRAM} permissions close ${className}`;
    found.push({ ...finding(id, severity, title, `${advice} ${close}`), className, isClosable: true });
  };
  add(
    "class.write",
    "high",
    change,
    `${changesOf(schema)} objects of ${className} that have no ACL`,
    "Require a role, or give new objects an ACL.",
  );
  const addsFields = evaluateClassPermissions(schema, "addField", ANONYMOUS).objects === "all";
  add(
    "class.fields",
    "medium",
    addsFields ? "everyone" : undefined,
    `add fields to ${className}`,
    "Restrict addField.",
  );
  add("class.create", "low", create, `create objects of ${className}`, "Require a signed-in user or a role.");
  add(
    "class.read",
    "low",
    read,
    `read objects of ${className} that have no ACL`,
    "Require a signed-in user or a role, or give new objects an ACL.",
  );
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

/** The changes that strangers may make: "update and delete". */
function changesOf(schema: ClassSchema): string {
  const { change } = strangerAccess({
    ...schema,
    classLevelPermissions: { ...schema.classLevelPermissions, delete: {} },
  });
  const { change: deletes } = strangerAccess({
    ...schema,
    classLevelPermissions: { ...schema.classLevelPermissions, update: {} },
  });
  return [change && "update", deletes && "delete"].filter(Boolean).join(" and ");
}

function finding(
  id: string,
  severity: StudioFinding["severity"],
  title: string,
  advice: string,
): StudioFinding {
  return { id, severity, title, advice };
}
