import type { IncomingMessage } from "node:http";
import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { addressKey } from "./address.ts";
import type { ClientAddressOf } from "./clientAddress.ts";

/** Bodies up to this size are not counted: small requests are served whatever large ones take. In bytes. */
const FREE_BYTES = 64 * 1024;
/** How much of the memory the clients of one address may take. */
const ADDRESS_SHARE = 1 / 6;
/** Bodies from this size on are begun one in a turn of the event loop. In bytes. */
const LARGE_BYTES = 256 * 1024;
/**
 * Of bodies from this size on, so many bytes of one address are read and worked on at a time, which takes several times
 * their memory; others wait.
 */
const HUGE_BYTES = 1024 * 1024;
const AT_WORK_BYTES = 24 * 1024 * 1024;
const RETRY_MS = 1_000;

/** What one body takes. */
export interface BodyAccount {
  /** Resolves when a body of a length that the client has said may be read; undefined where that is now. */
  reserve(bytes: number): Promise<void> | undefined;
  /** Counts bytes that have arrived. Throws 155 (HTTP 429) where there is no memory for them. */
  add(bytes: number): void;
  /** Resolves when the body, all of which has arrived, may be worked on. */
  begin(): Promise<void> | undefined;
  close(): void;
}

/** The memory that the bodies of all open requests take together. */
export interface BodyMemory {
  open(message: IncomingMessage): BodyAccount;
}

/** What the bodies of one address take. */
interface Usage {
  held: number;
  atWork: number;
  /** Bodies that may not be worked on yet. */
  waiting: { bytes: number; begin: () => void }[];
}

/** `maxBytes` for all bodies at a time; one address may take a sixth of it. */
export function createBodyMemory(maxBytes: number, clientAddressOf: ClientAddressOf): BodyMemory {
  const byAddress = new Map<string, Usage>();
  let used = 0;
  /** The turn of the last large body that was begun. */
  let turn: Promise<unknown> = Promise.resolve();

  function nextTurn(): Promise<void> {
    const next = turn.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    turn = next;
    return next;
  }

  function beginWaiting(usage: Usage): void {
    for (let next = usage.waiting[0]; next; next = usage.waiting[0]) {
      if (usage.atWork > 0 && usage.atWork + next.bytes > AT_WORK_BYTES) return;
      usage.waiting.shift();
      usage.atWork += next.bytes;
      next.begin();
    }
  }

  return {
    open(message) {
      let arrived = 0;
      let counted = 0;
      let atWork = 0;
      let address = "";

      const usageOf = (): Usage => {
        address ||= addressKey(clientAddressOf(message));
        const usage = byAddress.get(address) ?? { held: 0, atWork: 0, waiting: [] };
        byAddress.set(address, usage);
        return usage;
      };

      return {
        reserve(bytes) {
          if (bytes < HUGE_BYTES) return undefined;
          const usage = usageOf();
          atWork = bytes;
          const reserved = new Promise<void>((begin) => usage.waiting.push({ bytes, begin }));
          beginWaiting(usage);
          return reserved;
        },
        add(bytes) {
          arrived += bytes;
          if (arrived <= FREE_BYTES) return;
          const more = arrived - counted;
          const usage = usageOf();
          if (used + more > maxBytes || usage.held + more > maxBytes * ADDRESS_SHARE) {
            throw tooManyRequests(RETRY_MS, "Too many large requests at a time.");
          }
          used += more;
          counted += more;
          usage.held += more;
        },
        begin() {
          if (arrived < LARGE_BYTES) return undefined;
          // One whose length was not said waits now.
          const reserved = atWork > 0 ? undefined : this.reserve(arrived);
          return reserved ? reserved.then(nextTurn) : nextTurn();
        },
        close() {
          if (counted === 0 && atWork === 0) return;
          const usage = usageOf();
          used -= counted;
          usage.held -= counted;
          usage.atWork -= atWork;
          counted = 0;
          atWork = 0;
          beginWaiting(usage);
          if (usage.held === 0 && usage.atWork === 0) byAddress.delete(address);
        },
      };
    },
  };
}
