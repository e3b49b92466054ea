import { zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import {
  applicationResource,
  MAX_CLOCK_SKEW_MS,
  matchesDomain,
  type SiweRules,
  validateSiwe,
} from "./validateSignInMessage.ts";

const NOW = Date.parse("2026-11-27T00:00:00Z");
const RULES: SiweRules = {
  appId: "my app",
  domains: ["purse.example", "localhost:*"],
  uri: "https://purse.example/server",
  chainIds: [1, 137],
  signatureSeconds: 300,
};
const MESSAGE = {
  domain: "purse.example",
  address: zeroAddress,
  uri: RULES.uri,
  chainId: 1,
  nonce: "12345678",
  issuedAt: NOW,
  resources: [applicationResource("my app")],
};
const validate = (change: Partial<Parameters<typeof validateSiwe>[0]>, now = NOW) =>
  validateSiwe({ ...MESSAGE, ...change }, RULES, now);

describe("a signed message", () => {
  it("is valid as long as the rules allow, or as it says itself if that is shorter", () => {
    expect(validate({})).toBe(NOW + 300_000);
    expect(validate({ expirationTime: NOW + 10_000 })).toBe(NOW + 10_000);
    expect(validate({ expirationTime: NOW + 900_000 })).toBe(NOW + 300_000);
  });

  it("may come from a client whose clock is a little ahead", () => {
    expect(() => validate({ issuedAt: NOW + MAX_CLOCK_SKEW_MS })).not.toThrow();
  });

  it.each([
    ["another chain", { chainId: 5 }, /chain that is not configured/],
    ["another domain", { domain: "evil.example" }, /another domain/],
    ["a subdomain", { domain: "x.purse.example" }, /another domain/],
    ["the URI of a subdomain", { uri: "https://x.purse.example/server" }, /another URI/],
    ["another application", { resources: [applicationResource("other")] }, /not signed for this application/],
    [
      "two applications",
      { resources: [applicationResource("my app"), applicationResource("other")] },
      /not signed for this application/,
    ],
    ["a page of another site", { uri: "https://evil.example/" }, /another URI/],
    ["a time in the future", { issuedAt: NOW + MAX_CLOCK_SKEW_MS + 1 }, /in the future/],
    ["a beginning in the future", { notBefore: NOW + 1 }, /not valid yet/],
    ["an end in the past", { expirationTime: NOW - 1 }, /has expired/],
    ["an old time", { issuedAt: NOW - 300_001 }, /has expired/],
  ])("for %s is refused with 101", (_, change, message) => {
    expect(() => validate(change)).toThrow(
      expect.objectContaining({ code: 101, message: expect.stringMatching(message) }),
    );
  });
});

it.each([
  ["localhost", "localhost:*", true],
  ["localhost:3000", "localhost:*", true],
  ["localhost:0", "localhost:*", false],
  ["localhost:3000.evil.example", "localhost:*", false],
  ["localhost.evil.example", "localhost:*", false],
  ["purse.example:8443", "purse.example", false],
  ["PURSE.example", "purse.example", false],
])("whether the domain %s is allowed by %s is %s", (domain, allowed, expected) => {
  expect(matchesDomain(domain, allowed)).toBe(expected);
});
