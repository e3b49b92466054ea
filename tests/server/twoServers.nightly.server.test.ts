import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseEnv } from "../support/databases.ts";
import { connectLive } from "../support/liveClient.ts";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

const MASTER = { useMasterKey: true };

// cluster.nightly.server.test.ts and others have more, with processes.
describe("two servers on one PostgreSQL", () => {
  let one: Purse;
  let two: Purse;
  beforeAll(async () => {
    const env = await databaseEnv("PostgreSQL");
    [one, two] = await Promise.all([hostPurse({ env }), hostPurse({ env })]);
  });
  afterAll(() => Promise.all([one?.remove(), two?.remove()]));

  it("agree on the types of new fields, and lose none", async () => {
    await rest(one, "POST", "/classes/Typed", { a: "text" });
    const wrong = () => rest(two, "POST", "/classes/Typed", { a: 5 });
    await expect.poll(async () => (await wrong()).body.code).toBe(111);
    const saves = [one, two].flatMap((purse, i) =>
      Array.from({ length: 5 }, (_, j) => rest(purse, "POST", "/classes/Typed", { [`f${i}x${j}`]: j })),
    );
    expect((await Promise.all(saves)).map(({ status }) => status)).toEqual(Array(10).fill(201));
    const { body } = await rest(one, "GET", "/schemas/Typed", undefined, MASTER);
    expect(Object.keys(Object(body.fields)).filter((name) => /^f\dx\d$/.test(name))).toHaveLength(10);
  });

  it("reject a session that ended on the other one", async () => {
    const { sessionToken } = await signUp(one);
    const me = () => rest(two, "GET", "/users/me", undefined, { sessionToken });
    expect((await me()).status).toBe(200);
    await rest(one, "POST", "/logout", {}, { sessionToken });
    await expect.poll(async () => (await me()).body.code).toBe(209);
  });

  it("give a username to one of several concurrent sign-ups", async () => {
    const tries = Array.from({ length: 8 }, (_, i) =>
      rest(i % 2 ? one : two, "POST", "/users", { username: "wanted", password: "correct horse" }),
    );
    const codes = (await Promise.all(tries)).map(({ body }) => body.code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === 202)).toHaveLength(7);
  });

  it("report each other's changes to live queries, all and in the same order", async () => {
    const clients = [await connectLive(one), await connectLive(two)];
    for (const { subscribe } of clients) await subscribe("Race");
    const { body } = await rest(one, "POST", "/classes/Race", { n: 0 });
    const increment = { n: { __op: "Increment", amount: 1 } };
    const updates = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        rest(i % 2 ? one : two, "PUT", `/classes/Race/${body.objectId}`, increment),
      ),
    );
    expect(updates.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([]);
    for (const { received, socket } of clients) {
      // A server that cannot read its database for a while closes its sockets, so that clients resume.
      await expect
        .poll(() => (socket.readyState === socket.OPEN ? received.length : "the socket was closed"))
        .toBe(21);
      expect(received.map(({ object }) => object?.n)).toEqual(Array.from({ length: 21 }, (_, n) => n));
      socket.terminate();
    }
  });
});
