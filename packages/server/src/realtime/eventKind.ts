import type { LoggedChange } from "../database/changeLog.ts";

export type EventKind = "create" | "update" | "enter" | "leave" | "delete";

/** The kind of event for a query, given whether it matched before and after the change. */
export function eventKind(
  change: LoggedChange,
  matchedBefore: boolean,
  matchesAfter: boolean,
): EventKind | undefined {
  if (change.before === null) return matchesAfter ? "create" : undefined;
  if (change.after === null) return matchedBefore ? "delete" : undefined;
  if (matchedBefore) return matchesAfter ? "update" : "leave";
  return matchesAfter ? "enter" : undefined;
}
