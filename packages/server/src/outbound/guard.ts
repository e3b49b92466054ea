import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** What is not asked, or not read to its end, whatever happens. */
export class OutboundRefused extends Error {
  override readonly name = "OutboundRefused";
}

const REFUSED = "addresses inside of networks are not asked";

/** Throws OutboundRefused for what is neither http nor https, holds a password, or names an address that is not allowed. */
export function assertAskable(url: URL, isAllowed: (address: string) => boolean): void {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new OutboundRefused("only http and https are asked");
  if (url.username !== "" || url.password !== "")
    throw new OutboundRefused("the address must not hold a password");
  // Addresses in numbers are not looked up: they are judged here.
  const isNumeric = /^\[|^[\d.]+$/.test(url.hostname);
  if (isNumeric && !isAllowed(url.hostname.replace(/^\[|\]$/g, ""))) throw new OutboundRefused(REFUSED);
}

/** Looks a name up once; the connection goes to what was judged here. */
export function guardedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
        return callback(new OutboundRefused(REFUSED), "", 0);
      }
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? "", first?.family ?? 0);
    });
  };
}
