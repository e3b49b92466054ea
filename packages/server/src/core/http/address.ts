import { isIP, isIPv4 } from "node:net";
import { ownValue } from "@purse/protocol";
import ipaddr, { type IPv4, type IPv6 } from "ipaddr.js";

type Ip = IPv4 | IPv6;

/** Named address ranges, as in Express and Fastify. */
const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/** Whether an address is in a list. */
export type AddressMatcher = (ip: string) => boolean;

/** Parses an address; IPv4-mapped IPv6 becomes IPv4. Returns undefined for text that is not an address. */
function parseIp(text: string): Ip | undefined {
  // Stricter than the library, which also reads octal, hexadecimal and shortened IPv4.
  if (isIP(text) === 0) return undefined;
  const [plain = text] = text.split("%", 1);
  return ipaddr.process(plain);
}

/**
 * The canonical form of an address: dotted IPv4 (also for IPv4-mapped IPv6), or shortened IPv6 without its zone.
 * Returns undefined for text that is not an address.
 */
export function normalizeAddress(text: string): string | undefined {
  return parseIp(text)?.toString();
}

/** Whether an address is a loopback address. */
export const isLoopback: AddressMatcher = createAddressMatcher(["loopback"]);

/** Whether a host of a URL, with or without a port, is this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:[^:\]]*$/, "");
  return name === "localhost" || isLoopback(name.replace(/^\[|\]$/g, ""));
}

/**
 * Creates a matcher for a list of addresses, ranges (`10.0.0.0/8`) and named ranges (`loopback`, `linklocal`,
 * `uniquelocal`). `*` matches everything, including text that is not an address. Throws Error for any other entry.
 */
export function createAddressMatcher(list: readonly string[]): AddressMatcher {
  const ranges = list.filter((entry) => entry !== "*").flatMap(parseRanges);
  if (list.includes("*")) return () => true;
  return (text) => {
    const ip = parseIp(text);
    return ip !== undefined && ranges.some(([base, bits]) => contains(ip, base, bits));
  };
}

function contains(ip: Ip, base: Ip, bits: number): boolean {
  return ip.kind() === base.kind() && ip.match(base, bits);
}

function parseRanges(entry: string): [Ip, number][] {
  const named = ownValue(NAMED_RANGES, entry);
  if (named) return named.flatMap(parseRanges);
  const [address = "", bits, ...rest] = entry.split("/");
  const ip = parseIp(address);
  const size = ip?.kind() === "ipv4" ? 32 : 128;
  // The prefix length of a mapped range counts from the beginning of the IPv6 address.
  const offset = ip?.kind() === "ipv4" && address.includes(":") ? 96 : 0;
  const length = bits === undefined ? size : /^\d{1,3}$/.test(bits) ? Number(bits) - offset : -1;
  if (ip === undefined || rest.length > 0 || length < 0 || length > size) {
    throw new Error(
      `"${entry}" must be an IP address, a range such as 10.0.0.0/8, or one of ${Object.keys(NAMED_RANGES).join(", ")}`,
    );
  }
  return [[ip, length]];
}

/**
 * The key under which limits count an address: for IPv6 the first 64 bits, because one household or machine owns all
 * addresses that begin with them.
 */
export function addressKey(ip: string): string {
  const parsed = isIPv4(ip) ? undefined : parseIp(ip);
  if (parsed === undefined) return ip;
  if (!("parts" in parsed)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}
