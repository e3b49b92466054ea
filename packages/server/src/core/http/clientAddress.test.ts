import { readdirSync, readFileSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClientAddress } from "./clientAddress.ts";

function message(peer: string | undefined, headers: IncomingMessage["headers"]): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: peer });
  const request = new IncomingMessage(socket);
  request.headers = headers;
  return request;
}

const addressOf = (
  trustedProxies: string[],
  peer: string | undefined,
  forwardedFor?: string,
  others: IncomingMessage["headers"] = {},
) =>
  createClientAddress({ trustedProxies })(
    message(peer, { ...others, ...(forwardedFor !== undefined && { "x-forwarded-for": forwardedFor }) }),
  );

describe("the client's address", () => {
  it.each<[string, string[], string | undefined, string | undefined, string]>([
    ["is the peer's without proxies", [], "203.0.113.7", undefined, "203.0.113.7"],
    ["is the peer's, mapped IPv4 written as IPv4", [], "::ffff:203.0.113.7", undefined, "203.0.113.7"],
    ["is unknown if the socket has none", [], undefined, undefined, "unknown"],
    ["ignores the header of a peer if no proxy is trusted", [], "203.0.113.7", "127.0.0.1", "203.0.113.7"],
    ["ignores the header of an untrusted peer", ["10.0.0.1"], "203.0.113.7", "127.0.0.1", "203.0.113.7"],
    ["is that of a trusted proxy's header", ["10.0.0.1"], "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    [
      "is that of a trusted proxy's header with mapped IPv4",
      ["10.0.0.1"],
      "::ffff:10.0.0.1",
      "::ffff:198.51.100.1",
      "198.51.100.1",
    ],
    ["is the proxy's own without a header", ["10.0.0.1"], "10.0.0.1", undefined, "10.0.0.1"],
    ["is the proxy's own for an empty header", ["10.0.0.1"], "10.0.0.1", " , ,", "10.0.0.1"],
    [
      "is the last untrusted hop, regardless of the hops before it",
      ["10.0.0.1"],
      "10.0.0.1",
      "127.0.0.1, 10.0.0.1, 198.51.100.1",
      "198.51.100.1",
    ],
    [
      "looks through a chain of trusted proxies",
      ["10.0.0.0/8"],
      "10.0.0.1",
      "6.6.6.6, 198.51.100.1, 10.9.9.9, 10.0.0.2",
      "198.51.100.1",
    ],
    ["looks through proxies named loopback", ["loopback"], "::1", "198.51.100.1, 127.0.0.9", "198.51.100.1"],
    [
      "is the first of the chain if all hops are trusted",
      ["10.0.0.0/8"],
      "10.0.0.1",
      "10.0.0.3, 10.0.0.2",
      "10.0.0.3",
    ],
    [
      "stops at an untrusted proxy inside the chain",
      ["10.0.0.1"],
      "10.0.0.1",
      "198.51.100.1, 10.0.0.2",
      "10.0.0.2",
    ],
    ["drops the port of IPv4", ["10.0.0.1"], "10.0.0.1", "198.51.100.1:4711", "198.51.100.1"],
    ["drops brackets and the port of IPv6", ["10.0.0.1"], "10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"],
    ["drops brackets of IPv6", ["10.0.0.1"], "10.0.0.1", "[2001:db8::1]", "2001:db8::1"],
    ["reads plain IPv6", ["10.0.0.1"], "10.0.0.1", "2001:DB8:0::1", "2001:db8::1"],
    ["is unknown if a proxy hides it", ["10.0.0.1"], "10.0.0.1", "unknown", "unknown"],
    ["is unknown for a name", ["10.0.0.1"], "10.0.0.1", "localhost", "unknown"],
    ["is unknown for octal IPv4", ["10.0.0.1"], "10.0.0.1", "0177.0.0.1", "unknown"],
    ["is unknown for a number", ["10.0.0.1"], "10.0.0.1", "2130706433", "unknown"],
    [
      "is unknown for a header entry that is too long",
      ["10.0.0.1"],
      "10.0.0.1",
      "1".repeat(10_000),
      "unknown",
    ],
    [
      "is unknown behind an invalid hop",
      ["10.0.0.0/8"],
      "10.0.0.1",
      "198.51.100.1, nonsense, 10.0.0.2",
      "unknown",
    ],
    [
      "is taken from the header of any peer with *",
      ["*"],
      "203.0.113.7",
      "198.51.100.1, 203.0.113.8",
      "198.51.100.1",
    ],
    [
      "ends after 64 hops",
      ["10.0.0.0/8"],
      "10.0.0.1",
      `198.51.100.1, ${Array(1_000).fill("10.0.0.2").join(", ")}`,
      "10.0.0.2",
    ],
  ])("%s", (_title, trusted, peer, header, expected) => {
    expect(addressOf(trusted, peer, header)).toBe(expected);
  });

  it("is never taken from X-Real-IP, Forwarded, CF-Connecting-IP or True-Client-IP", () => {
    const others = {
      "x-real-ip": "6.6.6.6",
      forwarded: "for=6.6.6.6",
      "cf-connecting-ip": "6.6.6.6",
      "true-client-ip": "6.6.6.6",
      "x-client-ip": "6.6.6.6",
    };
    expect(addressOf(["10.0.0.1"], "10.0.0.1", undefined, others)).toBe("10.0.0.1");
    expect(addressOf(["10.0.0.1"], "10.0.0.1", "198.51.100.1", others)).toBe("198.51.100.1");
  });

  it("reports the first untrusted peer that forwards, and no more", () => {
    const peers: string[] = [];
    const clientAddressOf = createClientAddress({
      trustedProxies: [],
      onUntrustedProxy: (peer) => peers.push(peer),
    });
    clientAddressOf(message("203.0.113.1", {}));
    for (const peer of ["203.0.113.7", "203.0.113.8"]) {
      clientAddressOf(message(peer, { "x-forwarded-for": "1.1.1.1" }));
    }
    expect(peers).toEqual(["203.0.113.7"]);
  });

  it("is decided in one module: no other one reads an address from a socket or a header", () => {
    const source = join(import.meta.dirname, "..");
    const readers = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .filter((file) =>
        /remoteAddress|x-forwarded-for"\]|x-real-ip|cf-connecting-ip/.test(
          readFileSync(join(source, file), "utf8"),
        ),
      );
    expect(readers).toEqual(["http/clientAddress.ts"]);
  });
});
