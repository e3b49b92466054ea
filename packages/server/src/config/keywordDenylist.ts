import { z } from "zod";

const PATTERN = z.union([z.string(), z.number(), z.boolean()]);
const isPattern = (text: unknown): boolean => {
  try {
    return typeof text !== "string" || new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
};

/** A key, a value or a pair of both that objects may not contain; strings are regular expressions. */
export type DeniedKeyword = z.output<typeof DENIED_KEYWORD>;

const DENIED_KEYWORD = z
  .strictObject({ key: PATTERN.optional(), value: PATTERN.optional() })
  .refine(({ key, value }) => key !== undefined || value !== undefined, {
    error: "it needs a key, a value, or both",
  })
  .refine(({ key, value }) => isPattern(key) && isPattern(value), {
    error: "its strings must be regular expressions",
  });

/** `requestKeywordDenylist` of the config file. Keys such as `__proto__` are always refused. */
export const keywordDenylistSchema = z.array(DENIED_KEYWORD).default([{ key: "_bsontype", value: "Code" }]);
