import { ErrorCode, ProtocolError } from "@purse/protocol";
import { newObjectId } from "../objects/objectId.ts";
import { ClaimTaken, type Store } from "../store/store.ts";
import type { ApiReply } from "./api.ts";
import type { Envelope } from "./envelope.ts";

const SCOPE = "request";

/**
 * Carries out a request with an id once, however often it is sent: a repetition is refused with 159. One
 * that failed may be sent again.
 */
export function createOnce(store: Store, { paths, seconds }: { paths: RegExp[]; seconds: number }) {
  return async function once(
    { method, clientRequestId }: Envelope,
    path: string,
    run: () => Promise<ApiReply>,
  ): Promise<ApiReply> {
    const isWrite = method === "POST" || method === "PUT";
    if (clientRequestId === undefined || !isWrite || !paths.some((each) => each.test(path.slice(1)))) {
      return run();
    }
    const claim = { scope: SCOPE, value: clientRequestId.slice(0, 200), owner: newObjectId() };
    try {
      await store.write([{ kind: "claim", ...claim, expiresAt: Date.now() + seconds * 1000 }]);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      throw new ProtocolError(ErrorCode.DUPLICATE_REQUEST, "Duplicate request");
    }
    try {
      return await run();
    } catch (error) {
      await store.write([{ kind: "release", ...claim }]);
      throw error;
    }
  };
}
