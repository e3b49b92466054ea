import { createHash } from "node:crypto";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import { ClaimTaken, type Store } from "../store/store.ts";
import type { ApiReply } from "./api.ts";
import type { Envelope } from "./envelope.ts";

const SCOPE = "request";
/** So many answers are remembered, none of them longer than so many characters. */
const MOST_ANSWERS = 1000;
const LONGEST_ANSWER = 16_384;

/** What was answered, or will be, to a request of that content. */
interface Answered {
  content: string;
  reply: Promise<ApiReply>;
}

/**
 * Carries out a request with an id once, however often it is sent: a repetition is refused with 159. One that failed
 * may be sent again. A client that says that it repeats a request, as its answer was lost, gets the first answer, where
 * this process has given it and still knows it.
 */
export function createOnce(store: Store, { paths, seconds }: { paths: RegExp[]; seconds: number }) {
  const answers = new Map<string, Answered>();

  function remember(id: string, answered: Answered): void {
    answers.delete(id);
    answers.set(id, answered);
    const [oldest] = answers.keys();
    if (answers.size > MOST_ANSWERS && oldest !== undefined) answers.delete(oldest);
  }

  return async function once(
    envelope: Envelope,
    path: string,
    run: () => Promise<ApiReply>,
  ): Promise<ApiReply> {
    const { method, clientRequestId, isRepetition } = envelope;
    const isWrite = method === "POST" || method === "PUT";
    if (clientRequestId === undefined || !isWrite || !paths.some((each) => each.test(path.slice(1)))) {
      return run();
    }
    const id = clientRequestId.slice(0, 200);
    const content = contentOf(envelope, path);
    const claim = { scope: SCOPE, value: id, owner: newObjectId() };
    try {
      await store.write([{ kind: "claim", ...claim, expiresAt: Date.now() + seconds * 1000 }]);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      const first = answers.get(id);
      if (isRepetition && first?.content === content) return first.reply;
      throw new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "Duplicate request");
    }
    const reply = run();
    remember(id, { content, reply });
    try {
      const given = await reply;
      if (given.body.length > LONGEST_ANSWER) answers.delete(id);
      return given;
    } catch (error) {
      answers.delete(id);
      await store.write([{ kind: "release", ...claim }]);
      throw error;
    }
  };
}

/** Of all that the request says, credentials included: an answer is for nobody but who has asked. */
function contentOf({ isRepetition: _, ...said }: Envelope, path: string): string {
  return createHash("sha256")
    .update(JSON.stringify([path, said]))
    .digest("base64");
}
