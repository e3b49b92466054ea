import type { JsonObject } from "@purse/protocol";
import { storableText } from "../../core/storableText.ts";

/** An installation with a device token. */
export interface PushTarget {
  objectId: string;
  deviceType: string;
  deviceToken: string;
  /** App ID of the installation, if it has one. */
  appIdentifier?: string;
}

/** The message; the same for all targets of a call. */
export interface PushPayload {
  /** `alert`, `title`, `badge`, `sound` and custom fields of the application. */
  data: JsonObject;
  /** ID of its `_PushStatus`. */
  pushId: string;
  /** When it expires; ms since the epoch. */
  expiresAt: number | undefined;
}

/** Result for one target. `isInvalidToken`: the token is permanently invalid. */
export type SendResult =
  | { transmitted: true }
  | { transmitted: false; error: string; isInvalidToken: boolean };

/** A push service. */
export interface PushSender {
  /** The values of `pushType`, or else `deviceType`, of the installations that it serves. */
  deviceTypes: readonly string[];
  /** Returns a result for each target, in their order; does not reject. */
  send(targets: PushTarget[], payload: PushPayload): Promise<SendResult[]>;
  stop(): Promise<void>;
}

/** Timeout of a push service, in ms. */
export const SEND_TIMEOUT_MS = 15_000;
/** Maximum concurrent requests to a push service. */
const MAX_CONCURRENT_SENDS = 25;

export const SENT: SendResult = { transmitted: true };

export function failed(error: string, isInvalidToken = false): SendResult {
  return { transmitted: false, error: storableText(error, 200), isInvalidToken };
}

/** Sends to each target in batches; an error becomes the target's result. */
export async function sendEach(
  targets: PushTarget[],
  send: (target: PushTarget) => Promise<SendResult>,
): Promise<SendResult[]> {
  const results: SendResult[] = [];
  for (let at = 0; at < targets.length; at += MAX_CONCURRENT_SENDS) {
    const batch = targets
      .slice(at, at + MAX_CONCURRENT_SENDS)
      .map((target) =>
        send(target).catch((error: unknown) =>
          failed(error instanceof Error ? error.message : String(error)),
        ),
      );
    results.push(...(await Promise.all(batch)));
  }
  return results;
}

/** The alert that the user sees; undefined if there is none. */
export function alertOf({ alert, title }: JsonObject): JsonObject | undefined {
  const heading: JsonObject = typeof title === "string" ? { title } : {};
  if (typeof alert === "string") return { ...heading, body: alert };
  if (typeof alert === "object" && alert !== null && !Array.isArray(alert)) return { ...heading, ...alert };
  return undefined;
}
