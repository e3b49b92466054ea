import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { freePort } from "./freePort.ts";

describe("freePort()", () => {
  it("returns a port to one test only, even if no process listens on it yet", async () => {
    const ports = await Promise.all(Array.from({ length: 200 }, freePort));
    expect(new Set(ports).size).toBe(200);
  });

  it("returns a port on which a server can listen", async () => {
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((listening, failed) =>
      server.once("error", failed).listen(port, "127.0.0.1", listening),
    );
    server.close();
  });
});
