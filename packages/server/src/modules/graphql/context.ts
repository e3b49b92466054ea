import { isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import type { GraphQLResolveInfo } from "graphql";
import type { AuthContext, RequestContext } from "../../core/authContext.ts";
import type { Method } from "../../core/http/apiRoute.ts";

/** A file of a multipart request. */
export class UploadedFile {
  readonly name: string;
  /** Its content type, or empty. */
  readonly type: string;
  /** Private, so that a file is not taken for an object with millions of values. */
  readonly #content: Buffer;

  constructor(name: string, type: string, content: Buffer) {
    this.name = name;
    this.type = type;
    this.#content = content;
  }

  get content(): Buffer {
    return this.#content;
  }

  get size(): number {
    return this.#content.length;
  }
}

/** An event of a live query. */
export interface LiveEvent {
  event: "create" | "enter" | "update" | "leave" | "delete";
  object: JsonObject;
  original?: JsonObject;
}

/** What resolvers call: the operations of the server with the permissions of the request. */
export interface Operations {
  /** Executes an operation of the Parse API; limits count it like a request of a batch. Rejects with ProtocolError. */
  execute(request: RequestContext, method: Method, path: string, params: JsonObject): Promise<JsonValue>;
  /** Returns the auth context of a session. Throws 209. */
  authenticateSession(sessionToken: string): Promise<AuthContext>;
  /** Sets the password of the user to whom a reset token was sent by email. Throws 1. */
  setPassword(request: RequestContext, username: string, token: string, password: string): Promise<void>;
  /** Stores a file with the permissions of the request. */
  saveFile(request: RequestContext, file: UploadedFile): Promise<{ name: string; url: string }>;
  /** Maximum number of objects of one query; undefined for any. */
  maxLimit: number | undefined;
}

/** Limits what the lists of one execution cost. */
export interface ListLimit {
  /** Counts the elements of a list before they are resolved. Throws GraphQLError if they cost too much. */
  charge(length: number, info: GraphQLResolveInfo): void;
}

/** What resolvers know about the operation that they belong to. */
export interface GraphqlContext {
  requestContext: RequestContext;
  operations: Operations;
  /** What the lists of this execution may cost; undefined for any. */
  lists?: ListLimit | undefined;
  /** Subscribes to a live query; undefined if the operation did not come over a WebSocket. */
  subscribe?: (className: string, where: JsonObject) => Promise<AsyncGenerator<LiveEvent>>;
}

/** Executes an operation of the Parse API with the permissions of the request. Returns the members of its response. */
export async function execute(
  { operations, requestContext }: GraphqlContext,
  method: Method,
  path: string,
  params: JsonObject,
): Promise<JsonObject> {
  const reply = await operations.execute(requestContext, method, path, params);
  return isJsonObject(reply) ? reply : {};
}
