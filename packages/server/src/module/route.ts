import { ErrorCode, type JsonValue, ProtocolError } from "@purse/protocol";
import type { z } from "zod";
import type { AuthContext } from "../core/authContext.ts";
import type { ApiReply, ApiRequest, ApiRoute, Method } from "../core/http/apiRoute.ts";
import { assertMaster } from "../core/http/masterKeyAccess.ts";
import type { WriteRequest } from "../data/objects/writeOptions.ts";
import { parseInput } from "../studioApi/parseInput.ts";

type User = Extract<AuthContext, { kind: "user" }>;
/** The senders that a route lets in. */
type Sender = { anyone: AuthContext; user: User; masterKey: AuthContext };

export interface RouteOptions<Input extends z.ZodObject, Needs extends keyof Sender>
  extends Pick<ApiRoute, "retry"> {
  /** Who may call it: signed-in users, or those with the master key. */
  needs: Needs;
  /** Its parameters, in the body or in the query string. Others are ignored. */
  input: Input;
}

/** A route of the Parse API. Its handler gets validated parameters; invalid ones are rejected with 102. */
export function route<Input extends z.ZodObject, Needs extends keyof Sender>(
  method: Method,
  path: `/${string}`,
  { needs, input, retry }: RouteOptions<Input, Needs>,
  handle: (
    request: Omit<ApiRequest, "params"> & { params: z.output<Input>; auth: Sender[Needs] },
  ) => Promise<ApiReply | JsonValue>,
): ApiRoute<WriteRequest> {
  return {
    method,
    path,
    ...(retry && { retry }),
    async handle(request) {
      const { auth } = request;
      if (needs === "masterKey") assertMaster(request, method === "GET" ? "read" : "write");
      if (!isSender(needs, auth))
        throw new ProtocolError(ErrorCode.SESSION_MISSING, "A user must be signed in.");
      return handle({ ...request, auth, params: parseInput(input, request.params) });
    },
  };
}

/** Whether a route for users has one; the others let in what comes as far as here. */
function isSender<Needs extends keyof Sender>(
  needs: Needs,
  auth: AuthContext,
): auth is AuthContext & Sender[Needs] {
  return needs !== "user" || auth.kind === "user";
}
