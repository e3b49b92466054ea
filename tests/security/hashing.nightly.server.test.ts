import { randomUUID } from "node:crypto";
import type { JsonObject } from "@purse/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DATABASES, databaseEnv } from "../support/databases.ts";
import { type Purse, rest, signUp, startPurse } from "../support/purse.ts";

const ATTACKER = "198.51.100.66";

describe.each(DATABASES)("many logins from one address, on %s", (database) => {
  let purse: Purse;
  let user: Awaited<ReturnType<typeof signUp>>;
  let fileUrl: string;
  beforeAll(async () => {
    // Hosted servers hash with less memory.
    purse = await startPurse({
      env: {
        ...(await databaseEnv(database)),
        PURSE_TRUSTED_PROXIES: "loopback",
        // One after the other, so that the others come long before the last of the attacker.
        PURSE_HASH_CONCURRENCY: "1",
        // An address may have a quarter of it.
        PURSE_HASH_QUEUE: "16",
      },
    });
    user = await signUp(purse);
    const file = await rest(purse, "POST", "/files/small.txt", "hello", { useMasterKey: true });
    fileUrl = String(file.body.url);
  });
  afterAll(() => purse?.remove());

  async function send(path: string, address: string, body: JsonObject) {
    const response = await fetch(`${purse.serverUrl}${path}`, {
      method: "POST",
      headers: {
        "X-Parse-Application-Id": purse.appId,
        "Content-Type": "application/json",
        "X-Forwarded-For": address,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }
  const wrongLogIn = () => ({ username: `nobody-${randomUUID()}`, password: "wrong" });
  const batchOf = (count: number) => ({
    requests: Array.from({ length: count }, () => ({
      method: "POST",
      path: "/server/login",
      body: wrongLogIn(),
    })),
  });
  const logIn = (address: string) =>
    send("/login", address, { username: user.username, password: "correct horse" });

  it("that are rejected create no user and leave no partial data", async () => {
    const names = Array.from({ length: 12 }, () => `flood-${randomUUID()}`);
    const answers = await Promise.all(
      names.map((username) => send("/users", ATTACKER, { username, password: "correct horse" })),
    );
    const refused = names.filter((_, i) => answers[i]?.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const username of refused.slice(0, 2)) {
      const again = await send("/users", "198.51.100.2", { username, password: "correct horse" });
      expect(again.status).toBe(201);
    }
  });

  it("in a batch do not delay logins from other addresses and file downloads", async () => {
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const attack = send("/batch", ATTACKER, batchOf(8)).finally(note("batch"));
    const others = [
      logIn("198.51.100.1").finally(note("log-in")),
      fetch(fileUrl)
        .then((response) => response.text())
        .finally(note("file")),
      rest(purse, "GET", "/classes/Anything").finally(note("query")),
    ];
    const [entered, content] = await Promise.all(others);
    expect([Object(entered).status, content]).toEqual([200, "hello"]);
    await attack;
    expect(order.at(-1)).toBe("batch");
    expect(order.toSorted()).toEqual(["batch", "file", "log-in", "query"]);
  });

  it("above the share of the address are rejected with 155 and Retry-After, while others are accepted", async () => {
    const flood = Promise.all(Array.from({ length: 12 }, () => send("/login", ATTACKER, wrongLogIn())));
    expect((await logIn("198.51.100.1")).status).toBe(200);
    const answers = await flood;
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 404).length + refused.length).toBe(12);
    for (const { body, headers } of refused) {
      expect(body).toEqual({ code: 155, error: "Too many sign-ins at once. Try again in a few seconds." });
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });
});
