import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { Ipfs } from "./ipfs.ts";

/** Manages the pinned content of the IPFS node. Its callers verify that the client has the master key. */
export class PinService {
  readonly #ipfs: Ipfs;

  constructor(ipfs: Ipfs) {
    this.#ipfs = ipfs;
  }

  list(): ReturnType<Ipfs["pins"]> {
    return this.#ipfs.pins();
  }

  /** Throws 101 if some of the content is missing. */
  async pin(cid: string): Promise<void> {
    if (!(await this.#ipfs.pin(cid))) throw notFound("Some of this content is missing");
  }

  /** Throws 101 if the content is not pinned. */
  async unpin(cid: string): Promise<void> {
    if (!(await this.#ipfs.unpin(cid))) throw notFound("This content is not pinned");
  }
}

function notFound(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, message, 404);
}
