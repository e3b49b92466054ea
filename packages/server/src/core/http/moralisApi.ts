import type { IncomingMessage } from "node:http";
import { ErrorCode, isJsonObject, type JsonObject, ProtocolError, parseJson } from "@purse/protocol";
import type { FastifyInstance } from "fastify";
import type { DataApiAuthResult } from "./dataRequest.ts";
import { errorReply, sendReply } from "./reply.ts";
import { noteError } from "./requestFacts.ts";

/** Checks the API key of a request, and counts the request. */
export type AuthenticateDataApi = (message: IncomingMessage) => Promise<DataApiAuthResult>;

/** Lets an API reject requests without a valid API key before their bodies are read, and say how much of it is used. */
export function guardByApiKey(app: FastifyInstance, authenticate: AuthenticateDataApi): void {
  app.addHook("onRequest", async (request, reply) => {
    const { headers, error } = await authenticate(request.raw);
    reply.headers(headers);
    if (error) throw error;
  });
}

/** Lets an API answer errors as those of Moralis do: with `{message}`. */
export function sendMessageErrors(app: FastifyInstance, report: (error: unknown) => void): void {
  app.setErrorHandler((error, request, reply) => {
    noteError(request.raw, error);
    const { body, ...answer } = errorReply(error, report);
    sendReply(reply, { ...answer, body: JSON.stringify({ message: JSON.parse(body).error }) });
  });
}

/** The object in a body of JSON. Throws 107 with HTTP 400 for anything else. */
export function jsonObjectIn(body: Buffer): JsonObject {
  let value: unknown;
  try {
    value = parseJson(body.toString("utf8"));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
  }
  if (isJsonObject(value)) return value;
  throw new ProtocolError(ErrorCode.INVALID_JSON, "the body must be a JSON object", 400);
}
