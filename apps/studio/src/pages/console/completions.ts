import type { JsonObject } from "@purse/protocol";
import { asObject, stringField } from "../../components/fields.ts";
import type { ConsoleMethod } from "./consoleRequest.ts";

/** An operation of the API to be chosen. */
export interface Completion {
  method: ConsoleMethod;
  path: string;
  summary: string;
  /** Names of the parameters of the query string. */
  query: readonly string[];
}

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

/** The operations of an OpenAPI document, with the names of classes and functions in place of path parameters. */
export function completionsOf(
  document: JsonObject,
  names: { classes: readonly string[]; functions: readonly string[] },
): Completion[] {
  const paths = Object.entries(asObject(document.paths) ?? {});
  return paths.flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = asObject(asObject(item)?.[method.toLowerCase()]);
      if (!operation) return [];
      const summary = stringField(operation, "summary");
      const query = queryOf(operation);
      return fillPath(path, names).map((filled) => ({ method, path: filled, summary, query }));
    }),
  );
}

/** The completions that begin like a path, for its method first. */
export function matching(
  completions: readonly Completion[],
  method: ConsoleMethod,
  path: string,
): readonly Completion[] {
  const [start = ""] = path.split("?", 1);
  const found = completions.filter((each) => each.method === method && each.path.startsWith(start));
  return found.slice(0, MAX_SHOWN);
}

/** The operation of a path whose parameters are filled in. */
export function operationOf(
  completions: readonly Completion[],
  method: ConsoleMethod,
  path: string,
): Completion | undefined {
  const [pathname = ""] = path.split("?", 1);
  const segments = pathname.split("/");
  return completions.find((each) => {
    const own = each.path.split("/");
    return (
      each.method === method &&
      own.length === segments.length &&
      own.every((segment, i) => segment === segments[i] || (segment.startsWith("{") && segments[i] !== ""))
    );
  });
}

const MAX_SHOWN = 50;

function queryOf(operation: JsonObject): string[] {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
  return parameters.flatMap((each) => {
    const parameter = asObject(each);
    return parameter?.in === "query" ? [stringField(parameter, "name")] : [];
  });
}

function fillPath(
  path: string,
  names: { classes: readonly string[]; functions: readonly string[] },
): string[] {
  if (path.includes("{className}")) return names.classes.map((name) => path.replace("{className}", name));
  const parameter = /^\/functions\/(\{\w+\})$/.exec(path)?.[1];
  return parameter === undefined ? [path] : names.functions.map((name) => path.replace(parameter, name));
}
