import {
  ErrorCode,
  type JsonValue,
  MAX_CHANNEL_LENGTH,
  MAX_CHANNELS,
  MAX_DEVICE_TOKEN_LENGTH,
  MAX_INSTALLATION_ID_LENGTH,
  ProtocolError,
} from "@purse/protocol";
import type { Draft } from "../objects/draft.ts";

const LENGTHS = {
  installationId: MAX_INSTALLATION_ID_LENGTH,
  deviceToken: MAX_DEVICE_TOKEN_LENGTH,
} as const;

/**
 * Installations are made by anybody: what they are found by is short, and their channels are few. Throws 107 for ids
 * that are too long, 112 for channels that are none or too many.
 */
export function assertInstallationBounds({ operations, original }: Draft): void {
  for (const [field, max] of Object.entries(LENGTHS)) {
    const operation = operations[field];
    if (operation?.op !== "Set" || typeof operation.value !== "string") continue;
    if (operation.value.length > max) {
      throw new ProtocolError(ErrorCode.INVALID_JSON, `${field} takes ${max} characters at most`);
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

/** `count` are there in the end. */
function assertChannels(added: readonly JsonValue[], count: number): void {
  if (count > MAX_CHANNELS) {
    throw new ProtocolError(
      ErrorCode.INVALID_CHANNEL_NAME,
      `An installation takes ${MAX_CHANNELS} channels at most`,
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
