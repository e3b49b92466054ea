import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createServerUrlOf } from "./serverUrl.ts";

/** A request with headers. */
function messageWith(headers: Record<string, string>): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers });
}

/** The URL that a server derives from the headers of a request. */
function urlOf(headers: Record<string, string>, isFromProxy = false, configured?: string): string {
  const serverUrlOf = createServerUrlOf({
    configured,
    fallback: "http://localhost:1337/server",
    mountPath: "/server",
    isFromTrustedProxy: () => isFromProxy,
  });
  return serverUrlOf(messageWith(headers));
}

describe("the URL of the Parse API", () => {
  it.each([
    ["purse.example", "http://purse.example/server"],
    ["127.0.0.1:1337", "http://127.0.0.1:1337/server"],
    ["[::1]:1337", "http://[::1]:1337/server"],
  ])("has the host %s of the request", (host, url) => {
    expect(urlOf({ host })).toBe(url);
  });

  it.each(["evil.example/path", "a b", "user@host", "", "<script>", "host:999999"])(
    "is the fallback for the host %j",
    (host) => {
      expect(urlOf({ host })).toBe("http://localhost:1337/server");
    },
  );

  it("has the first host and protocol that a trusted proxy forwards", () => {
    const headers = {
      host: "internal:1337",
      "x-forwarded-host": "purse.example, internal",
      "x-forwarded-proto": "https, http",
    };
    expect(urlOf(headers, true)).toBe("https://purse.example/server");
    expect(urlOf(headers, false)).toBe("http://internal:1337/server");
  });

  it("is the configured one, whatever the headers say", () => {
    expect(urlOf({ host: "evil.example" }, true, "https://purse.example/server")).toBe(
      "https://purse.example/server",
    );
  });
});
