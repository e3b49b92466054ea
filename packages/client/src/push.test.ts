import { expect, it } from "vitest";
import { startRecordingServer } from "../test/recordingServer.ts";
import { Push } from "./push.ts";
import { Query } from "./query/Query.ts";

it("Push.send() rejects both an expiration time and an interval", {
  tags: ["5.push.expiration-exclusive"],
}, async () => {
  const push = { data: {}, expiration_time: new Date(0), expiration_interval: 60 };
  await expect(Push.send(push)).rejects.toThrow(
    "expiration_time and expiration_interval cannot both be set.",
  );
});

it("Push.send() sends the constraints of a query and ISO times, with the master key", async () => {
  const server = await startRecordingServer();
  server.connect({ masterKey: "m" });
  const where = new Query("_Installation").equalTo("deviceType", "ios");
  await Push.send({ where, push_time: new Date(0), data: { alert: "hi" } });
  expect(server.requests[0]).toMatchObject({
    call: "POST push",
    body: {
      _MasterKey: "m",
      where: { deviceType: "ios" },
      push_time: "1970-01-01T00:00:00.000Z",
      data: { alert: "hi" },
    },
  });
  await server.stop();
});
