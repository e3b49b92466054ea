import { ANONYMOUS, bypassesPermissions, type RequestContext } from "../../core/authContext.ts";
import { addressKey } from "../../core/http/address.ts";
import { jsonLength } from "../../core/limits/answerText.ts";
import { PortionedLimit } from "../../core/limits/portionedLimit.ts";
import type { RateLimiter } from "../../core/limits/rateLimiter.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import type { ObjectText } from "../../database/objectText.ts";
import type { CreateWrite, Write, WriteResult } from "../../database/store.ts";
import { isAllowed } from "../permissions/classPermissions.ts";

export interface StoredBytesOptions {
  limiter: RateLimiter;
  /** Bytes that one address may store in an hour; 0 for no limit. */
  perAddress: number;
  /** Bytes that all clients together may store in a day in a class in which everyone may create objects; 0 for no limit. */
  perClass: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The row of one member of a relation, with its index. */
const RELATION_BYTES = 100;

/** Bytes that a write may store. */
interface Reservation {
  readonly bytes: number;
  /** Called once the write has ended. */
  release(unusedBytes: number): void;
}

/** Limits what clients without the master key store, whichever API they use. */
export class StoredBytes {
  readonly #addresses: PortionedLimit | undefined;
  readonly #classes: PortionedLimit | undefined;
  #stored = 0;

  constructor({ limiter, perAddress, perClass }: StoredBytesOptions) {
    const clock = () => performance.now();
    if (perAddress > 0) {
      this.#addresses = new PortionedLimit({
        limiter,
        name: "stored by address",
        maxBytes: perAddress,
        windowMs: HOUR,
        clock,
        message: () => "Too much was stored from this address, try again later",
      });
    }
    if (perClass > 0) {
      this.#classes = new PortionedLimit({
        limiter,
        name: "stored in class",
        maxBytes: perClass,
        windowMs: DAY,
        clock,
        message: (className) => `Clients have stored too much in the class ${className}, try again later`,
      });
    }
  }

  /** Bytes that clients have stored by this process; 0 without limits. */
  get stored(): number {
    return this.#stored;
  }

  /** How many writes this process has refused, by the limit. */
  get refused(): { address: number; class: number } {
    return { address: this.#addresses?.refusals ?? 0, class: this.#classes?.refusals ?? 0 };
  }

  /**
   * Executes writes of a request, of which the first is that of its object, if the limits allow it. Rejects with 116 (HTTP
   * 413) or 155 (HTTP 429) otherwise.
   */
  limit(
    request: RequestContext,
    schema: ClassSchema,
    writes: readonly Write[],
    execute: () => Promise<WriteResult[]>,
  ): Promise<WriteResult[]> {
    const reserved = this.#reserve(request, schema, writes);
    if (!reserved) return execute();
    return reserved instanceof Promise
      ? reserved.then((reservation) => settle(reservation, writes, execute()))
      : settle(reserved, writes, execute());
  }

  /** Executes creates that are independent of each other, as far as the limits allow them. */
  limitEach(
    request: RequestContext,
    creates: readonly CreateWrite[],
    execute: (allowed: readonly CreateWrite[]) => Promise<(ObjectText | Error)[]>,
  ): Promise<(ObjectText | Error)[]> {
    if (!this.#isLimited(request)) return execute(creates);
    const reserved = creates.map((create) => this.#reserve(request, create.schema, [create]));
    if (reserved.some((each) => each instanceof Promise)) {
      const settled = reserved.map((each) =>
        each instanceof Promise ? each.catch((error: unknown) => errorOf(error)) : each,
      );
      return Promise.all(settled).then((reservations) => executeEach(creates, reservations, execute));
    }
    const reservations = reserved.map((each) => (each instanceof Promise ? undefined : each));
    return executeEach(creates, reservations, execute);
  }

  #isLimited({ auth, isInternal }: RequestContext): boolean {
    return (this.#addresses ?? this.#classes) !== undefined && !isInternal && !bypassesPermissions(auth);
  }

  /** Reserves what the writes store at most; at once if portions suffice. Returns undefined if that is not limited. */
  #reserve(
    request: RequestContext,
    schema: ClassSchema,
    writes: readonly Write[],
  ): Reservation | Promise<Reservation> | undefined {
    if (!this.#isLimited(request)) return undefined;
    const bytes = writes.reduce((sum, write) => sum + bytesOf(write), 0);
    if (bytes === 0) return undefined;
    const address = addressKey(request.ip);
    const classes = isAllowed(schema, "create", ANONYMOUS) ? this.#classes : undefined;
    const giveBackToAddress = (unused: number) => this.#addresses?.giveBack(address, unused);
    const reservation: Reservation = {
      bytes,
      release: (unused) => {
        this.#stored += bytes - unused;
        if (unused === 0) return;
        giveBackToAddress(unused);
        classes?.giveBack(schema.className, unused);
      },
    };
    const useOfClass = () =>
      classes?.use(schema.className, bytes)?.catch((error: unknown) => {
        giveBackToAddress(bytes);
        throw error;
      });
    const byAddress = this.#addresses?.use(address, bytes);
    const used = byAddress ? byAddress.then(useOfClass) : useOfClass();
    return used ? used.then(() => reservation) : reservation;
  }
}

async function settle(
  { bytes, release }: Reservation,
  writes: readonly Write[],
  executed: Promise<WriteResult[]>,
): Promise<WriteResult[]> {
  try {
    const results = await executed;
    release(unusedBytes(writes[0], results[0]));
    return results;
  } catch (error) {
    release(bytes);
    throw error;
  }
}

/** Executes the creates that have a reservation, or need none; the others have errors. */
async function executeEach(
  creates: readonly CreateWrite[],
  reservations: readonly (Reservation | Error | undefined)[],
  execute: (allowed: readonly CreateWrite[]) => Promise<(ObjectText | Error)[]>,
): Promise<(ObjectText | Error)[]> {
  const isAllowed = (index: number) => !(reservations[index] instanceof Error);
  const allowed = creates.filter((_, index) => isAllowed(index));
  const outcomes = (allowed.length > 0 ? await execute(allowed) : []).values();
  return reservations.map((reservation) => {
    if (reservation instanceof Error) return reservation;
    const outcome = outcomes.next().value ?? new Error("The store has lost a create");
    reservation?.release(outcome instanceof Error ? reservation.bytes : 0);
    return outcome;
  });
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The most that a write can store. */
function bytesOf(write: Write): number {
  switch (write.kind) {
    case "create":
      return jsonLength(write.object) + jsonLength(write.secret ?? {});
    case "update":
      return jsonLength(write.operations) + jsonLength(write.secret ?? {});
    case "updateRelation":
      return write.add.length * RELATION_BYTES;
    default:
      return 0;
  }
}

/** An update uses only the bytes by which its object has grown. */
function unusedBytes(write: Write | undefined, result: WriteResult | undefined): number {
  if (write?.kind !== "update" || !result?.before || !result.after) return 0;
  return Math.max(0, bytesOf(write) - Math.max(0, result.after.length - result.before.length));
}
