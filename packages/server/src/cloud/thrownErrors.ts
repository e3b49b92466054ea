import { ErrorCode, isJsonObject } from "@purse/protocol";
import type { Invocation, RemoteError } from "./workerMessages.ts";

/** Returns the message of what cloud code has thrown: a text, an error or an object with a message. */
export function thrownMessage(thrown: unknown): string | undefined {
  if (typeof thrown === "number" || typeof thrown === "boolean") return String(thrown);
  const message = thrown instanceof Error || isJsonObject(thrown) ? thrown.message : thrown;
  return typeof message === "string" && message !== "" ? message : undefined;
}

/** The code of errors that have none, and the text of those that have no message, as in Parse Server. */
export function defaultErrorOf(invocation: Invocation): RemoteError {
  if (invocation.kind === "function" || invocation.kind === "job")
    return { code: ErrorCode.SCRIPT_FAILED, message: "Script failed." };
  if (invocation.kind === "file") {
    const { trigger, file } = invocation;
    if (trigger === "beforeSaveFile" || trigger === "afterSaveFile")
      return { code: ErrorCode.FILE_SAVE_ERROR, message: `Could not store file: ${file.name}.` };
    if (trigger === "beforeDeleteFile" || trigger === "afterDeleteFile")
      return { code: ErrorCode.FILE_DELETE_ERROR, message: "Could not delete file." };
  }
  return { code: ErrorCode.SCRIPT_FAILED, message: "Script failed. Unknown error." };
}
