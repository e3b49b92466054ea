import { ErrorCode, type ErrorContent, isJsonObject, isRecord, tryParseJson } from "@purse/protocol";
import type { Invocation, RemoteError } from "./workerMessages.ts";

/** Returns the message of what cloud code has thrown: a text, an error or an object, with a message or as a whole. */
export function thrownMessage(thrown: unknown): ErrorContent | undefined {
  if (typeof thrown === "number" || typeof thrown === "boolean") return String(thrown);
  if (thrown instanceof Error) return plainContent(thrown.message) || undefined;
  return plainContent((isRecord(thrown) && thrown.message) || thrown) || undefined;
}

/** Returns a text, or an object as its JSON has it; undefined for anything else. */
export function plainContent(content: unknown): ErrorContent | undefined {
  if (typeof content === "string") return content;
  const object = isRecord(content) ? tryParseJson(jsonOf(content)) : undefined;
  return isJsonObject(object) && Object.keys(object).length > 0 ? object : undefined;
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    // It refers to itself.
    return "";
  }
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
