/** The name is that of the libraries' error, by which they know it. */
export class BlockNotFound extends Error {
  override readonly name = "NotFoundError";
}
