import type { IncomingMessage } from "node:http";
import { tooManyRequests } from "../limits/tooManyRequests.ts";
import { addressKey } from "./address.ts";
import type { ClientAddressOf } from "./clientAddress.ts";

/** Bodies up to this size (in bytes) are not counted, so that small requests are served regardless of large ones. */
export const UNCOUNTED_BYTES = 64 * 1024;
/** The share of the memory that clients of one address may use. */
const ADDRESS_SHARE = 1 / 6;
/** Bodies of at least this size (in bytes) start processing one per turn of the event loop. */
const LARGE_BYTES = 256 * 1024;
/**
 * Of bodies of at least this size, one address may have this many bytes read and processed at a time, because
 * processing takes several times their memory. Others wait.
 */
const VERY_LARGE_BYTES = 1024 * 1024;
const MAX_PROCESSING_BYTES = 24 * 1024 * 1024;
const RETRY_MS = 1_000;

/** The memory of one body. */
interface BodyAllocation {
  /** Resolves when a body with an announced length may be read; undefined if it may be read now. */
  reserve(bytes: number): Promise<void> | undefined;
  /** Counts bytes that have arrived. Throws 155 (HTTP 429) if there is no memory left for them. */
  add(bytes: number): void;
  /** Resolves when the body, which has arrived completely, may be processed. */
  startProcessing(): Promise<void> | undefined;
  close(): void;
}

/** Limits the memory that the bodies of all open requests use together. */
export interface BodyMemory {
  open(message: IncomingMessage): BodyAllocation;
}

/** Memory used by the bodies of one address. */
interface AddressUsage {
  allocatedBytes: number;
  processingBytes: number;
  /** Bodies that wait to be processed. */
  queue: { bytes: number; startProcessing: () => void }[];
}

/** Creates the limiter: `maxBytes` for all bodies at a time, of which one address may use a sixth. */
export function createBodyMemory(maxBytes: number, clientAddressOf: ClientAddressOf): BodyMemory {
  const byAddress = new Map<string, AddressUsage>();
  let totalBytes = 0;
  /** Settles when the large body that was started last has had its turn of the event loop. */
  let lastTurn: Promise<unknown> = Promise.resolve();

  function waitForTurn(): Promise<void> {
    const next = lastTurn.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    lastTurn = next;
    return next;
  }

  function startQueued(usage: AddressUsage): void {
    for (let next = usage.queue[0]; next; next = usage.queue[0]) {
      if (usage.processingBytes > 0 && usage.processingBytes + next.bytes > MAX_PROCESSING_BYTES) return;
      usage.queue.shift();
      usage.processingBytes += next.bytes;
      next.startProcessing();
    }
  }

  return {
    open(message) {
      let receivedBytes = 0;
      let countedBytes = 0;
      let processingBytes = 0;
      let address = "";

      const usageOf = (): AddressUsage => {
        address ||= addressKey(clientAddressOf(message));
        const usage = byAddress.get(address) ?? { allocatedBytes: 0, processingBytes: 0, queue: [] };
        byAddress.set(address, usage);
        return usage;
      };

      return {
        reserve(bytes) {
          if (bytes < VERY_LARGE_BYTES) return undefined;
          const usage = usageOf();
          processingBytes = bytes;
          const reserved = new Promise<void>((startProcessing) =>
            usage.queue.push({ bytes, startProcessing }),
          );
          startQueued(usage);
          return reserved;
        },
        add(bytes) {
          receivedBytes += bytes;
          if (receivedBytes <= UNCOUNTED_BYTES) return;
          const newBytes = receivedBytes - countedBytes;
          const usage = usageOf();
          if (
            totalBytes + newBytes > maxBytes ||
            usage.allocatedBytes + newBytes > maxBytes * ADDRESS_SHARE
          ) {
            throw tooManyRequests(RETRY_MS, "Too many large requests at a time.");
          }
          totalBytes += newBytes;
          countedBytes += newBytes;
          usage.allocatedBytes += newBytes;
        },
        startProcessing() {
          if (receivedBytes < LARGE_BYTES) return undefined;
          // A body without an announced length waits now.
          const reserved = processingBytes > 0 ? undefined : this.reserve(receivedBytes);
          return reserved ? reserved.then(waitForTurn) : waitForTurn();
        },
        close() {
          if (countedBytes === 0 && processingBytes === 0) return;
          const usage = usageOf();
          totalBytes -= countedBytes;
          usage.allocatedBytes -= countedBytes;
          usage.processingBytes -= processingBytes;
          countedBytes = 0;
          processingBytes = 0;
          startQueued(usage);
          if (usage.allocatedBytes === 0 && usage.processingBytes === 0) byAddress.delete(address);
        },
      };
    },
  };
}
