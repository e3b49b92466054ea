import { afterEach, beforeEach, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../../test/recordingServer.ts";
import { Cloud } from "../cloud.ts";
import { Query } from "../query/Query.ts";
import { ParseObject } from "./ParseObject.ts";
import { setSingleInstance } from "./singleInstanceMode.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  setSingleInstance(true);
});
afterEach(async () => {
  await server.stop();
});

const POLLUTION = '{"polluted":true,"toString":"x"}';

/** Answers of a server that would change the prototype of every object. */
const ANSWERS: [string, string][] = [
  ["a field", `{"objectId":"a","className":"Note","__proto__":${POLLUTION}}`],
  ["a nested field", `{"objectId":"a","className":"Note","o":{"p":{"__proto__":${POLLUTION}}}}`],
  ["a constructor", `{"objectId":"a","className":"Note","constructor":{"prototype":${POLLUTION}}}`],
  ["the class and the id", `{"objectId":"polluted","className":"__proto__","polluted":true}`],
  ["the id", `{"objectId":"__proto__","className":"Note","polluted":true}`],
  [
    "a pointer",
    `{"objectId":"a","className":"Note","p":{"__type":"Object","className":"__proto__","objectId":"__proto__","polluted":true}}`,
  ],
  [
    "a dotted key",
    `{"objectId":"a","className":"Note","__proto__.polluted":true,"o.__proto__.polluted":true}`,
  ],
  ["an ACL", `{"objectId":"a","className":"Note","ACL":{"__proto__":{"read":true,"polluted":true}}}`],
];

it.each(ANSWERS)("answers with a prototype in %s change no other object", async (_, text) => {
  server.respondWith(() => ({ text: `{"results":[${text}],"className":"Note"}` }));
  const [found] = await new Query("Note").find();
  found?.toJSON();
  found?.get("o");
  found?.getACL();
  server.respondWith(() => ({ text, status: 201 }));
  await new ParseObject("Note").save({ n: 1 }).catch(() => undefined);
  server.respondWith(() => ({ text: `{"result":${text}}` }));
  await Cloud.run("any");
  ParseObject.fromJSON(JSON.parse(text)).toJSON();
  const plain: Record<string, unknown> = {};
  expect([plain.polluted, String(plain), Object.hasOwn(Object.prototype, "polluted")]).toEqual([
    undefined,
    "[object Object]",
    false,
  ]);
});
