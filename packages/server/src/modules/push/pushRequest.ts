import {
  ErrorCode,
  isJsonObject,
  isoTime,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  parseWhere,
  readEmptyArrayAsObject,
  withParsedWhere,
} from "@purse/protocol";

/** A validated push request. */
export interface PushRequest {
  where: JsonObject;
  data: JsonObject;
  /** When to send it: UTC, or without `Z` in each device's local time. Undefined to send it immediately. */
  pushTime: string | undefined;
  /** When it expires; ms since the epoch. */
  expirationTime: number | undefined;
  /** Seconds from sending until it expires. */
  expirationInterval: number | undefined;
  title: string | undefined;
  /** ID of the `_Audience` that `where` comes from. */
  audienceId: string | undefined;
}

/** Parses the body of `POST /push`. Throws 115, and the errors of an invalid `where`. */
export function parsePushRequest(body: JsonObject, now: number): PushRequest {
  const where = whereOf(withParsedWhere(body));
  const expirationTime = timeOf(body, "expiration_time")?.at;
  const expirationInterval = intervalOf(body);
  if (expirationTime && expirationInterval) {
    throw misconfigured("Both expiration_time and expiration_interval cannot be set");
  }
  const pushTime = timeOf(body, "push_time");
  const data = readEmptyArrayAsObject(body.data ?? {});
  if (!isJsonObject(data)) throw misconfigured("data must be an object");
  badgeOf(data);
  const isImmediate = pushTime === undefined;
  return {
    where,
    data,
    pushTime: pushTime && new Date(pushTime.at).toISOString().slice(0, pushTime.isLocal ? -1 : undefined),
    expirationTime:
      expirationInterval !== undefined && isImmediate ? now + expirationInterval * 1_000 : expirationTime,
    expirationInterval,
    title: typeof body.title === "string" ? body.title : undefined,
    audienceId: typeof body.audience_id === "string" ? body.audience_id : undefined,
  };
}

/** How a message changes the badge. Throws 115 if `badge` is not valid. */
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
  const query: JsonValue = where ?? { channels: { $in: channels ?? [] } };
  parseWhere(query);
  return isJsonObject(query) ? query : {};
}

function timeOf(
  body: JsonObject,
  name: "expiration_time" | "push_time",
): { at: number; isLocal: boolean } | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  const isNumber = typeof value === "number";
  const isLocal = !isNumber && !/[T ].*(Z|[+-]\d\d(:?\d\d)?)$/i.test(String(value));
  // Without a zone, a time of day is in UTC, whatever the zone of the server.
  const time = typeof value === "string" ? isoTime(value) : undefined;
  const at = isNumber ? value * 1_000 : (time ?? Number.NaN);
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
