import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { checkHsts, checkHttpRedirect, checkIpv6 } from "./domainChecks.ts";

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

it.each([
  [null, "warning"],
  ["max-age=0", "warning"],
  ["max-age=86400; includeSubDomains", "warning"],
  ["max-age=31536000", "ok"],
  ['includeSubDomains; max-age="63072000"; preload', "ok"],
])("checkHsts() checks the header %s", (header, state) => {
  expect(checkHsts(header).state).toBe(state);
});

it.each([
  ["a redirect to https", 308, "https://purse.example/", ["ok"]],
  ["a redirect to http", 302, "http://127.0.0.1/elsewhere", ["warning"]],
  ["a page", 200, undefined, ["warning"]],
])("checkHttpRedirect() finds %s", async (_, status, location, states) => {
  server = createServer((_request, response) => {
    response.writeHead(status, location === undefined ? {} : { location });
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address: AddressInfo = JSON.parse(JSON.stringify(server.address()));
  const findings = await checkHttpRedirect({ hostname: "127.0.0.1" }, address.port);
  expect(findings.map(({ state }) => state)).toEqual(states);
});

const SITE = { hostname: "purse.example", port: "", protocol: "https:" };

it.each([
  ["a domain without IPv6 addresses", async () => Promise.reject(new Error("ENODATA")), true, "ok"],
  ["an address that answers", async () => ["2001:db8::1"], true, "ok"],
  ["an address that does not answer", async () => ["2001:db8::1"], false, "warning"],
  ["a machine without IPv6", async () => ["2001:db8::1"], undefined, "ok"],
])("checkIpv6() checks %s", async (_, resolve, isReached, state) => {
  const requested: unknown[] = [];
  const reaches = async (...target: unknown[]) => {
    requested.push(target);
    return isReached;
  };
  const [finding] = await checkIpv6(SITE, { resolve, reaches });
  expect(finding?.state).toBe(state);
  for (const target of requested) expect(target).toEqual(["2001:db8::1", 443]);
});

it("checkIpv6() checks no URL with an IP address", async () => {
  const reaches = async () => false;
  const resolve = async () => ["2001:db8::1"];
  expect(await checkIpv6({ ...SITE, hostname: "192.0.2.1" }, { resolve, reaches })).toEqual([]);
  expect(await checkIpv6({ ...SITE, hostname: "[2001:db8::1]" }, { resolve, reaches })).toEqual([]);
});
