import { ErrorCode, type JsonObject, ownValue, ProtocolError } from "@purse/protocol";
import { routeSegments } from "./routeSegments.ts";

/** Maximum number of requests in one batch. */
export const MAX_BATCH_REQUESTS = 500;
/** Maximum length of the path and query string of one request of a batch. */
export const MAX_BATCH_PATH_LENGTH = 8_192;

/** Requests that cost much more than a read or a write, and how many of each kind one batch may contain. */
export const BATCH_LIMITS = {
  /** Sign-ups, log-ins and password changes: each hashes a password or verifies a signature. */
  credentials: { max: 20, name: "sign-ups, log-ins and changes of passwords" },
  /** Requests that send an e-mail. */
  mails: { max: 5, name: "requests for mails" },
  /** Functions and jobs. */
  functions: { max: 100, name: "functions and jobs" },
} as const;

type BatchKind = keyof typeof BATCH_LIMITS;

const KIND_BY_ROUTE: Readonly<Record<string, BatchKind>> = {
  login: "credentials",
  loginAs: "credentials",
  verifyPassword: "credentials",
  requestPasswordReset: "mails",
  verificationEmailRequest: "mails",
  apps: "mails",
  functions: "functions",
  jobs: "functions",
};

export interface BatchedRequest {
  method: string;
  /** Below the mount path, including the query string. */
  path: string;
  params: JsonObject;
}

/** Throws 107 if a batch contains too many requests of an expensive kind. */
export function assertBatchLimits(requests: readonly BatchedRequest[]): void {
  const counts = new Map<BatchKind, number>();
  for (const request of requests) {
    const kind = kindOf(request);
    if (kind === undefined) continue;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const { max, name } = BATCH_LIMITS[kind];
    if (count > max) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, `a batch takes ${max} ${name} at most`);
    }
  }
}

/** The path of a class of its application, in the spelling of all clients. */
const OWN_CLASS = /^\/classes\/[A-Za-z]/;

function kindOf({ method, path, params }: BatchedRequest): BatchKind | undefined {
  if (OWN_CLASS.test(path)) return undefined;
  const [first = ""] = routeSegments(path.split("?", 1)[0] ?? "");
  if (first === "users") {
    const setsCredentials =
      method === "POST" || (method === "PUT" && ("password" in params || "authData" in params));
    return setsCredentials ? "credentials" : undefined;
  }
  return ownValue(KIND_BY_ROUTE, first);
}
