import { describe, expect, it } from "vitest";
import { addressKey, isListed, isLoopback } from "./address.ts";

describe("addresses", () => {
  it.each([
    ["127.0.0.1", true],
    ["127.8.0.1", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["10.0.0.1", false],
    ["127.evil.example", false],
    ["", false],
  ])("%s is of this machine: %s", (ip, is) => expect(isLoopback(ip)).toBe(is));

  it("are found in lists however the socket writes them", () => {
    expect(isListed("::ffff:10.0.0.1", ["10.0.0.1"])).toBe(true);
    expect(isListed("10.0.0.2", ["10.0.0.1"])).toBe(false);
    expect(isListed("10.0.0.2", ["*"])).toBe(true);
  });

  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0db8::1", "2001:db8:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
  ])("%s counts as %s", (ip, key) => expect(addressKey(ip)).toBe(key));
});
