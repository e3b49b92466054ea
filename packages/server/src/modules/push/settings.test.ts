import { parseAt } from "@purse/kernel";
import { describe, expect, it } from "vitest";
import { pushSchema } from "./settings.ts";

const PEM = "-----BEGIN PRIVATE KEY-----";
const key = (bytes: number) => Buffer.alloc(bytes, 1).toString("base64url");
const read = (push: unknown) => parseAt("push", pushSchema, push);

describe("push of the config file", () => {
  it("has no services by default", () => {
    expect(read(undefined)).toEqual({});
  });

  it("has the defaults of each service", () => {
    const serviceAccount = { project_id: "p", client_email: "a@b.c", private_key: PEM };
    expect(
      read({
        webPush: { subject: "mailto:a@b.c", publicKey: key(65), privateKey: key(32) },
        fcm: { serviceAccount },
        apns: { keyId: "k", teamId: "t", topic: "app", privateKey: PEM, production: false },
      }),
    ).toMatchObject({
      webPush: { services: [] },
      fcm: {
        projectId: "p",
        tokenUri: "https://oauth2.googleapis.com/token",
        endpoint: "https://fcm.googleapis.com",
      },
      apns: { endpoint: "https://api.sandbox.push.apple.com" },
    });
  });

  it.each([
    [{ webPush: { subject: "a" } }, '"push.webPush.subject" of the config file: it must begin with'],
    [{ apns: { keyId: "k", teamId: "t", topic: "a", privateKey: "-----x" } }, '"push.apns.privateKey"'],
    [{ webpush: {} }, '"webpush" is not known: did you mean webPush?'],
  ])("is rejected with the key and the allowed values: %j", (push, message) => {
    expect(() => read(push)).toThrow(message);
  });
});
