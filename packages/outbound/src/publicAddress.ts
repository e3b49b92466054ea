import { BlockList, isIP } from "node:net";

/** Networks that are not public: loopback, private, link-local (including cloud metadata) and reserved ones. */
const RESERVED_NETWORKS = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  RESERVED_NETWORKS.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 128],
  ["::1", 128],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
  ["3fff::", 20],
  ["5f00::", 16],
] as const) {
  RESERVED_NETWORKS.addSubnet(network, prefix, "ipv6");
}
/** Addresses allocated to public networks (IANA: "global unicast"). */
const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet("2000::", 3, "ipv6");

/** Whether an IP address is public. */
export function isPublicAddress(address: string): boolean {
  const [ip = ""] = address.replace(/^\[|\]$/g, "").split("%", 1);
  switch (isIP(ip)) {
    case 4:
      return !RESERVED_NETWORKS.check(ip, "ipv4");
    case 6:
      return GLOBAL_UNICAST.check(ip, "ipv6") && !RESERVED_NETWORKS.check(ip, "ipv6");
    default:
      return false;
  }
}
