import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAtDepth } from "./callDepth.ts";
import { httpRequest } from "./httpRequest.ts";

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("httpRequest() of cloud code", () => {
  let server: Server;
  let url: string;
  const received: IncomingHttpHeaders[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      received.push(request.headers);
      response.end("{}");
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it("continues the trace of the call, unless the code names another or there is none", async () => {
    await runAtDepth(1, () => httpRequest({ url }), TRACE);
    await runAtDepth(1, () => httpRequest({ url, headers: { Traceparent: "own" } }), TRACE);
    await httpRequest({ url });
    expect(received.map(({ traceparent }) => traceparent)).toEqual([TRACE, "own", undefined]);
  });
});
