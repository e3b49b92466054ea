import { afterEach, beforeEach, expect, it } from "vitest";
import { Analytics } from "./analytics.ts";
import { type RecordingServer, startRecordingServer } from "./testing/recordingServer.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
});
afterEach(() => server.stop());

it("tells the server of an event and its dimensions", async () => {
  await Analytics.track(" search ", { where: "home" });
  expect(server.requests[0]).toMatchObject({
    call: "POST events/search",
    body: { dimensions: { where: "home" } },
  });
});

it("refuses an event without a name, and dimensions that are no texts", () => {
  expect(() => Analytics.track(" ")).toThrow("A name for the custom event must be provided");
  // @ts-expect-error A number is no text.
  expect(() => Analytics.track("a", { n: 1 })).toThrow(
    'track() dimensions expects keys and values of type "string".',
  );
});
