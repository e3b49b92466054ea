import { describe, expect, it } from "vitest";
import { parseServerWebhookError, webhookError } from "./webhookError.ts";

const sent = (error: unknown) => JSON.parse(JSON.stringify(error));

describe("webhookError()", () => {
  it.each([
    ["a text", { error: "late" }, { code: 141, error: "late" }],
    ["a text with a code", { code: 7, error: "late" }, { code: 7, error: "late" }],
    ["an object", { error: { code: 101, error: "gone" } }, { code: 101, error: "gone" }],
    ["an object with a message", { error: { message: "gone" } }, { code: 141, error: "gone" }],
    ["a number", { error: 5 }, { code: 141, error: "Script failed." }],
  ])("tells %s with its code", (_name, response, expected) => {
    expect(sent(webhookError(response))).toEqual(expected);
  });
});

describe("parseServerWebhookError()", () => {
  it.each([
    ["a text", { code: 7, error: "late" }, { code: 141, error: "late" }],
    ["an object", { error: { code: 1337, error: "x" } }, { code: 141, error: { code: 1337, error: "x" } }],
    ["an object with a message", { error: { code: 1, message: "gone" } }, { code: 141, error: "gone" }],
  ])("tells %s under 141", (_name, response, expected) => {
    expect(sent(parseServerWebhookError(response))).toEqual(expected);
  });
});
