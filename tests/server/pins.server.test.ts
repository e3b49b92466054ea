import { afterAll, beforeAll, expect, it } from "vitest";
import { hostPurse, type Purse, rest, signUp } from "../support/purse.ts";

let purse: Purse;
const MASTER = { useMasterKey: true };

beforeAll(async () => {
  purse = await hostPurse();
});
afterAll(() => purse?.remove());

it("IPFS pins are listed, added and removed with the master key only", async () => {
  const uploaded = await fetch(`${purse.url}/api/v2/ipfs/uploadFolder`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify([{ path: "hello.json", content: { hello: "world" } }]),
  });
  const [{ path }] = await uploaded.json();
  const cid = String(path.split("/").at(-2));
  const pins = await rest(purse, "GET", "/ipfs/pins", undefined, MASTER);
  expect(pins.body.results).toEqual([{ cid, pinnedAt: expect.stringMatching(/^\d{4}-.*Z$/) }]);

  const user = await signUp(purse);
  for (const by of [undefined, user]) {
    expect((await rest(purse, "GET", "/ipfs/pins", undefined, by)).body.code).toBe(119);
    expect((await rest(purse, "POST", "/ipfs/pins", { cid }, by)).body.code).toBe(119);
    expect((await rest(purse, "DELETE", `/ipfs/pins/${cid}`, undefined, by)).body.code).toBe(119);
  }

  expect((await fetch(`${purse.url}/ipfs/${cid}`)).status).toBe(200);
  expect(await rest(purse, "DELETE", `/ipfs/pins/${cid}`, undefined, MASTER)).toMatchObject({
    status: 200,
    body: {},
  });
  expect((await fetch(`${purse.url}/ipfs/${cid}`)).status).toBe(404);
  expect((await rest(purse, "DELETE", `/ipfs/pins/${cid}`, undefined, MASTER)).status).toBe(404);
  expect((await rest(purse, "POST", "/ipfs/pins", { cid }, MASTER)).status).toBe(404);
  for (const wrong of [{}, { cid: 1 }, { cid: "hello" }]) {
    expect((await rest(purse, "POST", "/ipfs/pins", wrong, MASTER)).body.code).toBe(107);
  }
});
