import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { exportSPKI, generateKeyPair, importJWK } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type OidcIssuer, startOidcIssuer } from "../support/oidcIssuer.ts";
import { type Purse, rest, startPurse } from "../support/purse.ts";

const CLIENT = "our-client";
const OTHER_CLIENT = "our-other-client";
const MB = 1024 * 1024;

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const seconds = (offset = 0) => Math.floor(Date.now() / 1000) + offset;

let purse: Purse;
let issuer: OidcIssuer;
/** Misbehaving issuers by the name of their provider. */
const hostile: Record<string, OidcIssuer> = {};
const HOSTILE = [
  "hangs",
  "hangsWithKeys",
  "floods",
  "floodsWithKeys",
  "redirects",
  "redirectsKeys",
  "lies",
  "rotates",
  "noKeys",
  "secretKeys",
  "inside",
  "insideLinkLocal",
  "insideLoopback",
  "insidePrivate",
  "insideFile",
] as const;
/** A server in the internal network that must not be reachable through Purse. */
let internalServer: Server;
let internalRequestCount = 0;
let internalUrl = "";
/** A file with the offset of the server's clock in ms. */
let clockFile = "";

beforeAll(async () => {
  internalServer = createServer((_request, response) => {
    internalRequestCount += 1;
    response.end(JSON.stringify({ keys: [issuer.publicJwk()] }));
  });
  await new Promise<void>((resolve) => internalServer.listen(0, "127.0.0.1", resolve));
  internalUrl = `http://localhost:${(internalServer.address() as AddressInfo).port}/keys`;
  issuer = await startOidcIssuer(CLIENT);
  for (const name of HOSTILE) hostile[name] = await startOidcIssuer(CLIENT);
  const providers = Object.entries({ company: issuer, ...hostile }).map(([name, each]) => [
    name,
    { type: "oidc", issuer: each.issuer, clientId: [CLIENT, OTHER_CLIENT] },
  ]);
  const folder = mkdtempSync(join(tmpdir(), "purse-oidc-"));
  const file = join(folder, "purse.config.ts");
  writeFileSync(file, `export default ${JSON.stringify({ auth: Object.fromEntries(providers) })};`);
  clockFile = join(folder, "shift");
  writeFileSync(clockFile, "0");
  const clock = pathToFileURL(resolve(import.meta.dirname, "../support/shiftedClock.mjs")).href;
  purse = await startPurse({
    env: { PURSE_CONFIG: file, PURSE_TEST_CLOCK_FILE: clockFile, NODE_OPTIONS: `--import ${clock}` },
  });
});
afterAll(async () => {
  await purse?.remove();
  await Promise.all([issuer, ...Object.values(hostile)].map((each) => each?.stop()));
  internalServer?.close();
});
afterEach(async () => expect((await fetch(`${purse.url}/health`)).status).toBe(200));

function hostileIssuer(name: (typeof HOSTILE)[number]): OidcIssuer {
  const found = hostile[name];
  if (!found) throw new Error(`there is no issuer ${name}`);
  return found;
}

let userCount = 0;
const newSubject = () => `subject-${++userCount}`;

async function signIn(id: string, idToken: string, provider = "company", more: object = {}) {
  const authData = { [provider]: { id, id_token: idToken, ...more } };
  return rest(purse, "POST", "/users", { authData });
}

describe("an ID token", () => {
  it("of the issuer for one of our clients signs in", async () => {
    const id = newSubject();
    expect((await signIn(id, await issuer.token(id))).status).toBe(201);
    expect((await signIn(id, await issuer.token(id, { aud: OTHER_CLIENT }))).status).toBe(200);
    expect((await signIn(id, await issuer.token(id, { aud: [CLIENT] }))).status).toBe(200);
    expect((await signIn(id, await issuer.tokenWith(id, { typ: "JWT" }))).status).toBe(200);
    expect((await signIn(id, await issuer.tokenWith(id, { kid: undefined }))).status).toBe(200);
  });

  it.each<[string, (id: string) => Promise<string>]>([
    [
      "no algorithm",
      async (id) => {
        const claims = { iss: issuer.issuer, aud: CLIENT, sub: id, iat: seconds(), exp: seconds(300) };
        return `${base64url({ alg: "none" })}.${base64url(claims)}.`;
      },
    ],
    [
      "no algorithm in capitals",
      async (id) => {
        const claims = { iss: issuer.issuer, aud: CLIENT, sub: id, iat: seconds(), exp: seconds(300) };
        return `${base64url({ alg: "NoNe" })}.${base64url(claims)}.AA`;
      },
    ],
    [
      "the public key as a shared secret",
      async (id) => {
        const key = await importJWK(issuer.publicJwk(), "ES256", { extractable: true });
        if (key instanceof Uint8Array) throw new Error("not a public key");
        const secret = new TextEncoder().encode(await exportSPKI(key));
        return issuer.tokenWith(id, { alg: "HS256" }, {}, secret);
      },
    ],
    [
      "the public key's JSON as a shared secret",
      (id) => issuer.tokenWith(id, { alg: "HS256" }, {}, Buffer.from(JSON.stringify(issuer.publicJwk()))),
    ],
    [
      "a key of its own in the header",
      async (id) => {
        const { privateKey } = await generateKeyPair("ES256", { extractable: true });
        return issuer.tokenWith(id, { jwk: { ...issuer.publicJwk(), kid: "mine" } }, {}, privateKey);
      },
    ],
    ["an unknown critical header", (id) => issuer.tokenWith(id, { crit: ["x"], x: 1 })],
    ["another audience", (id) => issuer.token(id, { aud: "their-client" })],
    ["no audience", (id) => issuer.token(id, { aud: undefined })],
    ["an empty audience", (id) => issuer.token(id, { aud: [] })],
    ["another issuer", (id) => issuer.token(id, { iss: `${issuer.issuer}/` })],
    ["no issuer", (id) => issuer.token(id, { iss: undefined })],
    ["an audience of many and nobody named", (id) => issuer.token(id, { aud: [CLIENT, "their-client"] })],
    [
      "an audience of many and another named",
      (id) => issuer.token(id, { aud: [CLIENT, "their-client"], azp: "their-client" }),
    ],
    ["another client named for our audience", (id) => issuer.token(id, { azp: "their-client" })],
    ["an azp that is no text", (id) => issuer.token(id, { azp: [CLIENT] })],
    ["an end in the past", (id) => issuer.token(id, { exp: seconds(-120) })],
    ["no end", (id) => issuer.token(id, { exp: undefined })],
    ["an end that is a text", (id) => issuer.token(id, { exp: "never" })],
    ["a beginning in the future", (id) => issuer.token(id, { nbf: seconds(600) })],
    ["a birth in the future", (id) => issuer.token(id, { iat: seconds(600) })],
    ["no birth", (id) => issuer.token(id, { iat: undefined })],
    ["another subject", () => issuer.token("somebody-else")],
    ["no subject", (id) => issuer.token(id, { sub: undefined })],
    ["the type of an access token", (id) => issuer.tokenWith(id, { typ: "at+jwt" })],
    ["the type of a logout token", (id) => issuer.tokenWith(id, { typ: "logout+jwt" })],
    ["the signature of another key", (id) => issuer.token(id, {}, true)],
    [
      "a changed payload",
      async (id) => {
        const [header, , signature] = (await issuer.token("somebody-else")).split(".");
        const claims = { iss: issuer.issuer, aud: CLIENT, sub: id, iat: seconds(), exp: seconds(300) };
        return `${header}.${base64url(claims)}.${signature}`;
      },
    ],
    ["a key id that nobody has", (id) => issuer.tokenWith(id, { kid: "two" })],
    ["a path as key id", (id) => issuer.tokenWith(id, { kid: "../../../../dev/null" })],
    ["an address as key id", (id) => issuer.tokenWith(id, { kid: internalUrl })],
    ["SQL as key id", (id) => issuer.tokenWith(id, { kid: "x' UNION SELECT 'key" })],
    ["the prototype as key id", (id) => issuer.tokenWith(id, { kid: "__proto__" })],
    ["too many characters", (id) => issuer.token(id, { padding: "x".repeat(20_000) })],
  ])("is rejected with %s", async (_name, tokenOf) => {
    const id = newSubject();
    const { status, body } = await signIn(id, await tokenOf(id));
    expect([status, body.code]).toEqual([404, 101]);
    expect(body.error).toMatch(/^The sign-in was refused: /);
    // It has created no user.
    expect((await signIn(id, await issuer.token(id))).status).toBe(201);
  });

  it("with key URLs in its header is verified with the issuer's keys only, and the URLs are not requested", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    for (const header of [{ jku: internalUrl }, { x5u: internalUrl }, { jku: internalUrl, kid: "mine" }]) {
      const id = newSubject();
      expect((await signIn(id, await issuer.tokenWith(id, header, {}, privateKey))).status).toBe(404);
    }
    expect(internalRequestCount).toBe(0);
  });

  it("is accepted with several audiences including our client, if it was issued to our client", async () => {
    const id = newSubject();
    const many = { aud: [CLIENT, "their-client"], azp: CLIENT };
    expect((await signIn(id, await issuer.token(id, many))).status).toBe(201);
    expect((await signIn(id, await issuer.token(id, { azp: CLIENT }))).status).toBe(200);
  });

  it("is accepted only with the nonce of its sign-in", async () => {
    const id = newSubject();
    const token = await issuer.token(id, { nonce: "n-1" });
    expect((await signIn(id, token, "company", { nonce: "n-2" })).status).toBe(404);
    expect((await signIn(id, await issuer.token(id), "company", { nonce: "n-1" })).status).toBe(404);
    expect((await signIn(id, token, "company", { nonce: { $ne: null } })).status).toBe(404);
    expect((await signIn(id, token, "company", { nonce: "n-1" })).status).toBe(201);
  });

  it("with unknown key IDs does not make the server fetch the keys repeatedly", async () => {
    const before = issuer.requestedPaths.length;
    for (let i = 0; i < 20; i++) {
      const id = newSubject();
      await signIn(id, await issuer.tokenWith(id, { kid: `unknown-${i}` }));
    }
    expect(issuer.requestedPaths.length - before).toBeLessThanOrEqual(1);
  });

  it("creates one user in concurrent sign-ins", async () => {
    const id = newSubject();
    const token = await issuer.token(id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn(id, token)));
    const made = new Set(answers.filter(({ status }) => status < 300).map(({ body }) => body.objectId));
    expect(made.size).toBe(1);
  });
});

describe("an OpenID Connect issuer", () => {
  it("that rotates its keys can sign in users with the new key", async () => {
    const rotatingIssuer = hostileIssuer("rotates");
    const id = newSubject();
    expect((await signIn(id, await rotatingIssuer.token(id), "rotates")).status).toBe(201);
    await rotatingIssuer.rotate("two");
    const token = await rotatingIssuer.token(id);
    // Unknown keys are fetched again at most every 30 seconds.
    writeFileSync(clockFile, "31000");
    try {
      await expect
        .poll(async () => (await signIn(id, token, "rotates")).status, { timeout: 45_000, interval: 2_000 })
        .toBe(200);
    } finally {
      writeFileSync(clockFile, "0");
    }
  });

  it("that never responds delays only its own users, up to a timeout", async () => {
    const silent = hostileIssuer("hangs");
    silent.answer("/.well-known/openid-configuration", () => undefined);
    const keyless = hostileIssuer("hangsWithKeys");
    keyless.answer("/keys", () => undefined);
    const waiting = Promise.all(
      [silent, keyless].flatMap((each, i) =>
        Array.from({ length: 10 }, async () => {
          const id = newSubject();
          return signIn(id, await each.token(id), i === 0 ? "hangs" : "hangsWithKeys");
        }),
      ),
    );
    const id = newSubject();
    const order: string[] = [];
    const other = signIn(id, await issuer.token(id)).then(({ status }) => order.push(`other ${status}`));
    const answers = await waiting.then((each) => {
      order.push("waiting");
      return each;
    });
    await other;
    expect(order).toEqual(["other 201", "waiting"]);
    expect(answers.map(({ body }) => body.code)).toEqual(Array(20).fill(101));
    // Ten concurrent sign-ins have sent one request.
    expect(silent.requestedPaths).toHaveLength(1);
  });

  it.each([
    ["floods", "/.well-known/openid-configuration"],
    ["floodsWithKeys", "/keys"],
  ] as const)("that %s is disconnected, and the memory of the server does not grow", async (name, path) => {
    const flooding = hostileIssuer(name);
    let sent = 0;
    flooding.answer(path, (_request, response) => {
      const piece = Buffer.alloc(MB, " ");
      const more = () => {
        while (sent < 200 * MB && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) return void response.once("drain", more);
        }
        response.end();
      };
      more();
    });
    const id = newSubject();
    expect((await signIn(id, await flooding.token(id), name)).body.code).toBe(101);
    expect(sent).toBeLessThan(20 * MB);
  });

  it.each([
    ["redirects", "/.well-known/openid-configuration"],
    ["redirectsKeys", "/keys"],
  ] as const)("that %s to another address is not followed", async (name, path) => {
    const redirectingIssuer = hostileIssuer(name);
    redirectingIssuer.answer(path, (_request, response) =>
      response.writeHead(302, { location: internalUrl }).end(),
    );
    const before = internalRequestCount;
    const id = newSubject();
    expect((await signIn(id, await redirectingIssuer.token(id), name)).body.code).toBe(101);
    expect(internalRequestCount).toBe(before);
  });

  it.each([
    ["", "inside"],
    ["http://169.254.169.254/keys", "insideLinkLocal"],
    ["http://[::1]/keys", "insideLoopback"],
    ["http://10.0.0.1/keys", "insidePrivate"],
    ["file:///etc/passwd", "insideFile"],
  ] as const)(
    "with a key URL in the server's internal network (%s) is not requested",
    async (address, name) => {
      const elsewhere = hostileIssuer(name);
      const body = { issuer: elsewhere.issuer, jwks_uri: address || internalUrl };
      elsewhere.answer("/.well-known/openid-configuration", (_request, response) =>
        response.end(JSON.stringify(body)),
      );
      const before = internalRequestCount;
      const id = newSubject();
      expect((await signIn(id, await elsewhere.token(id), name)).body.code).toBe(101);
      expect(internalRequestCount).toBe(before);
    },
  );

  it("that reports another issuer name is rejected", async () => {
    const invalid = hostileIssuer("lies");
    invalid.answer("/.well-known/openid-configuration", (_request, response) =>
      response.end(JSON.stringify({ issuer: issuer.issuer, jwks_uri: `${invalid.issuer}/keys` })),
    );
    const id = newSubject();
    expect((await signIn(id, await invalid.token(id), "lies")).body.code).toBe(101);
  });

  it("with invalid keys or symmetric keys signs nobody in", async () => {
    const empty = hostileIssuer("noKeys");
    empty.answer("/keys", (_request, response) => response.end('{"keys":"none"}'));
    const id = newSubject();
    expect((await signIn(id, await empty.token(id), "noKeys")).body.code).toBe(101);
    const sharing = hostileIssuer("secretKeys");
    const secret = Buffer.from("a secret that everybody can read in the key set");
    const jwk = { kty: "oct", kid: "one", alg: "HS256", k: secret.toString("base64url") };
    sharing.answer("/keys", (_request, response) => response.end(JSON.stringify({ keys: [jwk] })));
    const token = await sharing.tokenWith(id, { alg: "HS256" }, {}, secret);
    expect((await signIn(id, token, "secretKeys")).body.code).toBe(101);
  });
});
