import type { IncomingMessage } from "node:http";
import type { ChainService, Route } from "@purse/chain";
import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import type { ApiReply } from "./api.ts";
import { readBody } from "./body.ts";
import type { Admission } from "./dataGate.ts";
import { openEnvelope } from "./envelope.ts";
import { errorReply } from "./reply.ts";
import { Router } from "./router.ts";

/** The door of the data service: plain REST, errors as `{message}`; what a caller has used is in the headers. */
export function createDataDoor(
  service: ChainService,
  admit: (message: IncomingMessage) => Promise<Admission>,
  maxBodyBytes: number,
  report: (error: unknown) => void,
) {
  const router = new Router<Route>(service.routes);

  return async function handle(message: IncomingMessage, path: string, search: string): Promise<ApiReply> {
    let headers: Record<string, string> = {};
    try {
      const admission = await admit(message);
      headers = admission.headers;
      if (admission.refusal) throw admission.refusal;
      const { method, params } = openEnvelope(
        message.method ?? "GET",
        message.headers,
        search,
        await readBody(message, maxBodyBytes),
      );
      const match = router.match(method, path);
      if (match.kind !== "found")
        throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, `No endpoint ${method} ${path}`, 404);
      const all: JsonObject = { ...params, ...match.names };
      return { status: 200, body: JSON.stringify(await match.route.run(all)), headers };
    } catch (error) {
      const reply = errorReply(error, report);
      const { error: text } = JSON.parse(reply.body);
      return {
        status: reply.status,
        body: JSON.stringify({ message: text }),
        headers: { ...headers, ...reply.headers },
      };
    }
  };
}
