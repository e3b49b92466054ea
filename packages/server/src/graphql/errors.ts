import { ErrorCode, ProtocolError } from "@purse/protocol";
import { GraphQLError } from "graphql";

/**
 * Returns an error as clients see it: errors of the Parse protocol with their code in the extensions, as in Parse Server.
 * Unexpected errors are hidden and passed to `report`, as is the cause of an error for clients that nothing has reported.
 */
export function toClientError(error: unknown, report: (error: unknown) => void): GraphQLError {
  const { originalError, options } = unwrap(error);
  if (originalError instanceof ProtocolError) {
    if ("unreportedCause" in originalError) report(originalError.unreportedCause);
    const { code, message } = originalError;
    return new GraphQLError(message, { ...options, extensions: { code } });
  }
  if (error instanceof GraphQLError && (originalError === undefined || originalError instanceof GraphQLError))
    return error;
  report(originalError ?? error);
  return new GraphQLError("Internal server error", {
    ...options,
    extensions: { code: ErrorCode.INTERNAL_SERVER_ERROR },
  });
}

/** Removes the names that graphql-js suggests for unknown ones, which would reveal the schema. */
export function withoutSuggestions(error: Error): GraphQLError {
  const { nodes, extensions } = error instanceof GraphQLError ? error : {};
  return new GraphQLError(error.message.replace(/ Did you mean .*$/s, ""), { nodes, extensions });
}

function unwrap(error: unknown): {
  originalError: unknown;
  options: Pick<GraphQLError, "nodes" | "path"> | undefined;
} {
  if (!(error instanceof GraphQLError)) return { originalError: error, options: undefined };
  let originalError: unknown = error.originalError;
  while (originalError instanceof GraphQLError && originalError.originalError)
    originalError = originalError.originalError;
  return { originalError, options: { nodes: error.nodes, path: error.path } };
}
