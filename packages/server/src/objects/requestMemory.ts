import type { JsonObject } from "@purse/protocol";
import type { ReplyEcho } from "../store/requests.ts";
import type { Write } from "../store/store.ts";

/** An answer as it travels: JSON text. */
export interface RememberedReply {
  status: number;
  body: string;
  headers?: Record<string, string>;
  /** Whether it is one of the answers of a batch. */
  isPart?: true;
}

export interface RepliedWrite {
  reply: RememberedReply;
  echo?: ReplyEcho | undefined;
}

/** What is remembered of a request with an id. */
export interface RequestMemory {
  /** The step by which a write remembers what the request answers: one reply, or those of all parts of a batch. */
  remember(replies: readonly RepliedWrite[]): Write;
  /** Says that the write with that step has been made. */
  kept(): void;
  /** The memory of one part of a batch. */
  part(place: number): RequestMemory;
  /** The answers of parts that were carried out before. */
  parts(): Promise<Map<number, RememberedReply>>;
}

/** What a saved object answers before it is text. */
interface Saved {
  status: number;
  body: JsonObject;
}

type Shape = (saved: Saved) => RememberedReply;

const plain: Shape = ({ status, body }) => ({ status, body: JSON.stringify(body) });

/** The way in which the one write of a request comes to be remembered with it. */
export interface WriteMemory {
  /** Steps that belong to the write; none where another write of the request has them. */
  steps(saved: Saved, echo?: ReplyEcho): Write[];
  /** Says that the write has been made. */
  kept(): void;
  /** The same for a request that is answered in another form. */
  as(shape: Shape): WriteMemory;
  readonly request: RequestMemory | undefined;
}

export function writeMemory(request: RequestMemory, shape: Shape = plain): WriteMemory {
  let isUsed = false;
  return {
    request,
    steps(saved, echo) {
      if (isUsed) return [];
      isUsed = true;
      return [request.remember([{ reply: shape(saved), echo }])];
    },
    kept: () => request.kept(),
    as: (other) => writeMemory(request, other),
  };
}

/** Of a part of a batch whose parts are written together: its answer is remembered with those of the others. */
export function partMemory(replied: (written: RepliedWrite) => void, shape: Shape = plain): WriteMemory {
  return {
    request: undefined,
    steps(saved, echo) {
      replied({ reply: { ...shape(saved), isPart: true }, echo });
      return [];
    },
    kept: () => undefined,
    as: (other) => partMemory(replied, other),
  };
}
