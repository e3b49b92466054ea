import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { Analytics } from "./analytics.ts";
import { Cloud } from "./cloud.ts";
import { Hooks } from "./hooks.ts";
import { ParseFile } from "./object/File.ts";
import { ParseObject } from "./object/ParseObject.ts";
import { Query } from "./query/Query.ts";
import { Schema } from "./schema.ts";
import { remove as removePasskey } from "./user/passkeys.ts";

/** Names and ids that an app may have from a user, which lead elsewhere if they are part of an address. */
const HOSTILE = [
  ".",
  "..",
  "../users",
  "../../users/victim",
  "..\\users",
  "x/../../users",
  "%2e%2e",
  "..%2fusers",
  ".\t./users",
  "x?limit=1",
  "x#y",
  "x;y",
  "//evil.example/",
  "http://evil.example/",
];

/** Calls that send a name or an id, with the beginning of their address. */
const CALLS: Record<string, [begin: string, parts: number, call: (text: string) => Promise<unknown>]> = {
  "the id of an object to delete": [
    "classes/Note/",
    3,
    (text) => ParseObject.fromJSON({ className: "Note", objectId: text }).destroy(),
  ],
  "the id of an object to save": [
    "classes/Note/",
    3,
    (text) => ParseObject.fromJSON({ className: "Note", objectId: text }).save({ n: 1 }),
  ],
  "the class of an object": ["classes/", 2, (text) => new ParseObject(text).save()],
  "the class of a query": ["classes/", 2, (text) => new Query(text).find()],
  "the class of an aggregation": ["aggregate/", 2, (text) => new Query(text).aggregate([])],
  "the class of a schema": ["schemas/", 2, (text) => new Schema(text).delete()],
  "the class to purge": ["purge/", 2, (text) => new Schema(text).purge()],
  "the name of a function": ["functions/", 2, (text) => Cloud.run(text)],
  "the name of a job": ["jobs/", 2, (text) => Cloud.startJob(text)],
  "the name of a webhook": ["hooks/functions/", 3, (text) => Hooks.removeFunction(text)],
  "the class of a webhook": ["hooks/triggers/", 4, (text) => Hooks.removeTrigger(text, "beforeSave")],
  "the name of an event": ["events/", 2, (text) => Analytics.track(text)],
  "the id of a passkey": ["passkeys/", 2, (text) => removePasskey(text)],
};

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect({ masterKey: "master" });
});
afterEach(() => server.stop());

describe.each(Object.entries(CALLS))("%s", (_, [begin, parts, call]) => {
  it.each(HOSTILE)("leads nowhere else if it is %j", async (text) => {
    const error: unknown = await (async () => call(text))().catch((reason: unknown) => reason);
    if (text === "." || text === "..") expect(error).toMatchObject({ code: -1 });
    const paths = server.requests.map((request) => request.call.split(" ", 2)[1] ?? "");
    expect(paths).toHaveLength(text === "." || text === ".." ? 0 : 1);
    for (const path of paths) {
      expect(path.startsWith(begin)).toBe(true);
      expect(path.split(/[/?#]/)).toHaveLength(parts);
      expect(decodeURIComponent(path)).toContain(text.trim());
    }
  });
});

it("the name of a file may have folders, and leads to no other file", async () => {
  await new ParseFile("a/b c.txt").destroy({ useMasterKey: true });
  expect(server.requests.map((request) => request.call)).toEqual(["DELETE files/a/b%20c.txt"]);
  for (const name of ["..", "../classes/_User/victim", "a/../../users/victim", "./a"])
    await expect(new ParseFile(name).destroy({ useMasterKey: true })).rejects.toMatchObject({ code: -1 });
  expect(server.requests).toHaveLength(1);
});
