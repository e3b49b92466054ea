import {
  ErrorCode,
  type JsonValue,
  MAX_CHANNEL_LENGTH,
  MAX_CHANNELS,
  MAX_DEVICE_TOKEN_LENGTH,
  MAX_INSTALLATION_ID_LENGTH,
  ProtocolError,
} from "@purse/protocol";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";

const MAX_LENGTHS = {
  installationId: MAX_INSTALLATION_ID_LENGTH,
  deviceToken: MAX_DEVICE_TOKEN_LENGTH,
} as const;

/**
 * Anyone can create installations, so the lengths of their IDs and the number of their channels are limited. Throws 107
 * for an ID that is too long, 112 for an invalid channel or too many channels.
 */
export function assertInstallationLimits({ operations, original }: PendingWrite): void {
  for (const [field, max] of Object.entries(MAX_LENGTHS)) {
    const operation = operations[field];
    if (operation?.op !== "Set" || typeof operation.value !== "string") continue;
    if (operation.value.length > max) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, `${field} may have at most ${max} characters`);
    }
  }
  const { channels } = operations;
  if (channels?.op === "Set" && Array.isArray(channels.value)) {
    assertChannels(channels.value, channels.value.length);
  } else if (channels?.op === "Add" || channels?.op === "AddUnique") {
    const known = Array.isArray(original?.channels) ? original.channels : [];
    const all = [...known, ...channels.objects];
    assertChannels(channels.objects, channels.op === "Add" ? all.length : new Set(all).size);
  }
}

/** `count` is the number of channels after the write. */
function assertChannels(added: readonly JsonValue[], count: number): void {
  if (count > MAX_CHANNELS) {
    throw new ProtocolError(
      ErrorCode.INVALID_CHANNEL_NAME,
      `An installation may have at most ${MAX_CHANNELS} channels`,
    );
  }
  const isChannel = (each: JsonValue) =>
    typeof each === "string" && each !== "" && each.length <= MAX_CHANNEL_LENGTH;
  if (added.every(isChannel)) return;
  throw new ProtocolError(
    ErrorCode.INVALID_CHANNEL_NAME,
    `A channel's name is a string of 1 to ${MAX_CHANNEL_LENGTH} characters`,
  );
}
