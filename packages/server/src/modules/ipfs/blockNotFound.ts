/** The name is that of the error in the IPFS libraries, which check for it. */
export class BlockNotFound extends Error {
  override readonly name = "NotFoundError";
}
