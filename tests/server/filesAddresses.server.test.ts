import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostPurse, type Purse } from "../support/purse.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

/** Sends a request with a given Host header. */
function ask(purse: Purse, method: string, path: string, headers: Record<string, string>, body?: Buffer) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      const requested = request(
        { port: purse.port, host: "127.0.0.1", method, path, headers },
        (response) => {
          let text = "";
          response.on("data", (chunk) => (text += chunk));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
          );
        },
      );
      requested.on("error", reject).end(body);
    },
  );
}

async function upload(purse: Purse, headers: Record<string, string>): Promise<{ name: string; url: string }> {
  const keys = { "X-Parse-Application-Id": purse.appId, "X-Parse-Master-Key": purse.masterKey };
  return JSON.parse((await ask(purse, "POST", "/server/files/a.png", { ...keys, ...headers }, PNG)).body);
}

describe("file URLs behind proxies", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: { PURSE_TRUSTED_PROXIES: "10.0.0.1" } });
  });
  afterAll(() => purse.remove());

  it("use the Host header and ignore forwarded headers of other clients", async () => {
    const { name, url } = await upload(purse, {
      host: "app.example",
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
    });
    expect(url).toBe(`http://app.example/server/files/test-app/${name}`);
  });

  it("use the public URL if the Host header is invalid", async () => {
    const { name, url } = await upload(purse, { host: 'evil"><script>' });
    expect(url).toBe(`http://127.0.0.1:${purse.port}/server/files/test-app/${name}`);
  });

  it("use the forwarded headers of a trusted proxy", async () => {
    const trusting = await hostPurse({ env: { PURSE_TRUSTED_PROXIES: "127.0.0.1" } });
    const { name, url } = await upload(trusting, {
      "X-Forwarded-Host": "app.example",
      "X-Forwarded-Proto": "https",
    });
    expect(url).toBe(`https://app.example/server/files/test-app/${name}`);
    await trusting.remove();
  });
});

describe("a separate origin for files", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: { PURSE_FILES_URL: "https://files.example/server" } });
  });
  afterAll(() => purse.remove());

  it("is used in file URLs, and is the only one that displays files inline", async () => {
    const { name, url } = await upload(purse, { host: "app.example" });
    expect(url).toBe(`https://files.example/server/files/test-app/${name}`);
    const path = `/server/files/test-app/${name}`;
    const home = await ask(purse, "GET", path, { host: "files.example" });
    expect(home.headers["content-disposition"]).toMatch(/^inline/);
    const elsewhere = await ask(purse, "GET", path, { host: "app.example" });
    expect(elsewhere.headers["content-disposition"]).toMatch(/^attachment/);
  });
});
