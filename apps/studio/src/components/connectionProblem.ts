/** What the errors of requests to other servers mean; the first pattern that matches counts. */
const PROBLEMS: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/PURSE_ALLOW_PRIVATE_HOOKS/, "The address is private, and PURSE_ALLOW_PRIVATE_HOOKS is not set."],
  [/requests to this port/, "Requests to this port are not allowed."],
  [/ECONNREFUSED/, "Connection refused: no server listens at this address and port."],
  [/ENOTFOUND|EAI_AGAIN/, "The host name was not found."],
  [/EHOSTUNREACH|ENETUNREACH/, "The host can't be reached from this server."],
  [/ECONNRESET|EPIPE|socket hang up/, "The server closed the connection before it responded."],
  [/ETIMEDOUT|timeout|aborted/i, "No response within the time limit."],
  [/certificate|altnames|self-signed/i, "The server's certificate is not valid for this address."],
  [/EPROTO|SSL|wrong version number/, "The server does not speak TLS at this port."],
  [/redirect/, "The server responded with a redirect, which is not followed."],
  [/larger than/, "The response is too large."],
  [/not JSON/, "The response is not JSON."],
];

/** The meaning of a connection error, to be translated; undefined if it is not known. */
export function connectionProblem(error: string): string | undefined {
  return PROBLEMS.find(([pattern]) => pattern.test(error))?.[1];
}
