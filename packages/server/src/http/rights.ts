import { ErrorCode, ProtocolError } from "@purse/protocol";
import type { RequestContext } from "../authContext.ts";

/** Refuses whoever did not show the master key; `write` refuses the read-only one too. */
export function assertMaster({ auth }: RequestContext, right: "read" | "write" = "read"): void {
  if (auth.kind !== "master") {
    throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized: master key is required", 403);
  }
  if (right === "write" && auth.readOnly) throw readOnly();
}

export function readOnly(): ProtocolError {
  return new ProtocolError(
    ErrorCode.OPERATION_FORBIDDEN,
    "The read-only master key isn't allowed to change anything.",
    403,
  );
}
