import { ErrorCode, isJsonObject, type JsonObject, type JsonValue, ProtocolError } from "@purse/protocol";

const MAX_TEXT_LENGTH = 2_000;

/** The error that a webhook answered with: a text, or an object, whose code and text are those of the error. */
export function webhookError({ error, code }: JsonObject): ProtocolError {
  if (isJsonObject(error))
    return webhookError({ code: error.code ?? null, error: error.error ?? error.message ?? null });
  return failure(error, typeof code === "number" ? code : undefined);
}

/** The same as Parse Server answers: its code is always 141, and an object without a message is the text. */
export function parseServerWebhookError({ error }: JsonObject): ProtocolError {
  if (!isJsonObject(error)) return failure(error);
  return error.message ? failure(error.message) : new ProtocolError(ErrorCode.SCRIPT_FAILED, error);
}

function failure(text: JsonValue | undefined, code: number = ErrorCode.SCRIPT_FAILED): ProtocolError {
  const message = typeof text === "string" && text !== "" ? text : "Script failed.";
  return new ProtocolError(code, message.slice(0, MAX_TEXT_LENGTH));
}
