import { isIPv4, isIPv6 } from "node:net";

/** The addresses of the machine itself. */
export function isLoopback(ip: string): boolean {
  const plain = plainAddress(ip);
  return plain === "::1" || (isIPv4(plain) && plain.startsWith("127."));
}

/** IPv4 addresses as they are usually written, also where the socket serves both kinds. */
export function plainAddress(ip: string): string {
  return ip.replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Whether an address is in a list of addresses; `*` stands for all. */
export function isListed(ip: string, list: readonly string[]): boolean {
  return list.includes("*") || list.includes(ip) || list.includes(plainAddress(ip));
}

/**
 * What stands for whoever sits at an address: of IPv6 the first 64 bits, as one household or machine has all
 * addresses that begin with them.
 */
export function addressKey(ip: string): string {
  const plain = plainAddress(ip);
  if (!isIPv6(plain)) return plain;
  const [head = "", tail] = (plain.split("%", 1)[0] ?? "").split("::", 2);
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
