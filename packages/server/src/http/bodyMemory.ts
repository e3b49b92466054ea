import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { addressKey } from "./address.ts";

/** Bodies up to this size are not counted: small requests are served whatever large ones take. In bytes. */
const FREE_BYTES = 64 * 1024;
/** How much of the memory the clients of one address may take. */
const ADDRESS_SHARE = 0.25;
const RETRY_MS = 1_000;

/** What one body takes. */
export interface BodyAccount {
  /** Counts bytes that have arrived. Throws 155 (HTTP 429) where there is no memory for them. */
  add(bytes: number): void;
  close(): void;
}

/** The memory that the bodies of all open requests take together. */
export interface BodyMemory {
  open(ip: string): BodyAccount;
}

/** `maxBytes` for all bodies at a time; one address may take a quarter of it. */
export function createBodyMemory(maxBytes: number): BodyMemory {
  const byAddress = new Map<string, number>();
  let used = 0;

  return {
    open(ip) {
      let arrived = 0;
      let counted = 0;
      let address = "";
      return {
        add(bytes) {
          arrived += bytes;
          if (arrived <= FREE_BYTES) return;
          const more = arrived - counted;
          address ||= addressKey(ip);
          const ofAddress = (byAddress.get(address) ?? 0) + more;
          if (used + more > maxBytes || ofAddress > maxBytes * ADDRESS_SHARE) {
            throw tooManyRequests(RETRY_MS, "Too many large requests at a time.");
          }
          used += more;
          counted += more;
          byAddress.set(address, ofAddress);
        },
        close() {
          if (counted === 0) return;
          used -= counted;
          const left = (byAddress.get(address) ?? 0) - counted;
          if (left > 0) byAddress.set(address, left);
          else byAddress.delete(address);
          counted = 0;
        },
      };
    },
  };
}
