import { expect, it, vi } from "vitest";
import { createBridgeFetch } from "./bridgeFetch.ts";

const SERVER = "https://purse.example/server";
const answer = async () => ({ status: 200, body: '{"results":[]}' });

it("sends requests of the SDK without what they say about their sender", async () => {
  const send = vi.fn(answer);
  const bridge = createBridgeFetch(SERVER, send);
  const body = JSON.stringify({ where: { a: 1 }, _method: "GET", _ApplicationId: "x", _MasterKey: "guess" });
  const response = await bridge(`${SERVER}/classes/Note`, { method: "POST", body });
  expect(await response.json()).toEqual({ results: [] });
  expect(send.mock.calls).toEqual([[{ method: "GET", path: "/classes/Note", body: { where: { a: 1 } } }]]);
});

it.each([
  ["a request to another server", "https://evil.example/server/classes/Note", "{}"],
  ["a request beside the Parse API", "https://purse.example/studio/api/operators", "{}"],
  ["a request to a host with the same beginning", "https://purse.example/server.evil/classes/Note", "{}"],
  ["a session token", `${SERVER}/classes/Note`, '{"_SessionToken":"r:1"}'],
  ["a body that is no object", `${SERVER}/classes/Note`, "[]"],
  ["a body that is no text", `${SERVER}/files/a.bin`, new Blob(["a"])],
])("refuses %s", async (_, url, body) => {
  const send = vi.fn(answer);
  const response = await createBridgeFetch(SERVER, send)(url, { method: "POST", body });
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: 119 });
  expect(send).not.toHaveBeenCalled();
});
