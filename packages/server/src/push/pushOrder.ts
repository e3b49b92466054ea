import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseWhere,
} from "@purse/protocol";

/** A push as it was ordered, judged. */
export interface PushOrder {
  where: JsonObject;
  data: JsonObject;
  /** When to send it: UTC, or without `Z` the time that each device's clock shows. Undefined for at once. */
  pushTime: string | undefined;
  /** When it is no use any more; ms since the epoch. */
  expirationTime: number | undefined;
  /** Seconds after it was sent. */
  expirationInterval: number | undefined;
  title: string | undefined;
  /** The row of `_Audience` that `where` is from. */
  audienceId: string | undefined;
}

/** Reads the body of `POST /push`. Throws 115, and what a bad `where` throws. */
export function parsePushOrder(body: JsonObject, now: number): PushOrder {
  const where = whereOf(body);
  const expirationTime = timeOf(body, "expiration_time")?.at;
  const expirationInterval = intervalOf(body);
  if (expirationTime && expirationInterval) {
    throw misconfigured("Both expiration_time and expiration_interval cannot be set");
  }
  const pushTime = timeOf(body, "push_time");
  if (body.data !== undefined && !isJsonObject(body.data)) throw misconfigured("data must be an object");
  const data = isJsonObject(body.data) ? body.data : {};
  badgeOf(data);
  const isAtOnce = pushTime === undefined;
  return {
    where,
    data,
    pushTime: pushTime && new Date(pushTime.at).toISOString().slice(0, pushTime.isLocal ? -1 : undefined),
    expirationTime:
      expirationInterval !== undefined && isAtOnce ? now + expirationInterval * 1_000 : expirationTime,
    expirationInterval,
    title: typeof body.title === "string" ? body.title : undefined,
    audienceId: typeof body.audience_id === "string" ? body.audience_id : undefined,
  };
}

/** What a message does to the badge of who gets it. Throws 115 for what is none. */
export function badgeOf({ badge }: JsonObject): { increment: number } | { set: number } | undefined {
  if (!badge) return undefined;
  if (typeof badge === "string" && badge.toLowerCase() === "increment") return { increment: 1 };
  if (isJsonObject(badge) && typeof badge.__op === "string" && badge.__op.toLowerCase() === "increment") {
    if (typeof badge.amount === "number" && badge.amount !== 0) return { increment: badge.amount };
  }
  if (typeof badge === "number") return { set: badge };
  throw misconfigured("Invalid value for badge, expected number or 'Increment' or {increment: number}");
}

function whereOf({ where, channels }: JsonObject): JsonObject {
  if (where !== undefined && channels !== undefined) {
    throw misconfigured("Channels and query can not be set at the same time.");
  }
  if (where === undefined && channels === undefined) {
    throw misconfigured('Sending a push requires either "channels" or a "where" query.');
  }
  const asked: JsonValue = where ?? { channels: { $in: channels ?? [] } };
  parseWhere(asked);
  return isJsonObject(asked) ? asked : {};
}

function timeOf(
  body: JsonObject,
  name: "expiration_time" | "push_time",
): { at: number; isLocal: boolean } | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  const isNumber = typeof value === "number";
  const isLocal = !isNumber && !/(Z|[+-]\d\d:\d\d)$/.test(String(value));
  // A time that names no zone is read as UTC, whatever the zone of the machine.
  const isTimeOfDay = isLocal && String(value).includes("T");
  const at = isNumber
    ? value * 1_000
    : typeof value === "string"
      ? Date.parse(value + (isTimeOfDay ? "Z" : ""))
      : Number.NaN;
  if (!Number.isFinite(new Date(at).valueOf())) {
    throw misconfigured(`${typeof value === "object" ? JSON.stringify(value) : value} is not valid time.`);
  }
  return { at, isLocal: name === "push_time" && isLocal };
}

function intervalOf({ expiration_interval: interval }: JsonObject): number | undefined {
  if (interval === undefined) return undefined;
  if (typeof interval === "number" && interval > 0) return interval;
  throw misconfigured("expiration_interval must be a number greater than 0");
}

function misconfigured(message: string): ProtocolError {
  return new ProtocolError(ErrorCode.PUSH_MISCONFIGURED, message);
}
