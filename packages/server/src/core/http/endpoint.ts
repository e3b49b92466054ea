import type { JsonObject, JsonValue } from "@purse/protocol";
import { z } from "zod";
import type { ApiReply, ApiRequest, ApiRoute, Method } from "./apiRoute.ts";
import { assertMaster } from "./masterKeyAccess.ts";

/** Who may call an endpoint. The permissions of classes, objects and functions apply to `everyone` and `user`. */
type ParseAccess = "everyone" | "user" | "masterKey";

/**
 * The declaration of a route of the Parse API. Its method, path, access and options become those of the route, its
 * schemas the OpenAPI document and the reference page. The schemas describe: handlers validate what they are sent, with
 * the errors of the Parse protocol.
 */
export interface ParseEndpoint<M extends string = Method | "HEAD" | "PATCH">
  extends Pick<ApiRoute, "retry" | "acceptsEndedSession" | "isApplicationOptional"> {
  method: M;
  /** Path below `/server` with named segments: `/classes/:className`. */
  path: string;
  access: ParseAccess;
  summary: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  response: z.ZodType;
  status?: number;
  /** Content type of `body` if it is not JSON. */
  bodyType?: string;
  /** Content type of a body of bytes, instead of `body`. */
  rawBodyType?: string;
  /** Content types of the response if it is not JSON. */
  streams?: readonly string[];
  errors?: Readonly<Record<number, string>>;
  /** Whether the route reads its body as a stream, and therefore is not one of the router. */
  isStream?: boolean;
}

/** The endpoints of a feature by the names of their handlers. */
type Endpoints = Readonly<Record<string, ParseEndpoint<Method>>>;
type Handlers<E extends Endpoints, Request extends ApiRequest> = {
  readonly [Name in keyof E]: (request: Request) => Promise<ApiReply | JsonValue>;
};

/** Defines the endpoints of a feature: their names are those of the handlers that `routesOf` needs. */
export function defineEndpoints<const Name extends string>(
  endpoints: Readonly<Record<Name, ParseEndpoint<Method>>>,
): Readonly<Record<Name, ParseEndpoint<Method>>> {
  return endpoints;
}

/** The routes of endpoints. Those that need the master key reject other requests with 119. */
export function routesOf<E extends Endpoints, Request extends ApiRequest = ApiRequest>(
  endpoints: E,
  handlers: Handlers<E, Request>,
): ApiRoute<Request>[] {
  const names: (keyof E)[] = Object.keys(endpoints);
  return names.flatMap((name) => {
    const endpoint = endpoints[name];
    return endpoint ? [routeOf(endpoint, handlers[name])] : [];
  });
}

function routeOf<Request extends ApiRequest>(
  { method, path, access, retry, acceptsEndedSession, isApplicationOptional }: ParseEndpoint<Method>,
  handle: ApiRoute<Request>["handle"],
): ApiRoute<Request> {
  const right = method === "GET" ? "read" : "write";
  return {
    method,
    path,
    ...(retry && { retry }),
    ...(acceptsEndedSession && { acceptsEndedSession }),
    ...(isApplicationOptional && { isApplicationOptional }),
    handle:
      access === "masterKey"
        ? async (request) => {
            assertMaster(request, right);
            return handle(request);
          }
        : handle,
  };
}

export const nothing = z.object({});
export const jsonValue = z.custom<JsonValue>();
export const jsonObject = z.custom<JsonObject>().meta({ type: "object" });
