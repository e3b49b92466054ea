import type { JsonObject, JsonValue, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { AuthContext, RequestContext } from "../authContext.ts";
import { invalidSessionError } from "../invalidSessionError.ts";
import type { ApiReply, ApiRequest, ApiRoute, Method, ParseAccess, ParseEndpoint } from "./apiRoute.ts";
import { masterKeyError } from "./masterKeyAccess.ts";

/** The endpoints of a feature by the names of their handlers. */
type Endpoints<M extends string> = Readonly<Record<string, ParseEndpoint<M>>>;

export interface EndpointGroup<E extends Endpoints<string>> {
  heading: string;
  endpoints: E;
}

type User = Extract<AuthContext, { kind: "user" }>;
/** A request of a signed-in user. */
export type UserRequest<Request> = Request & { auth: User };
/** What is known of the requests that a route lets in. */
export interface Admitted {
  everyone: RequestContext;
  user: { auth: User };
  masterKey: RequestContext;
}

type Handlers<E extends Endpoints<Method>, Request> = {
  readonly [Name in keyof E]: Handle<E[Name]["access"], Request>;
};
type Handle<Access extends ParseAccess, Request> = (
  request: Request & Admitted[Access],
) => Promise<ApiReply | JsonValue>;

/** Defines the endpoints of a feature: their names are those of the handlers that `routesOf` needs. */
export function defineEndpoints<const E extends Endpoints<string>>(
  heading: string,
  endpoints: E,
): EndpointGroup<E> {
  return { heading, endpoints };
}

/**
 * The routes of endpoints. Those that need the master key reject other requests with 119, those that need a user with
 * 209, before their handlers run.
 */
export function routesOf<E extends Endpoints<Method>, Request extends ApiRequest = ApiRequest>(
  { heading, endpoints }: EndpointGroup<E>,
  handlers: Handlers<E, Request>,
): ApiRoute<Request>[] {
  const names: (keyof E)[] = Object.keys(endpoints);
  return names.flatMap((name) => {
    const endpoint = endpoints[name];
    return endpoint
      ? [{ ...routeOf<E[typeof name]["access"], Request>(endpoint, handlers[name]), heading }]
      : [];
  });
}

/** The endpoints of a feature with their heading. */
export function endpointsOf({
  heading,
  endpoints,
}: EndpointGroup<Endpoints<string>>): ParseEndpoint<string>[] {
  return Object.values(endpoints).map((endpoint) => ({ ...endpoint, heading }));
}

/** The route of one endpoint. `executeRoute` rejects writes with the read-only master key. */
export function routeOf<Access extends ParseAccess, Request extends ApiRequest = ApiRequest>(
  endpoint: ParseEndpoint<Method> & { access: Access },
  handle: Handle<Access, Request>,
): ApiRoute<Request> {
  const { access, denied } = endpoint;
  return {
    ...endpoint,
    handle(request) {
      if (!isAdmitted(access, request)) throw denied?.(request) ?? deniedError(access);
      return handle(request);
    },
  };
}

function isAdmitted<Access extends ParseAccess, Request extends ApiRequest>(
  access: Access,
  request: Request,
): request is Request & Admitted[Access] {
  if (access === "user") return request.auth.kind === "user";
  return access === "everyone" || request.auth.kind === "master";
}

function deniedError(access: ParseAccess): ProtocolError {
  return access === "user" ? invalidSessionError() : masterKeyError();
}

export const jsonValue = () => z.custom<JsonValue>();
export const jsonObject = () => z.custom<JsonObject>().meta({ type: "object" });
/** The response of routes without one. */
export const nothing = () => ({ response: z.object({}) });
