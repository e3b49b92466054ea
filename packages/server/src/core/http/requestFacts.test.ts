import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { ProtocolError } from "@purse/protocol";
import { expect, it } from "vitest";
import { ANONYMOUS, MASTER } from "../authContext.ts";
import { noteError, noteSender, requestFactsOf } from "./requestFacts.ts";

const newMessage = () => new IncomingMessage(new Socket());

it("requestFactsOf() has the user of a request and the code of its error", () => {
  const message = newMessage();
  expect(requestFactsOf(message)).toEqual({});
  noteSender(message, { kind: "user", userId: "u1", roles: [], sessionId: "s", sessionToken: "r:secret" });
  noteError(message, new ProtocolError(119, "No."));
  noteError(message, new Error("a bug"));
  expect(requestFactsOf(message)).toEqual({ userId: "u1", code: 119 });
});

it("requestFactsOf() tells the master key from anonymous clients", () => {
  const [withKey, anonymous] = [newMessage(), newMessage()];
  noteSender(withKey, MASTER);
  noteSender(anonymous, ANONYMOUS);
  expect(requestFactsOf(withKey)).toEqual({ isMaster: true });
  expect(requestFactsOf(anonymous)).toEqual({});
});
