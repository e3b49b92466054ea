import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** The failure of an outbound request that would fail again if it was retried. */
export class OutboundRequestError extends Error {
  override readonly name: string = "OutboundRequestError";
}

/** An outbound request to an address that is not allowed. */
export class BlockedAddressError extends OutboundRequestError {
  override readonly name: string = "BlockedAddressError";
}

/** An outbound request to an address that is not public. */
export class PrivateAddressError extends BlockedAddressError {
  override readonly name = "PrivateAddressError";

  constructor() {
    super("requests to private addresses are not allowed");
  }
}

/** Ports of services that interpret HTTP as commands of their own (Fetch Standard, "bad port"). */
const BAD_PORTS: ReadonlySet<string> = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 " +
    "135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 " +
    "995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
  ).split(" "),
);

/**
 * Throws BlockedAddressError for a URL that is neither http nor https, contains a password, or has an address that is
 * not allowed.
 */
export function assertUrlAllowed(url: URL, isAllowed: (address: string) => boolean): void {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new BlockedAddressError("only http and https are allowed");
  if (url.username !== "" || url.password !== "")
    throw new BlockedAddressError("the URL must not contain a password");
  if (BAD_PORTS.has(url.port)) throw new BlockedAddressError("requests to this port are not allowed");
  // Numeric addresses are not looked up, so they are checked here.
  const isNumeric = /^\[|^[\d.]+$/.test(url.hostname);
  if (isNumeric && !isAllowed(url.hostname.replace(/^\[|\]$/g, ""))) throw new PrivateAddressError();
}

/** A DNS lookup that checks the addresses; connections use the checked addresses. */
export function createGuardedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
        return callback(new PrivateAddressError(), "", 0);
      }
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? "", first?.family ?? 0);
    });
  };
}
