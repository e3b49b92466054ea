import { sendRequest } from "@purse/outbound";
import { expect, it } from "vitest";
import { webhookFailure } from "./webhookFailure.ts";

it.each(["http://127.0.0.1:9999/", "http://localhost:9999/", "http://[::1]:9999/", "http://10.0.0.1/"])(
  "webhookFailure() names the setting that allows webhooks at %s",
  async (url) => {
    const options = { headers: {}, body: "{}", deadlineMs: 1_000, maxBytes: 100, allowPrivate: false };
    const failure = await sendRequest({ url, ...options }).catch(webhookFailure);
    expect(failure).toBe(
      "requests to private addresses are not allowed: PURSE_ALLOW_PRIVATE_HOOKS=1 allows them for webhooks",
    );
  },
);

it("webhookFailure() is the message of other errors", async () => {
  expect(webhookFailure(new Error("the server responded with 500"))).toBe("the server responded with 500");
  expect(webhookFailure("away")).toBe("away");
});

it("webhookFailure() is the messages of all addresses of a host", () => {
  const errors = [new Error("connect ECONNREFUSED ::1:9"), new Error("connect ECONNREFUSED 127.0.0.1:9")];
  expect(webhookFailure(new AggregateError(errors))).toBe(
    "connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9",
  );
});
