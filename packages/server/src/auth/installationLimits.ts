import {
  applyOperation,
  ErrorCode,
  type JsonValue,
  MAX_CHANNEL_LENGTH,
  MAX_CHANNELS,
  MAX_DEVICE_TOKEN_LENGTH,
  MAX_INSTALLATION_ID_LENGTH,
  type Operation,
  ProtocolError,
} from "@purse/protocol";
import { bypassesPermissions, type RequestContext } from "../core/authContext.ts";
import { jsonLength } from "../core/limits/answerText.ts";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";

const MAX_LENGTHS = {
  installationId: MAX_INSTALLATION_ID_LENGTH,
  deviceToken: MAX_DEVICE_TOKEN_LENGTH,
} as const;

/** The size of an installation, in characters of JSON. */
const MAX_SIZE = 64 * 1024;

/**
 * Anyone can create installations, so the lengths of their IDs, the number of their channels and their size are limited.
 * Throws 107 for an ID that is too long, 112 for an invalid channel or too many channels, 116 (HTTP 413) for a large one.
 */
export function assertInstallationLimits(
  { operations, original }: PendingWrite,
  { auth }: Pick<RequestContext, "auth">,
): void {
  const isTrusted = bypassesPermissions(auth);
  for (const [field, max] of Object.entries(MAX_LENGTHS)) {
    const operation = operations[field];
    if (operation?.op !== "Set" || typeof operation.value !== "string") continue;
    if (operation.value.length > max) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, `${field} may have at most ${max} characters`);
    }
  }
  const { channels } = operations;
  const added = channels && addedChannels(channels);
  if (channels && added) {
    const known = Array.isArray(original?.channels) ? original.channels : [];
    const after = isTrusted ? [] : applyOperation(known, channels);
    assertChannels(added, Array.isArray(after) ? after.length : 0);
  }
  if (!isTrusted) assertSize(operations, original);
}

/** The channels that an operation sets or adds; undefined if it is of another kind. */
function addedChannels(operation: Operation): readonly JsonValue[] | undefined {
  switch (operation.op) {
    case "Set":
      return Array.isArray(operation.value) ? operation.value : undefined;
    case "Add":
    case "AddUnique":
      return operation.objects;
    case "Batch":
      return operation.changes.flatMap(({ op, objects }) => (op === "Remove" ? [] : objects));
    default:
      return undefined;
  }
}

/** Throws if an installation would be too large after a write, unless it consists of nothing but what was there before. */
function assertSize(operations: PendingWrite["operations"], original: PendingWrite["original"]): void {
  const kept = Object.entries(original ?? {}).filter(([name]) => operations[name]?.op !== "Set");
  const size = jsonLength(Object.fromEntries(kept), MAX_SIZE) + jsonLength(operations, MAX_SIZE);
  if (size <= MAX_SIZE) return;
  throw new ProtocolError(
    ErrorCode.OBJECT_TOO_LARGE,
    `An installation may have at most ${MAX_SIZE} characters of JSON`,
    413,
  );
}

/** `count` is the number of channels after the write, as far as it is limited. */
function assertChannels(added: readonly JsonValue[], count: number): void {
  if (count > MAX_CHANNELS) {
    throw new ProtocolError(
      ErrorCode.INVALID_CHANNEL_NAME,
      `An installation may have at most ${MAX_CHANNELS} channels`,
    );
  }
  // The empty one is the broadcast channel, to which the SDKs for Android and Unity subscribe by default.
  const isChannel = (each: JsonValue) => typeof each === "string" && each.length <= MAX_CHANNEL_LENGTH;
  if (added.every(isChannel)) return;
  throw new ProtocolError(
    ErrorCode.INVALID_CHANNEL_NAME,
    `A channel's name is a string of at most ${MAX_CHANNEL_LENGTH} characters`,
  );
}
