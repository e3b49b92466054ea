import type { JsonObject } from "@purse/protocol";

/** An installation that can be reached. */
export interface PushTarget {
  objectId: string;
  deviceType: string;
  deviceToken: string;
  /** The app on its device, where the installation names it. */
  appIdentifier?: string;
}

/** What is sent, the same for all targets of a call. */
export interface PushPayload {
  /** `alert`, `title`, `badge`, `sound` and whatever else the application reads. */
  data: JsonObject;
  /** Of its `_PushStatus`. */
  pushId: string;
  /** When it is no use any more; ms since the epoch. */
  expiresAt: number | undefined;
}

/** `isGone`: the token will never work again. */
export type Outcome = { transmitted: true } | { transmitted: false; error: string; isGone: boolean };

/** One service that carries messages to devices. */
export interface PushSender {
  /** The installations that it reaches, by their `pushType`, else by their `deviceType`. */
  kinds: readonly string[];
  /** Answers an outcome for each target, in their order; does not reject. */
  send(targets: PushTarget[], payload: PushPayload): Promise<Outcome[]>;
  stop(): Promise<void>;
}

/** How long a service may keep us waiting, in ms. */
export const SEND_TIMEOUT_MS = 15_000;
/** Messages that are on their way to a service at one time. */
const AT_ONCE = 25;

export const SENT: Outcome = { transmitted: true };

export function failed(error: string, isGone = false): Outcome {
  return { transmitted: false, error: error.slice(0, 200), isGone };
}

/** Sends to each target, some at a time; what a send throws becomes its outcome. */
export async function sendEach(
  targets: PushTarget[],
  send: (target: PushTarget) => Promise<Outcome>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let at = 0; at < targets.length; at += AT_ONCE) {
    const some = targets
      .slice(at, at + AT_ONCE)
      .map((target) =>
        send(target).catch((error: unknown) =>
          failed(error instanceof Error ? error.message : String(error)),
        ),
      );
    outcomes.push(...(await Promise.all(some)));
  }
  return outcomes;
}

/** What of a message is for people to read. */
export function alertOf({ alert, title }: JsonObject): JsonObject | undefined {
  const heading: JsonObject = typeof title === "string" ? { title } : {};
  if (typeof alert === "string") return { ...heading, body: alert };
  if (typeof alert === "object" && alert !== null && !Array.isArray(alert)) return { ...heading, ...alert };
  return undefined;
}
