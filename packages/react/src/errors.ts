/** What went wrong in the React bindings; `name` is the class's own. */
export class ReactMoralisError extends Error {
  override name = "ReactMoralisError";
}

export class NoMoralisContextProviderError extends ReactMoralisError {
  override name = "NoMoralisContextProviderError";
  constructor(message = "Make sure to only call useMoralis within a  <MoralisProvider>") {
    super(message);
  }
}

export class NotAuthenticatedError extends ReactMoralisError {
  override name = "NotAuthenticatedError";
}

export class ValidationError extends ReactMoralisError {
  override name = "ValidationError";
}
