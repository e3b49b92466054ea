import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGatewayClient } from "./gatewayClient.ts";

let server: Server;
let origin: string;
const requests: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url === "/moved") response.writeHead(302, { location: `${origin}/inside` });
    response.end(request.url === "/flood" ? "x".repeat(1_000_000) : '{"data":"0x"}');
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  origin = address && typeof address === "object" ? `http://127.0.0.1:${address.port}` : "";
});
afterAll(() => server?.close());

describe("gateways of names", () => {
  it("are disabled unless one is allowed", () => {
    expect(createGatewayClient([])).toBeUndefined();
  });

  it("are requested by GET and POST if they are listed", async () => {
    const request = createGatewayClient([origin]);
    expect(await request?.(`${origin}/a`, undefined)).toEqual({ status: 200, body: '{"data":"0x"}' });
    expect(await request?.(`${origin}/b`, "{}")).toEqual({ status: 200, body: '{"data":"0x"}' });
    expect(requests).toEqual(["GET /a", "POST /b"]);
  });

  it("with private addresses are requested only if they are listed", async () => {
    const before = requests.length;
    for (const url of [
      `${origin}/`,
      "http://localhost/",
      "http://[::1]/",
      "http://169.254.169.254/",
      "file:///etc/passwd",
    ])
      await expect(createGatewayClient(["*"])?.(url, undefined)).rejects.toThrow();
    await expect(createGatewayClient(["https://gateway.example"])?.(`${origin}/`, undefined)).rejects.toThrow(
      "not allowed",
    );
    expect(requests.length).toBe(before);
  });

  it("that redirect are not followed, and large responses are aborted", async () => {
    const request = createGatewayClient([origin]);
    expect(await request?.(`${origin}/moved`, undefined)).toMatchObject({ status: 302 });
    expect(requests).not.toContain("GET /inside");
    await expect(request?.(`${origin}/flood`, undefined)).rejects.toThrow("larger");
  });
});
