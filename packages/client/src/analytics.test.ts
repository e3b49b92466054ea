import { afterEach, beforeEach, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { Analytics } from "./analytics.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
});
afterEach(() => server.stop());

it("track() sends the trimmed name of an event and its dimensions to the server", async () => {
  await Analytics.track(" search ", { where: "home" });
  expect(server.requests[0]).toMatchObject({
    call: "POST events/search",
    body: { dimensions: { where: "home" } },
  });
});

it("track() rejects an event without a name, and dimensions that are not strings", () => {
  expect(() => Analytics.track(" ")).toThrow("A name for the custom event must be provided");
  // @ts-expect-error A number is no text.
  expect(() => Analytics.track("a", { n: 1 })).toThrow(
    'track() dimensions expects keys and values of type "string".',
  );
});
