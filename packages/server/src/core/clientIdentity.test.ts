import { expect, it } from "vitest";
import { ANONYMOUS, type AuthContext, internalRequest, MASTER, type RequestContext } from "./authContext.ts";
import { currentClient, runForClient, runForServer } from "./clientIdentity.ts";

const USER: AuthContext = {
  kind: "user",
  userId: "u1",
  sessionId: "s1",
  sessionToken: "r:1",
  roles: [],
};
const from = (auth: AuthContext, installationId?: string): RequestContext => ({
  ...internalRequest(auth),
  isInternal: false,
  ip: "192.0.2.1",
  installationId,
});

it.each([
  ["the user on all devices", from(USER), ["user:u1"]],
  ["the user and the installation", from(USER, "i1"), ["user:u1", "installation:i1"]],
  ["the installation", from(ANONYMOUS, "i1"), ["installation:i1"]],
  ["a storable ID of the installation", from(ANONYMOUS, "i\0\ud800"), ["installation:i\u{fffd}\u{fffd}"]],
  ["the address if there is neither", from(MASTER), ["address:192.0.2.1"]],
  ["nobody for work of the server itself", internalRequest(MASTER), undefined],
])("runForClient() identifies a client by %s", (_, request, expected) => {
  expect(runForClient(request, currentClient)).toEqual(expected);
  expect(currentClient()).toBeUndefined();
});

it("runForClient() keeps the client for what the server does for it", () => {
  const keys = runForClient(from(USER), () => runForClient(internalRequest(MASTER), currentClient));
  expect(keys).toEqual(["user:u1"]);
});

it("runForServer() runs work for nobody, even if a client has started it", async () => {
  const work = async () => {
    await Promise.resolve();
    return currentClient();
  };
  expect(await runForClient(from(USER), () => runForServer(work))).toBeUndefined();
  expect(await runForClient(from(USER), work)).toEqual(["user:u1"]);
});
