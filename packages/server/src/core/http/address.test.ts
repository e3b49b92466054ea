import { describe, expect, it } from "vitest";
import { addressKey, createAddressMatcher, isLoopback, isLoopbackHost, normalizeAddress } from "./address.ts";

describe("IP addresses", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.8.0.1", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["10.0.0.1", false],
    ["127.evil.example", false],
    ["", false],
  ])("%s is a loopback address: %s", (ip, is) => expect(isLoopback(ip)).toBe(is));

  it.each([
    ["localhost", true],
    ["localhost:1337", true],
    ["localhost:*", true],
    ["127.0.0.1:1337", true],
    ["[::1]", true],
    ["[::1]:*", true],
    ["localhost.example", false],
    ["127.0.0.1.example:1337", false],
    ["[::2]:1", false],
    ["10.0.0.1", false],
    ["", false],
  ])("are recognized as this machine in the host %s: %s", (host, is) =>
    expect(isLoopbackHost(host)).toBe(is),
  );

  it("match a list in IPv4-mapped notation, too", () => {
    expect(createAddressMatcher(["10.0.0.1"])("::ffff:10.0.0.1")).toBe(true);
    expect(createAddressMatcher(["10.0.0.1"])("10.0.0.2")).toBe(false);
    expect(createAddressMatcher(["*"])("10.0.0.2")).toBe(true);
  });

  it.each<[string, string, boolean]>([
    ["10.0.0.0/8", "10.255.0.1", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
    ["10.0.0.0/8", "::a01:203", false],
    ["::ffff:10.0.0.0/104", "10.9.9.9", true],
    ["2001:db8::/32", "2001:db8:ffff::1", true],
    ["2001:db8::/32", "2001:db9::1", false],
    ["2001:DB8::1", "2001:0db8:0:0:0:0:0:1", true],
    ["0.0.0.0/0", "203.0.113.9", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["::/0", "2001:db8::1", true],
    ["loopback", "127.3.2.1", true],
    ["loopback", "::1", true],
    ["linklocal", "fe80::1%eth0", true],
    ["uniquelocal", "192.168.1.1", true],
    ["uniquelocal", "8.8.8.8", false],
    ["*", "unknown", true],
    ["::/0", "unknown", false],
  ])("match the list entry %s with %s: %s", (entry, ip, isMatch) => {
    expect(createAddressMatcher([entry])(ip)).toBe(isMatch);
  });

  it.each([
    "",
    "10.0.0",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "::/129",
    "localhost",
    "0x7f.1",
    "constructor",
  ])("cannot be listed as %j", (entry) =>
    expect(() => createAddressMatcher([entry])).toThrow(/must be an IP address, a range/),
  );

  it.each([
    ["::ffff:127.0.0.1", "127.0.0.1"],
    ["::FFFF:7f00:1", "127.0.0.1"],
    ["2001:DB8:0:0::1", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["0177.0.0.1", undefined],
    ["127.1", undefined],
    ["2130706433", undefined],
    ["1.2.3.4 ", undefined],
    ["", undefined],
  ])("are normalized from %j to %s", (text, normal) => expect(normalizeAddress(text)).toBe(normal));

  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"],
  ])("are limited for %s by the key %s", (ip, key) => expect(addressKey(ip)).toBe(key));
});
