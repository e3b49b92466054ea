import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { z } from "zod";
import type { ApiReply, ApiRequest, ApiRoute, Method } from "../core/http/apiRoute.ts";
import { type Admitted, jsonValue, routeOf } from "../core/http/endpoint.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { parseInput } from "../studioApi/parseInput.ts";

const ACCESS = { anyone: "everyone", user: "user", masterKey: "masterKey" } as const;
type Needs = keyof typeof ACCESS;

export interface RouteOptions<Input extends z.ZodObject, N extends Needs> extends Pick<ApiRoute, "retry"> {
  /** Who may call it: signed-in users, or those with the master key. */
  needs: N;
  /** What it does, as a phrase without a period. */
  summary?: string;
  /** Its parameters, in the body or in the query string. Others are ignored. */
  input: Input;
  /** The JSON of a response, for the documentation. */
  response?: z.ZodType;
}

/** A route of the Parse API. Its handler gets validated parameters; invalid ones are rejected with 102. */
export function route<Input extends z.ZodObject, N extends Needs>(
  method: Method,
  path: `/${string}`,
  { needs, summary = `${method} ${path}`, input, response = jsonValue(), retry }: RouteOptions<Input, N>,
  handle: (
    request: Omit<ApiRequest, "params" | "auth"> &
      Pick<Admitted[(typeof ACCESS)[N]], "auth"> & { params: z.output<Input> },
  ) => Promise<ApiReply | JsonValue>,
): ApiRoute<WriteRequest> {
  const access = ACCESS[needs];
  return routeOf<typeof access, WriteRequest>(
    {
      method,
      path,
      access,
      summary,
      schemas: () => ({ [method === "GET" ? "query" : "body"]: input, response }),
      ...(access === "user" && { denied: signInError }),
      ...(retry && { retry }),
    },
    (request) => handle({ ...request, params: parseInput(input, request.params) }),
  );
}

function signInError(): ProtocolError {
  return new ProtocolError(ErrorCode.SESSION_MISSING, "A user must be signed in.");
}
