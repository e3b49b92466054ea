import { unavailable } from "../../core/featurePackages.ts";
import type { Ipfs } from "./ipfs.ts";

/** The content of a server without the libraries of IPFS: there is none, and nothing can be added. Rejects with 108 (HTTP 501). */
export const NO_CONTENT: Ipfs = {
  addFile: rejectContent,
  addFolder: rejectContent,
  pin: rejectContent,
  read: async () => undefined,
  pins: async () => [],
  unpin: async () => false,
  stop: async () => undefined,
};

async function rejectContent(): Promise<never> {
  throw unavailable("@purse/ipfs", "Content cannot be stored in IPFS");
}
