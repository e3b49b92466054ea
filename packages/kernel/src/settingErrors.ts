import { z } from "zod";
import { didYouMean } from "./closestName.ts";

/** An invalid value of a setting. */
export class SettingError extends Error {
  /** The key of the setting, with the members that lead to the value: `push.webPush.subject`, `watch[0].abi`. */
  readonly location: string;

  constructor(location: string, message: string) {
    super(message);
    this.location = location;
  }
}

/** Parses the value of a setting. Throws SettingError that says what is allowed there. */
export function parseSetting<Schema extends z.ZodType>(
  key: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  // Code that is compiled for one object of this size takes longer, and stays in memory.
  const result = schema.safeParse(value, { jitless: true, error: unknownKeyMessage });
  if (result.success) return result.data;
  const [first] = result.error.issues;
  const { path, message } = first ? deepest(first, []) : { path: [], message: "it is not valid" };
  const location = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
  throw new SettingError(`${key}${location}`, message);
}

/**
 * Parses a value of the config file at a key such as `rateLimits`. Throws Error with the key and what is allowed there.
 */
export function parseAt<Schema extends z.ZodType>(
  key: string,
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  try {
    return parseSetting(key, schema, value);
  } catch (error) {
    throw error instanceof SettingError ? inConfigFile(error) : error;
  }
}

/** The error of an invalid value as that of the config file. */
export function inConfigFile({ location, message }: SettingError): Error {
  return new Error(`"${location}" of the config file: ${message}`);
}

/** The message about a key that an object does not have; undefined for the usual message of other issues. */
function unknownKeyMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const [key] = issue.code === "unrecognized_keys" ? issue.keys : [];
  if (key === undefined || !(issue.inst instanceof z.ZodObject)) return undefined;
  const known = Object.keys(issue.inst.shape);
  return `"${key}" is not known${didYouMean(key, known) || `: ${known.join(", ")} are`}`;
}

interface IssueLocation {
  path: PropertyKey[];
  message: string;
}

/**
 * The path and message of an issue. For a union, the best matching alternative is reported: the one with the deepest
 * error.
 */
export function deepest(issue: z.core.$ZodIssue, parent: PropertyKey[]): IssueLocation {
  const path = [...parent, ...issue.path];
  if (issue.code === "invalid_key") return { path, message: issue.issues[0]?.message ?? issue.message };
  const own: IssueLocation = { path, message: issue.message };
  if (issue.code !== "invalid_union") return own;
  const nested = issue.errors.flatMap(([first]) => (first ? [deepest(first, own.path)] : []));
  return nested.reduce((best, each) => (each.path.length > best.path.length ? each : best), own);
}
