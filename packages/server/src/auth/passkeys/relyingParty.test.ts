import { describe, expect, it } from "vitest";
import { passkeyDomain, passkeyOrigins } from "../../config/passkeyOrigins.ts";
import { allowsOrigin, createRelyingParty } from "./relyingParty.ts";

const OPTIONS = { publicUrl: "https://api.example.org/server", domains: ["app.example.org"], name: "Shop" };

describe("the relying party of passkeys", () => {
  it("is the host of the server's URL, with the origins of the server and its sites", () => {
    expect(createRelyingParty(OPTIONS)).toEqual({
      id: "api.example.org",
      name: "Shop",
      origins: ["https://api.example.org", "https://app.example.org"],
    });
  });

  it("has the configured ID and origins", () => {
    const origins = ["https://www.example.org"];
    expect(createRelyingParty({ ...OPTIONS, id: "example.org", origins })).toEqual({
      id: "example.org",
      name: "Shop",
      origins,
    });
  });

  it.each(["http://127.0.0.1:1337/server", "http://localhost:1337/server", "http://0.0.0.0:1337/server"])(
    "is localhost for a server at %s, because browsers reject IP addresses",
    (publicUrl) => {
      expect(createRelyingParty({ ...OPTIONS, publicUrl }).id).toBe("localhost");
    },
  );

  it("allows pages of this machine over HTTP on every port, and others over HTTPS only", () => {
    const party = createRelyingParty({ ...OPTIONS, domains: ["app.example.org", "localhost:*"] });
    const isAllowed = (origin: string) => allowsOrigin(party, origin);
    expect(["https://app.example.org", "http://localhost", "http://localhost:5173"].map(isAllowed)).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      [
        "http://app.example.org",
        "https://app.example.org:8443",
        "https://app.example.org.evil.example",
        "http://localhost.evil.example:80",
        "http://localhost:5173.evil.example",
        "null",
        "",
      ].map(isAllowed),
    ).toEqual([false, false, false, false, false, false, false]);
  });
});

describe("passkey settings", () => {
  it("accept domains, and origins of pages and Android apps", () => {
    const android = "android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLck";
    expect(passkeyDomain("Example.org")).toBe("example.org");
    expect(passkeyOrigins(`https://Example.org, http://localhost:*,${android}`)).toEqual([
      "https://example.org",
      "http://localhost:*",
      android,
    ]);
  });

  it.each(["https://example.org", "example.org:8443", "127.0.0.1", "-a.org", ""])(
    "reject the domain %j",
    (value) => {
      expect(() => passkeyDomain(value)).toThrow("it must be a domain");
    },
  );

  it.each([
    "example.org",
    "https://example.org/",
    "https://*.example.org",
    "javascript:x",
    "https://a@b.org",
  ])("reject the origin %j", (value) => {
    expect(() => passkeyOrigins(value)).toThrow("it must be origins");
  });
});
