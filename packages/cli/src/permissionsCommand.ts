import { isJsonObject, type JsonObject } from "@purse/protocol";
import {
  ACCESS_PRESET_NAMES,
  type Config,
  editClass,
  openSchemas,
  type Store,
  strangerAccess,
  strangerAccessText,
} from "@purse/server";
import { UsageError } from "./usageError.ts";

/** What the command is to do. */
export type PermissionsRequest =
  | { action: "list" }
  /** Sets the permissions of classes to those that a word stands for. */
  | { action: "set"; classNames: readonly string[]; access: string };

/** Reads `[list]`, `close CLASS…` or `set CLASS ACCESS`. Throws UsageError. */
export function parsePermissionsRequest([action, ...words]: readonly string[]): PermissionsRequest {
  const [className, access, ...others] = words;
  switch (action) {
    case undefined:
    case "list":
      if (className !== undefined) throw new UsageError(`permissions list takes no "${className}"`);
      return { action: "list" };
    case "close":
      if (className === undefined) throw new UsageError("permissions close takes the names of classes");
      return { action: "set", classNames: words, access: "closed" };
    case "set":
      if (className === undefined || access === undefined || others.length > 0) {
        throw new UsageError(`permissions set takes a class and one of ${ACCESS_PRESET_NAMES.join(", ")}`);
      }
      return { action: "set", classNames: [className], access };
    default:
      throw new UsageError("permissions takes list, close or set");
  }
}

/** Lists what strangers may do with each class, or changes permissions. Throws Error if a class does not exist. */
export async function runPermissionsCommand(
  store: Store,
  config: Config,
  request: PermissionsRequest,
): Promise<{ text: string; json: JsonObject }> {
  const schemas = await openSchemas(store, config.modules, config);
  if (request.action === "set") {
    for (const className of request.classNames) {
      if (!schemas.get(className)) throw new Error(`Class ${className} does not exist.`);
    }
    for (const className of request.classNames) {
      await schemas.change(className, (schema) => editClass(schema, { access: request.access }, []));
    }
    return report(request);
  }
  const classes = schemas
    .all()
    .filter(({ className }) => !className.startsWith("_"))
    .map(strangerAccess)
    .sort((a, b) => (a.className < b.className ? -1 : 1));
  const text = classes.length > 0 ? classes.map(strangerAccessText).join("\n") : "There are no classes.";
  return { text, json: { classes: JSON.parse(JSON.stringify(classes)) } };
}

/** Changes permissions on a running server with the master key. Throws Error if it refuses. */
export async function setPermissionsOnServer(
  url: string,
  { appId, masterKey }: Pick<Config, "appId" | "masterKey">,
  request: PermissionsRequest,
): Promise<{ text: string; json: JsonObject }> {
  if (request.action === "list") throw new UsageError("--server is for close and set");
  for (const className of request.classNames) {
    const response = await fetch(`${url.replace(/\/+$/, "")}/schemas/${encodeURIComponent(className)}`, {
      method: "PUT",
      headers: {
        "x-parse-application-id": appId,
        "x-parse-master-key": masterKey,
        "content-type": "application/json",
      },
      body: JSON.stringify({ access: request.access }),
    });
    if (response.ok) continue;
    const body: unknown = await response.json().catch(() => undefined);
    const reason = isJsonObject(body) ? String(body.error) : `status ${response.status}`;
    throw new Error(`${className} was not changed: ${reason}`);
  }
  return report(request);
}

function report({ classNames, access }: Extract<PermissionsRequest, { action: "set" }>) {
  return {
    text: classNames.map((className) => `${className}: ${access}`).join("\n"),
    json: { changed: [...classNames], access },
  };
}
