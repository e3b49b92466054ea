import { ErrorCode, ProtocolError } from "@purse/protocol";
import { GraphQLError, type GraphQLErrorExtensions } from "graphql";

/** Errors of one answer, and characters of their texts: both repeat what the client has sent. */
export const MAX_ERRORS = 10;
const MAX_MESSAGE_LENGTH = 300;

/**
 * Returns the first errors as clients see them: errors of the Parse protocol with their code in the extensions, as in
 * Parse Server. Unexpected errors are hidden and passed to `report`, as is the cause of an error for clients that nothing
 * has reported.
 */
export function clientErrors(
  errors: readonly unknown[],
  report: (error: unknown) => void = () => undefined,
): GraphQLError[] {
  const shown = errors.slice(0, MAX_ERRORS).map((error) => toClientError(error, report));
  const others = errors.length - shown.length;
  if (others > 0) shown.push(new GraphQLError("More errors were left out."));
  return shown;
}

/** Returns one error as clients see it. */
export function toClientError(error: unknown, report: (error: unknown) => void): GraphQLError {
  const { originalError, graphqlError } = unwrap(error);
  if (originalError instanceof ProtocolError) {
    if ("unreportedCause" in originalError) report(originalError.unreportedCause);
    const { code, message } = originalError;
    return detached(graphqlError ?? new GraphQLError(message), { code }, message);
  }
  if (graphqlError && (originalError === undefined || originalError instanceof GraphQLError))
    return detached(graphqlError);
  report(originalError ?? error);
  const message = "Internal server error";
  return detached(
    graphqlError ?? new GraphQLError(message),
    { code: ErrorCode.INTERNAL_SERVER_ERROR },
    message,
  );
}

/** Returns an error without the document, and with a short text. */
export function detached(
  { source, positions, path, extensions, message }: GraphQLError,
  otherExtensions: GraphQLErrorExtensions = extensions,
  otherMessage: string = message,
): GraphQLError {
  return new GraphQLError(short(otherMessage), { source, positions, path, extensions: otherExtensions });
}

function short(text: string): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
}

function unwrap(error: unknown): { originalError: unknown; graphqlError: GraphQLError | undefined } {
  if (!(error instanceof GraphQLError)) return { originalError: error, graphqlError: undefined };
  let originalError: unknown = error.originalError;
  while (originalError instanceof GraphQLError && originalError.originalError)
    originalError = originalError.originalError;
  return { originalError, graphqlError: error };
}
