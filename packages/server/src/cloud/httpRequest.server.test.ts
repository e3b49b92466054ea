import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runAtDepth } from "./callDepth.ts";
import { type CloudHttpOptions, httpRequest } from "./httpRequest.ts";

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const FORM = "application/x-www-form-urlencoded";

interface Received {
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

describe("httpRequest() of cloud code", () => {
  let server: Server;
  let url: string;
  const received: Received[] = [];
  beforeAll(async () => {
    // Responds with the status that the path names.
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(Buffer.from(chunk));
      received.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      const status = Number(request.url?.slice(1, 4)) || 200;
      if (status === 302) response.setHeader("location", "/200");
      response.writeHead(status).end('{"a":1}');
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  });
  beforeEach(() => void received.splice(0));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it("continues the trace of the call, unless the code names another or there is none", async () => {
    await runAtDepth(1, () => httpRequest({ url }), TRACE);
    await runAtDepth(1, () => httpRequest({ url, headers: { Traceparent: "own" } }), TRACE);
    await httpRequest({ url });
    expect(received.map(({ headers }) => headers.traceparent)).toEqual([TRACE, "own", undefined]);
  });

  it("calls success and error, beside the promise", async () => {
    const calls: unknown[] = [];
    const success = ({ status }: { status: number }) => calls.push(["success", status]);
    const error = (failure: unknown) => calls.push(["error", failure]);
    await httpRequest({ url, success, error });
    const failed = expect.objectContaining({ status: 500 });
    await expect(httpRequest({ url: `${url}500`, success, error })).rejects.toEqual(failed);
    expect(calls).toEqual([
      ["success", 200],
      ["error", failed],
    ]);
  });

  it("says why a server cannot be reached", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const address = silent.address();
    const host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const request = { url: `http://${host}/`, timeout: 1 };
    await expect(httpRequest(request)).rejects.toThrow(`${host} did not respond within 1 ms`);
    silent.closeAllConnections();
    await new Promise((done) => silent.close(done));
    await expect(httpRequest({ url: request.url })).rejects.toThrow(
      `${host} cannot be reached: connect ECONNREFUSED`,
    );
  });

  it.each<[CloudHttpOptions["headers"], unknown, string, string | undefined]>([
    [undefined, { a: 1, b: "x y", c: [1, 2] }, "a=1&b=x%20y&c=1&c=2", FORM],
    [{ "content-type": undefined }, { a: 1 }, "a=1", FORM],
    [{ "Content-Type": `${FORM}; charset=utf-8` }, { a: 1 }, "a=1", `${FORM}; charset=utf-8`],
    [
      { "CONTENT-TYPE": "application/json;charset=utf-8" },
      { a: 1 },
      '{"a":1}',
      "application/json;charset=utf-8",
    ],
    [{ "content-type": "application/json" }, '{"b":2}', '{"b":2}', "application/json"],
    [undefined, new Uint8Array([104, 105]), "hi", undefined],
  ])(
    "sends an object as a form unless it has another content type: %j %j",
    async (headers, body, text, type) => {
      await httpRequest({ url, method: "POST", body, ...(headers && { headers }) });
      expect(received).toMatchObject([
        { body: text, headers: type === undefined ? {} : { "content-type": type } },
      ]);
    },
  );

  it("resolves below status 400, and follows redirects only on request", async () => {
    const redirect = await httpRequest({ url: `${url}302` });
    expect([redirect.status, redirect.headers.location]).toEqual([302, "/200"]);
    expect((await httpRequest({ url: `${url}302`, followRedirects: true })).status).toBe(200);
    expect((await httpRequest({ url: `${url}304` })).status).toBe(304);
    for (const status of [400, 404, 500]) {
      await expect(httpRequest({ url: url + status })).rejects.toMatchObject({
        status,
        text: '{"a":1}',
        data: { a: 1 },
      });
    }
  });

  it("adds params to the query string, and credentials of the URL as a header", async () => {
    await httpRequest({ url: `${url}?x=1`, params: { q: "Sean Plott", list: ["a", "b"] } });
    await httpRequest({ url: url.replace("//", "//user:p%40ss@"), params: "q=Sean Plott" });
    expect(received.map((each) => each.url)).toEqual(["/?x=1&q=Sean+Plott&list=a&list=b", "/?q=Sean+Plott"]);
    expect(received[1]?.headers.authorization).toBe(`Basic ${Buffer.from("user:p@ss").toString("base64")}`);
  });
});
