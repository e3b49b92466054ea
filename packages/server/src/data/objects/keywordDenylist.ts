import { ErrorCode, isJsonObject, type JsonValue, ProtocolError } from "@purse/protocol";
import type { DeniedKeyword } from "../../config/keywordDenylist.ts";

/** Throws 105 if data contains a denied keyword, at any depth. */
export type AssertAllowed = (data: JsonValue) => void;

type Matches = (value: JsonValue) => boolean;

/** Creates the check of the data that clients and triggers write. */
export function createKeywordCheck(denied: readonly DeniedKeyword[]): AssertAllowed {
  const rules = denied.map((keyword) => ({
    keyword,
    matchesKey: matcherOf(keyword.key),
    matchesValue: matcherOf(keyword.value),
  }));

  function check(data: JsonValue): void {
    if (Array.isArray(data)) for (const [i, value] of data.entries()) checkEntry(String(i), value);
    else if (isJsonObject(data)) for (const key in data) checkEntry(key, data[key] ?? null);
  }

  function checkEntry(key: string, value: JsonValue): void {
    for (const { keyword, matchesKey, matchesValue } of rules) {
      if (!matchesKey(key) || !matchesValue(value)) continue;
      throw new ProtocolError(
        ErrorCode.INVALID_KEY_NAME,
        `Prohibited keyword in request data: ${JSON.stringify(keyword)}.`,
      );
    }
    check(value);
  }

  return rules.length === 0 ? () => undefined : check;
}

/** Strings are patterns, which match strings only; without a pattern everything matches. */
function matcherOf(pattern: DeniedKeyword["key"]): Matches {
  if (pattern === undefined) return () => true;
  if (typeof pattern !== "string") return (value) => value === pattern;
  const expression = new RegExp(pattern);
  return (value) => typeof value === "string" && expression.test(value);
}
