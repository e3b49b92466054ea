import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";

/** Throws 119 without the master key; with `write` also for the read-only one. */
export function assertMaster({ auth }: RequestContext, right: "read" | "write" = "read"): void {
  if (auth.kind !== "master") {
    throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized: master key is required", 403);
  }
  if (right === "write" && auth.readOnly) throw readOnlyKeyError();
}

export function readOnlyKeyError(): ProtocolError {
  return new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    "The read-only master key isn't allowed to change anything.",
    403,
  );
}
