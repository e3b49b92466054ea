import { z } from "zod";
import type { StudioAccessLevel } from "./operatorRoles.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The named segments of a path: `{ id: string }` for `/operators/:id`. */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Key in Name | keyof PathParams<`/${Rest}`>]: string }
  : Path extends `${string}:${infer Name}`
    ? { [Key in Name]: string }
    : Record<never, string>;

/** A row of the table of endpoints, from which routes, the studio's client, OpenAPI and the documentation come. */
export interface Endpoint<
  M extends Method = Method,
  Path extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
> extends EndpointDefinition<Input, Response> {
  method: M;
  /** Path below `/studio/api` with named segments: `/data/:className`. */
  path: Path;
  pathParams: z.ZodType<PathParams<Path>>;
}

export interface EndpointDefinition<Input extends z.ZodObject, Response extends z.ZodType> {
  /** Who may call it. */
  needs: StudioAccessLevel;
  /** What it does, as a phrase without a period. */
  summary: string;
  /** Parameters: of the query string for GET and binary bodies, otherwise of the JSON body. */
  input: Input;
  /** Whether the body is binary: a chunk of an upload, which is audited as a whole. */
  bodyType?: "bytes";
  /** When a request only previews a change, so that the audit log has no entry for it: always, or if its `dryRun` is set. */
  preview?: "always" | "dryRun";
  /** The JSON of a successful response. */
  response: Response;
  /** Status of a successful response if it is not 200. */
  status?: 201 | 202;
  /** Content types of the response if it is a stream instead of JSON. */
  streams?: readonly string[];
}

/** Defines an endpoint of the admin API. */
export function endpoint<
  const M extends Method,
  const Path extends `/${string}`,
  Input extends z.ZodObject,
  Response extends z.ZodType,
>(
  method: M,
  path: Path,
  definition: EndpointDefinition<Input, Response>,
): Endpoint<M, Path, Input, Response> {
  return { ...definition, method, path, pathParams: pathParamsOf(path) };
}

/** The names of the segments of a path. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => name ?? []);
}

function pathParamsOf<Path extends string>(path: Path): z.ZodType<PathParams<Path>> {
  const names = pathNames(path);
  return z.custom<PathParams<Path>>((value) => {
    const given = new Map(Object.entries(Object(value)));
    return names.every((name) => typeof given.get(name) === "string");
  }, "The path is not valid");
}
