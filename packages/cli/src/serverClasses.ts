import { isJsonObject } from "@purse/protocol";
import { type Config, type DescribedClass, openSchemas, type Store } from "@purse/server";

/** The classes of a store. */
export async function classesOfStore(
  store: Store,
  { modules }: Pick<Config, "modules">,
): Promise<DescribedClass[]> {
  const schemas = await openSchemas(store, modules);
  return schemas.all();
}

/** Fetches the classes of a running server with the master key. Throws Error if it does not return them. */
export async function classesOfServer(
  url: string,
  { appId, masterKey }: Pick<Config, "appId" | "masterKey">,
): Promise<DescribedClass[]> {
  const headers = { "x-parse-application-id": appId, "x-parse-master-key": masterKey };
  const response = await fetch(`${url.replace(/\/+$/, "")}/schemas`, { headers });
  const body: unknown = await response.json().catch(() => undefined);
  if (!isJsonObject(body) || !Array.isArray(body.results)) {
    const reason =
      isJsonObject(body) && typeof body.error === "string" ? body.error : `status ${response.status}`;
    throw new Error(`${url} does not return its classes: ${reason}`);
  }
  return body.results.filter(isJsonObject).map(({ className, fields }) => ({
    className: String(className),
    fields: Object.fromEntries(
      Object.entries(isJsonObject(fields) ? fields : {}).map(([name, field]) => [name, fieldOf(field)]),
    ),
  }));
}

function fieldOf(json: unknown): DescribedClass["fields"][string] {
  const { type, targetClass, required } = isJsonObject(json) ? json : {};
  return {
    type: String(type),
    targetClass: typeof targetClass === "string" ? targetClass : undefined,
    required: required === true,
  };
}
