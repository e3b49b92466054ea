import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";

/** Whether a write failed because another process has created or deleted an object: it has to be retried. */
export function isConflict(error: unknown): boolean {
  const { OBJECT_NOT_FOUND, DUPLICATE_VALUE } = ErrorCode;
  return (
    error instanceof ProtocolError && (error.code === OBJECT_NOT_FOUND || error.code === DUPLICATE_VALUE)
  );
}

export function stringField(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value : "";
}

export function numberField(object: JsonObject, key: string): number {
  const value = object[key];
  return typeof value === "number" ? value : -1;
}
