import { createSiweMessage, parseSiweMessage } from "viem/siwe";
import { describe, expect, it } from "vitest";
import { formatSiwe, parseSiwe, type SiweMessage } from "./siweMessage.ts";
import { applicationResource, matchesDomain, validateSiwe } from "./validateSignInMessage.ts";

const NOW = Date.parse("2030-01-01T00:00:00.000Z");
const rules = {
  appId: "app",
  domains: ["example.org", "localhost:*"],
  uri: "https://example.org/server",
  chainIds: [1, 1337],
  signatureSeconds: 300,
};
const message: SiweMessage = {
  domain: "example.org",
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  statement: "Sign in with this wallet.",
  uri: rules.uri,
  chainId: 1337,
  nonce: "0123456789abcdef",
  issuedAt: NOW,
  expirationTime: NOW + 300_000,
  resources: [applicationResource("app")],
};
const check = (text: string) => validateSiwe(parseSiwe(text), rules, NOW);
const changed = (change: Partial<SiweMessage>) => formatSiwe({ ...message, ...change });

describe("a sign-in message", () => {
  it("is formatted as by viem", () => {
    const { issuedAt, expirationTime, notBefore: _, ...others } = message;
    const times = { issuedAt: new Date(issuedAt), expirationTime: new Date(expirationTime ?? 0) };
    expect(formatSiwe(message)).toBe(createSiweMessage({ ...others, ...times, version: "1" }));
    expect(parseSiweMessage(formatSiwe(message))).toMatchObject({ ...others, ...times });
  });

  it.each<[string, Partial<SiweMessage>]>([
    ["whole", {}],
    ["without a statement", { statement: undefined }],
    ["without an end", { expirationTime: undefined }],
    ["with a beginning", { notBefore: NOW - 1 }],
    ["of a site on any port", { domain: "localhost:5173" }],
    ["with a scheme", { scheme: "https" }],
    ["with a request id", { requestId: "a-1" }],
    ["with an empty request id", { requestId: "" }],
    ["of a page of its domain", { uri: "https://example.org/sign-in?next=/", resources: [] }],
    ["of a page of another site of the server", { domain: "example.org", uri: "http://localhost:3000/" }],
    ["of a page on the domain's port", { domain: "localhost:5173", uri: "http://localhost:5173" }],
    ["with other resources", { resources: ["https://example.org/tos", applicationResource("app")] }],
  ])("is parsed and valid: %s", (_name, change) => {
    const text = changed(change);
    expect(formatSiwe(parseSiwe(text))).toBe(text);
    expect(check(text)).toBe(NOW + 300_000);
  });

  it("is valid until the earlier of its expiration and its maximum age", () => {
    expect(check(changed({ expirationTime: NOW + 10 }))).toBe(NOW + 10);
    expect(check(changed({ expirationTime: NOW + 10_000_000 }))).toBe(NOW + 300_000);
  });
});

describe("a message in the form of other libraries is accepted:", () => {
  const page = changed({ statement: undefined, uri: "https://example.org", resources: [] });
  it.each<[string, (text: string) => string]>([
    ["no line for the statement", (text) => text.replace("\n\n\n", "\n\n")],
    ["an empty statement", (text) => text.replace("\n\n\n", "\n\n\n\n")],
    ["a list of no resources", (text) => `${text}\nResources:`],
    ["an address in lower case", (text) => text.replace(message.address, message.address.toLowerCase())],
    ["times without milliseconds", (text) => text.replaceAll(".000Z", "Z")],
    ["times with an offset", (text) => text.replace(/At: .*/, "At: 2030-01-01T02:00:00.000+02:00")],
    ["times with nanoseconds", (text) => text.replace(".000Z", ".000123456Z")],
    ["times in lower case", (text) => text.replace("T00:00:00.000Z", "t00:00:00.000z")],
  ])("%s", (_name, change) => {
    expect(change(page)).not.toBe(page);
    expect(check(change(page))).toBe(NOW + 300_000);
  });
});

describe("a sign-in message is rejected:", () => {
  it.each<[string, Partial<SiweMessage>, string]>([
    ["another domain", { domain: "evil.example" }, "another domain"],
    ["a domain below ours", { domain: "a.example.org" }, "another domain"],
    ["a domain that begins like ours", { domain: "example.org.evil.example" }, "another domain"],
    ["our domain as user info", { domain: "example.org@evil.example" }, "not laid out"],
    ["another port", { domain: "example.org:8443" }, "another domain"],
    ["an invalid port", { domain: "localhost:x" }, "another domain"],
    ["another spelling of the domain", { domain: "Example.org" }, "another domain"],
    ["another URI", { uri: "https://evil.example/server" }, "another URI"],
    ["a chain that is not configured", { chainId: 5 }, "chain"],
    ["another application", { resources: ["purse:app:other"] }, "this application"],
    ["a URI of another host", { uri: "https://example.org.evil.example/" }, "another URI"],
    ["a URI with user info", { uri: "https://evil@example.org/" }, "another URI"],
    ["a URI without a host", { uri: "did:key:z6Mk" }, "another URI"],
    ["another scheme", { scheme: "ftp" }, "another scheme"],
    [
      "another application beside a page",
      { uri: "https://example.org", resources: ["purse:app:other"] },
      "this application",
    ],
    ["two applications", { resources: ["purse:app:app", "purse:app:other"] }, "this application"],
    ["expired", { expirationTime: NOW - 1 }, "expired"],
    ["too old", { issuedAt: NOW - 300_001, expirationTime: undefined }, "expired"],
    ["issued in the future", { issuedAt: NOW + 60_000 }, "future"],
    ["not yet valid", { notBefore: NOW + 1 }, "not valid yet"],
    ["a short nonce", { nonce: "1234567" }, "nonce"],
    ["a nonce with other characters", { nonce: "12345678'--" }, "nonce"],
    ["a statement that looks like a field", { statement: "Chain ID: 1" }, "twice"],
    ["a statement with a line end", { statement: "a\nURI: https://evil.example" }, "not laid out"],
    ["a resource with a line end", { resources: ["purse:app:app\nURI: x"] }, "not laid out"],
  ])("%s", (_name, change, reason) => {
    expect(() => check(changed(change))).toThrow(reason);
  });

  it.each<[string, (text: string) => string, string]>([
    ["a wrong letter case", (text) => text.replace("0xf39F", "0xF39f"), "EIP-55"],
    ["another version", (text) => text.replace("Version: 1", "Version: 2"), "version"],
    ["no version", (text) => text.replace("Version: 1\n", ""), 'the line "Version: …" is missing'],
    ["a line before", (text) => `Hello\n${text}`, "not laid out"],
    ["a line after", (text) => `${text}\nmore`, "not laid out"],
    ["a line end after", (text) => `${text}\n`, "not laid out"],
    ["an empty line more", (text) => text.replace("\n\nURI", "\n\n\nURI"), "not laid out"],
    [
      "a field twice",
      (text) => text.replace("Chain ID: 1337", "Chain ID: 1\nChain ID: 1337"),
      "not laid out",
    ],
    [
      "a nonce twice",
      (text) => text.replace("\nIssued", "\nNonce: 0123456789abcdee\nIssued"),
      "not laid out",
    ],
    ["fields in another order", (text) => text.replace(/(URI: .*)\n(Version: 1)/, "$2\n$1"), "not laid out"],
    ["an unknown field", (text) => text.replace("\nResources", "\nOther: 1\nResources"), "not laid out"],
    ["a request id after the resources", (text) => `${text}\nRequest ID: 1`, "not laid out"],
    ["CRLF", (text) => text.replaceAll("\n", "\r\n"), "without a carriage return"],
    ["a carriage return", (text) => text.replace("Version", "\rVersion"), "without a carriage return"],
    ["a line separator", (text) => text.replace("Sign in", "Sign\u2028in"), "characters"],
    ["a paragraph separator", (text) => text.replace("Sign in", "Sign\u2029in"), "characters"],
    ["a next-line mark", (text) => text.replace("Sign in", "Sign\u0085in"), "characters"],
    ["a right-to-left mark", (text) => text.replace("Sign in", "Sign\u202ein"), "characters"],
    ["a letter that looks alike", (text) => text.replace("example", "ex\u0430mple"), "characters"],
    ["a zero byte", (text) => text.replace("Sign in", "Sign\0in"), "characters"],
    ["a tab", (text) => text.replace("Chain ID: ", "Chain ID:\t"), "characters"],
    ["a chain id in hex", (text) => text.replace("1337", "0x539"), "chain id"],
    ["a chain id with a zero before", (text) => text.replace("1337", "01337"), "chain id"],
    ["a time without a zone", (text) => text.replace("00.000Z\nExp", "00.000\nExp"), "time"],
    ["an invalid day", (text) => text.replace("Issued At: 2030-01-01", "Issued At: 2030-02-30"), "time"],
    ["a space after the chain id", (text) => text.replace("1337", "1337 "), "chain id"],
    ["a negative chain id", (text) => text.replace("1337", "-1337"), "chain id"],
    ["a chain id with a point", (text) => text.replace("1337", "1337.0"), "chain id"],
    ["a chain id beyond numbers", (text) => text.replace("1337", "9".repeat(16)), "chain id"],
    ["a space after the nonce", (text) => text.replace("abcdef\n", "abcdef \n"), "nonce"],
    ["a very long nonce", (text) => text.replace("0123456789abcdef", "a".repeat(129)), "nonce"],
    ["a space after the version", (text) => text.replace("Version: 1", "Version: 1 "), "version"],
    ["a day alone as time", (text) => text.replace(/Issued At: \S+/, "Issued At: 2030-01-01"), "time"],
    ["a time in words", (text) => text.replace(/Issued At: .+/, "Issued At: 1 Jan 2030"), "time"],
    ["an hour too much", (text) => text.replace("T00:00:00.000Z\nExp", "T25:00:00.000Z\nExp"), "time"],
    ["a time as a number", (text) => text.replace(/Issued At: \S+/, `Issued At: ${NOW}`), "time"],
    ["a leap second", (text) => text.replace("00:00.000Z\nExp", "00:60.000Z\nExp"), "time"],
    ["a port after the path", (text) => text.replace(/^\S+/, "example.org/:443"), "not laid out"],
    ["punycode that looks alike", (text) => text.replace(/^\S+/, "xn--exmple-cua.org"), "another domain"],
    ["a point after the domain", (text) => text.replace(/^\S+/, "example.org."), "another domain"],
    ["an empty domain", (text) => text.replace(/^\S+/, ""), "not laid out"],
    [
      "a backslash in the domain",
      (text) => text.replace(/^\S+/, "example.org\\@evil.example"),
      "not laid out",
    ],
    ["a statement of spaces around a field", (text) => text.replace("Sign in", " Nonce : x"), "twice"],
    ["two statements", (text) => text.replace("Sign in", "Sign\nin"), "not laid out"],
    ["a resource with a space", (text) => text.replace("purse:app:app", "purse:app:app x"), "not laid out"],
    [
      "an encoded application",
      (text) => text.replace("purse:app:app", "purse:app:%61pp"),
      "this application",
    ],
  ])("%s", (_name, change, reason) => {
    const text = formatSiwe(message);
    expect(change(text)).not.toBe(text);
    expect(() => check(change(text))).toThrow(reason);
  });
});

it("validateSiwe() accepts any chain if none is configured", () => {
  expect(() =>
    validateSiwe(parseSiwe(changed({ chainId: 5 })), { ...rules, chainIds: [] }, NOW),
  ).not.toThrow();
});

it.each([
  ["example.org", "example.org", true],
  ["localhost", "localhost:*", true],
  ["localhost:3000", "localhost:*", true],
  ["localhost:0", "localhost:*", false],
  ["localhost:3000.evil.example", "localhost:*", false],
  ["[::1]:3000", "[::1]:*", true],
])("matchesDomain() of %s and %s is %s", (domain, allowed, expected) => {
  expect(matchesDomain(domain, allowed)).toBe(expected);
});
