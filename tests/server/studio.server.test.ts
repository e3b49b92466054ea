import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";
import { purseCommand, purseProgram } from "../support/purseCommand.ts";
import { addOperator, STUDIO_PASSWORD, StudioClient, setUpCode } from "../support/studio.ts";

const MASTER = { useMasterKey: true };

describe.each(DATABASES)("access to the studio on %s", (database) => {
  let purse: Purse;
  let env: Record<string, string>;
  let owner: StudioClient;
  beforeAll(async () => {
    env = await databaseEnv(database);
    purse = await hostPurse({ env });
  });
  afterAll(() => purse?.remove());

  it("is set up once, with the code in the server's log", async () => {
    const stranger = new StudioClient(purse);
    expect((await stranger.request("GET", "/state")).body).toEqual({ state: "setup" });
    const account = { username: "ada", password: STUDIO_PASSWORD };
    for (const code of ["", "wrong", "x".repeat(32), { $ne: null }]) {
      expect((await stranger.request("POST", "/setup", { ...account, code })).status).toBeGreaterThanOrEqual(
        400,
      );
    }
    const code = await setUpCode(purse);
    const both = await Promise.all(
      ["ada", "eve"].map((username) =>
        new StudioClient(purse).request("POST", "/setup", { ...account, username, code }),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect((await stranger.request("POST", "/setup", { ...account, username: "mallory", code })).status).toBe(
      403,
    );
    expect((await stranger.request("GET", "/state")).body).toEqual({ state: "signedOut" });
    owner = new StudioClient(purse);
    const name = both[0]?.status === 201 ? "ada" : "eve";
    expect((await owner.signIn(name, STUDIO_PASSWORD)).status).toBe(201);
  });

  it("uses a new cookie per sign-in that is HttpOnly and SameSite", async () => {
    const bob = await addOperator(owner, "bob", "editor");
    const { headers, body } = await bob.signIn("BOB", STUDIO_PASSWORD);
    expect(headers.get("set-cookie")).toMatch(
      /^purse-studio=[\w-]{43}; Path=\/studio; HttpOnly; SameSite=Strict$/,
    );
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(JSON.stringify(body)).not.toContain(purse.masterKey);
    expect(body).toMatchObject({ state: "signedIn", operator: { username: "bob", role: "editor" } });
  });

  it("prevents session fixation, and ends the planted session", async () => {
    const victim = await addOperator(owner, "carol", "editor");
    const planted = victim.cookie;
    const again = new StudioClient(purse);
    again.cookie = planted;
    await again.signIn("carol", STUDIO_PASSWORD);
    expect(again.cookie).not.toBe(planted);
    expect((await victim.request("GET", "/sessions")).status).toBe(401);
    const invented = new StudioClient(purse);
    invented.cookie = `purse-studio=${"A".repeat(43)}`;
    await invented.signIn("carol", STUDIO_PASSWORD);
    expect(invented.cookie).not.toContain("AAAA");
    const twice = new StudioClient(purse);
    twice.cookie = `${again.cookie}; purse-studio=${"A".repeat(43)}`;
    expect((await twice.request("GET", "/sessions")).status).toBe(401);
  });

  it("stores the theme that an operator chooses, for this operator only", async () => {
    const sam = await addOperator(owner, "sam", "readOnly");
    expect((await sam.request("PUT", "/preferences", { theme: "pink" })).status).toBe(400);
    expect((await sam.request("PUT", "/preferences", { theme: "dark" })).body).toMatchObject({
      theme: "dark",
    });
    const elsewhere = await new StudioClient(purse).signIn("sam", STUDIO_PASSWORD);
    expect(elsewhere.body.operator).toMatchObject({ username: "sam", theme: "dark" });
    expect((await owner.request("GET", "/state")).body.operator).not.toHaveProperty("theme");
    expect((await new StudioClient(purse).request("PUT", "/preferences", { theme: "dark" })).status).toBe(
      401,
    );
  });

  it("rejects changes without the CSRF token, from other origins, and with other content types", async () => {
    const { cookie, csrf } = owner;
    const forged = new StudioClient(purse);
    forged.cookie = cookie;
    const body = { username: "evil", password: STUDIO_PASSWORD, role: "owner" };
    expect((await forged.request("POST", "/operators", body)).status).toBe(403);
    forged.csrf = "wrong";
    expect((await forged.request("POST", "/operators", body)).status).toBe(403);
    forged.csrf = csrf;
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      expect(await forged.request("POST", "/operators", body, headers)).toMatchObject({ status: 403 });
      expect(await forged.request("GET", "/operators", undefined, headers)).toMatchObject({ status: 403 });
    }
    expect((await forged.request("POST", "/operators", body, { "content-type": "text/plain" })).status).toBe(
      415,
    );
    const own = { origin: purse.url, "sec-fetch-site": "same-origin" };
    expect((await forged.request("GET", "/operators", undefined, own)).status).toBe(200);
  });

  it("is separate from credentials of the Parse protocol", async () => {
    const { sessionToken } = await signUp(purse);
    const asUser = { "x-parse-session-token": sessionToken, "x-parse-application-id": purse.appId };
    const asMaster = { "x-parse-master-key": purse.masterKey, "x-parse-application-id": purse.appId };
    const stranger = new StudioClient(purse);
    for (const headers of [asUser, asMaster]) {
      expect((await stranger.request("GET", "/operators", undefined, headers)).status).toBe(401);
    }
    stranger.cookie = `purse-studio=${sessionToken}`;
    expect((await stranger.request("GET", "/operators")).status).toBe(401);
    const token = owner.cookie?.split("=")[1] ?? "";
    expect((await rest(purse, "GET", "/users/me", undefined, { sessionToken: token })).body.code).toBe(209);
  });

  it("is stored in classes that the Parse protocol cannot reach, even with the master key", async () => {
    for (const className of ["_StudioOperator", "_StudioSession", "_StudioAudit"]) {
      for (const [method, path] of [
        ["GET", `/classes/${className}`],
        ["POST", `/classes/${className}`],
        ["GET", `/aggregate/${className}?distinct=username`],
        ["GET", `/schemas/${className}`],
        ["DELETE", `/schemas/${className}`],
      ] as const) {
        const { status, body } = await rest(purse, method, path, method === "GET" ? undefined : {}, MASTER);
        expect([status >= 400, JSON.stringify(body)], `${method} ${path}`).toEqual([
          true,
          expect.not.stringContaining("owner"),
        ]);
      }
      await rest(purse, "DELETE", `/purge/${className}`, undefined, MASTER);
    }
    const { body } = await rest(purse, "GET", "/schemas", undefined, MASTER);
    expect(JSON.stringify(body)).not.toContain("_Studio");
    expect((await owner.request("GET", "/operators")).status).toBe(200);
  });

  it("requires the second factor, accepts each code once, and accepts recovery codes", async () => {
    const dora = await addOperator(owner, "dora", "editor");
    expect((await dora.request("POST", "/second-factor", { password: "wrong" })).status).toBe(403);
    const { body } = await dora.request("POST", "/second-factor", { password: STUDIO_PASSWORD });
    expect(body.url).toMatch(/^otpauth:\/\/totp\//);
    const totp = new TOTP({ secret: String(body.secret) });
    expect((await dora.request("PUT", "/second-factor", { code: "000000" })).status).toBe(400);
    const before = totp.generate();
    const confirmed = await dora.request("PUT", "/second-factor", { code: before });
    expect(confirmed.body.recoveryCodes).toHaveLength(8);
    const [recovery] = Object.values(confirmed.body.recoveryCodes ?? []).map(String);

    const wanted = await new StudioClient(purse).signIn("dora", STUDIO_PASSWORD);
    expect(wanted).toMatchObject({ status: 401, body: { code: 211, secondFactor: true } });
    expect(wanted.headers.get("set-cookie")).toBeNull();
    expect((await new StudioClient(purse).signIn("dora", "wrong wrong wrong", before)).body.code).toBe(101);
    // That of the next 30 seconds is valid, too, and longer than one of the previous ones would be.
    const code = totp.generate({ timestamp: Date.now() + 30_000 });
    const tries = await Promise.all(
      [1, 2, 3].map(() => new StudioClient(purse).signIn("dora", STUDIO_PASSWORD, code)),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect((await new StudioClient(purse).signIn("dora", STUDIO_PASSWORD, recovery)).status).toBe(201);
    expect((await new StudioClient(purse).signIn("dora", STUDIO_PASSWORD, recovery)).status).toBe(400);
  });

  it("lists and revokes sessions, and a new password revokes others and renews the own token", async () => {
    const first = await addOperator(owner, "fay", "editor");
    const second = new StudioClient(purse);
    await second.signIn("fay", STUDIO_PASSWORD);
    const { body } = await first.request("GET", "/sessions");
    expect(body.results).toHaveLength(2);
    const stolen = first.cookie;
    const changed = await first.request("PUT", "/password", {
      password: STUDIO_PASSWORD,
      newPassword: "another horse battery",
    });
    expect(changed.status).toBe(200);
    expect(first.cookie).not.toBe(stolen);
    expect((await first.request("GET", "/sessions")).body.results).toHaveLength(1);
    expect((await second.request("GET", "/sessions")).status).toBe(401);
    expect((await first.request("DELETE", "/session")).status).toBe(200);
    first.cookie = stolen;
    expect((await first.request("GET", "/sessions")).status).toBe(401);
    expect((await new StudioClient(purse).signIn("fay", STUDIO_PASSWORD)).status).toBe(401);
  });

  it("always keeps one owner, even in concurrent changes", async () => {
    const second = await addOperator(owner, "gus", "owner");
    const { body } = await owner.request("GET", "/operators");
    const owners = Object.values(body.results ?? []).filter((each) => Object(each).role === "owner");
    const [a, b] = owners.map((each) => String(Object(each).id));
    await Promise.all([
      owner.request("PUT", `/operators/${b}`, { role: "editor" }),
      second.request("PUT", `/operators/${a}`, { role: "editor" }),
    ]);
    const left = [owner, second];
    const states = await Promise.all(left.map((client) => client.request("GET", "/operators")));
    expect(states.some(({ status }) => status === 200)).toBe(true);
    owner = left[states.findIndex(({ status }) => status === 200)] ?? owner;
    const { body: state } = await owner.request("GET", "/state");
    const own = String(Object(state.operator).id);
    expect((await owner.request("PUT", `/operators/${own}`, { role: "readOnly" })).status).toBe(400);
    expect((await owner.request("PUT", `/operators/${own}`, { isDisabled: true })).status).toBe(400);
    expect((await owner.request("DELETE", `/operators/${own}`)).status).toBe(400);
  });

  it("is recorded in an immutable audit log with values before and after, without secrets", async () => {
    await owner.request("POST", "/data/Game/rows", { fields: {} });
    await rest(purse, "POST", "/classes/Game", { score: 1 }, MASTER);
    const made = await owner.request("POST", "/data/Game/rows", { fields: { score: 1 } });
    await owner.request("PUT", `/data/Game/rows/${made.body.objectId}`, { fields: { score: 2 } });
    const { body, text } = await owner.request("GET", "/audit");
    const [newest] = Object.values(body.results ?? []);
    expect(newest).toMatchObject({
      action: "PUT /data/:className/rows/:objectId",
      target: `Game/${made.body.objectId}`,
      outcome: "done",
      before: '{"score":1}',
      after: '{"score":2}',
      address: expect.stringContaining("127.0.0.1"),
    });
    expect(text).not.toContain(STUDIO_PASSWORD);
    const { body: routes } = await owner.request("GET", "/routes");
    const onAudit = Object.values(routes.results ?? []).filter((each) => Object(each).path.includes("audit"));
    expect(onAudit).toMatchObject([{ method: "GET" }]);
  });

  it("rejects invalid parameters with 400, and logs none of anonymous clients", async () => {
    const before = (await owner.request("GET", "/audit")).body;
    const anonymous = new StudioClient(purse);
    const { status, body } = await anonymous.request("POST", "/session", { username: "nobody" });
    expect({ status, body }).toEqual({ status: 400, body: { code: 102, error: "password is missing" } });
    expect((await owner.request("GET", "/audit")).body).toEqual(before);
    await owner.request("POST", "/pins", { cid: 5 });
    const { body: after } = await owner.request("GET", "/audit");
    expect(Object.values(after.results ?? [])[0]).toMatchObject({
      action: "POST /pins",
      outcome: "refused",
      error: "cid must be a string",
    });
  });

  it("locks a username after ten wrong passwords, also concurrent ones, whether or not it exists", async () => {
    await addOperator(owner, "hal", "editor");
    for (const name of ["hal", "nobody"]) {
      await Promise.all(
        Array.from({ length: 12 }, () => new StudioClient(purse).signIn(name, "not the password")),
      );
      const right = await new StudioClient(purse).signIn(name, STUDIO_PASSWORD);
      expect(right.status, name).toBe(429);
    }
  });

  it("can be granted and reset on the command line", { timeout: 240_000 }, async () => {
    const place = { ...env, PURSE_DATA_DIR: purse.dataDir };
    const added = await purseProgram(["operator", "add", "ivy", "--role", "editor"], place);
    const password = /Password: (\S+)/.exec(added.output)?.[1] ?? "";
    expect(password).toHaveLength(20);
    const run = (...args: string[]) => purseCommand(args, place);
    expect((await run("operator", "list")).output).toMatch(/ivy +editor/);
    expect((await run("operator", "reset", "ivy")).output).toContain("new password");
    expect(await run("operator", "add", "ivy")).toMatchObject({
      code: 1,
      output: expect.stringContaining("with this name already exists"),
    });
    const file = join(purse.dataDir, "moved.jsonl");
    expect((await run("export", "--out", file)).code).toBe(0);
    expect(await readFile(file, "utf8")).not.toMatch(/_Studio|ivy/);
  });
});

describe("the studio behind HTTPS", () => {
  let purse: Purse;
  beforeAll(async () => {
    purse = await hostPurse({ env: { PURSE_SERVER_URL: "https://app.example/server" } });
  });
  afterAll(() => purse?.remove());

  it("uses a secure cookie only, and knows its pages by their public origin", async () => {
    const owner = new StudioClient(purse);
    const { headers, status } = await owner.request(
      "POST",
      "/setup",
      { code: await setUpCode(purse), username: "ada", password: STUDIO_PASSWORD },
      { origin: "https://app.example" },
    );
    expect(status).toBe(201);
    expect(headers.get("set-cookie")).toMatch(
      /^__Secure-purse-studio=[\w-]{43}; Path=\/studio; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await owner.request("GET", "/sessions")).status).toBe(200);
    owner.cookie = owner.cookie?.replace("__Secure-", "");
    expect((await owner.request("GET", "/sessions")).status).toBe(401);
  });
});
