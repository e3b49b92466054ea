import type { z } from "zod";

export interface EndpointRow {
  /** Names in later clients. */
  aliases?: readonly string[];
  group: "native" | "account" | "token" | "resolve" | "defi" | "storage" | "info";
  method: "GET" | "POST" | "PUT";
  /** With `{parameter}` segments. */
  path: string;
  /** Parameters that are neither in the path nor in the body are in the query. */
  parameters: z.ZodObject;
  /** Names of parameters that are accepted from old clients and ignored. */
  ignored?: readonly string[];
  /** Documented parameters without a counterpart, with the reason; they are rejected unless they are false. */
  unsupported?: Readonly<Record<string, string>>;
  /**
   * The JSON body of REST requests: an object with some parameters as properties, or one parameter itself. In calls of
   * the cloud function, the latter can have any of these names; the first is its own.
   */
  body?: { readonly properties: readonly string[] } | { readonly parameter: readonly string[] };
  response: z.ZodType;
  /** Whether it refreshes what is stored, although its method is GET: HEAD is refused. */
  refreshes?: true;
  /** HTTP status of a successful response; default 200. */
  status?: 201;
  /** Cost of a call for the rate limit. */
  weight: string;
  about: string;
}

/** Endpoints by the name of the cloud function and of the operation in `Web3API`, in match order. */
export type EndpointRows = Readonly<Record<string, EndpointRow>>;

/** Where a request contains a parameter of an endpoint. */
export function locationOf({ path, body }: EndpointRow, name: string): "path" | "query" | "body" {
  if (path.includes(`{${name}}`)) return "path";
  const inBody = !body ? [] : "properties" in body ? body.properties : body.parameter;
  return inBody.includes(name) ? "body" : "query";
}
