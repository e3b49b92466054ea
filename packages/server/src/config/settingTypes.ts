import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type SettingOptions, settingOptions, variableOf } from "@purse/kernel";
import { z } from "zod";
import { createAddressMatcher } from "../core/http/address.ts";
import { parseSize } from "./filesStore.ts";

/** The groups of the configuration page, in reading order. */
export const SETTING_GROUPS = [
  "Server",
  "Keys",
  "Database and queries",
  "Classes and permissions",
  "Users and sessions",
  "Rate limits",
  "GraphQL",
  "AI tools (MCP)",
  "Request bodies",
  "Repeated requests",
  "Email",
  "Cloud code and webhooks",
  "Files",
  "IPFS and NFT metadata",
  "Push notifications",
  "Chains",
  "Data API",
  "Wallet services of the app",
  "Compatibility with old clients",
] as const;

export type SettingGroup = (typeof SETTING_GROUPS)[number];

/** What is known of a setting. */
export interface SettingInfo extends SettingOptions {
  group: SettingGroup;
  env: `PURSE_${string}`;
}

/** The names, descriptions and defaults of the settings. */
export const settingInfos = z.registry<SettingInfo>();

/** Declares the settings of a group by their keys in purse.config.ts. */
export function settingGroup<Schemas extends Record<string, z.ZodType>>(
  group: SettingGroup,
  schemas: Schemas,
): Schemas {
  for (const [key, schema] of Object.entries(schemas)) {
    const options = settingOptions(key, schema);
    settingInfos.add(schema, { ...options, env: options.env ?? variableOf(key), group });
  }
  return schemas;
}

/** The protocols of web URLs. */
export const HTTP = /^https?:$/;

/** A whole number. */
export function integer(min: number, max: number) {
  const error = `it must be a whole number from ${min} to ${max}`;
  return z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], { error })
    .pipe(z.int({ error }).min(min, { error }).max(max, { error }));
}

/** Bytes of a limit, at least 1 KiB; 0 for no limit. */
export function bytesOrNone() {
  const error = "it must be 0, or a number of bytes from 1024";
  return integer(0, 2 ** 40).refine((bytes) => bytes === 0 || bytes >= 1_024, { error });
}

/** A number from 1 to `max`, or auto. */
export function countOrAuto(max: number) {
  return z.union([z.literal("auto"), integer(1, max)], {
    error: `it must be a whole number from 1 to ${max}, or auto`,
  });
}

export function positiveNumber(max: number) {
  const error = `it must be a number above 0, up to ${max}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d+(?:\.\d+)?$/)
          .transform(Number),
      ],
      { error },
    )
    .pipe(z.number({ error }).positive({ error }).max(max, { error }));
}

/** 1 or 0, true or false. */
export function flag() {
  const error = "it must be 0 or 1";
  return z
    .union([z.boolean(), z.number(), z.string()], { error })
    .transform(String)
    .pipe(z.stringbool({ truthy: ["1", "true"], falsy: ["0", "false"], case: "sensitive", error }));
}

export function text() {
  return z.string().refine((value) => value.trim() !== "", { error: "it must not be empty" });
}

export function secret(length: number) {
  return z.string().min(length, { error: `it must have at least ${length} characters` });
}

export function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return z.enum(choices, { error: `it must be one of ${choices.join(", ")}` });
}

/** A value that a function parses from text; it throws Error that says what is allowed. */
export function parsed<Value>(parse: (text: string) => Value) {
  return z.string().transform((value, context) => attempt(() => parse(value), context));
}

/** A list of texts, or one text with commas between them, that a function parses. */
export function list<Value>(parse: (text: string) => Value) {
  return z
    .union([z.string(), z.array(z.string())], { error: "it must be a list, or text with commas" })
    .transform((value, context) => attempt(() => parse(String(value)), context));
}

/** The path of a file that exists. */
export function filePath() {
  return z.string().superRefine((path, context) => void attempt(() => assertFile(path), context));
}

/** Throws Error that names the file if there is none. */
export function assertFile(path: string): void {
  if (!existsSync(path)) throw missingFile(path);
}

/** The text of a file of the operator. Throws Error that names it if it cannot be read. */
export function fileText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    throw code === "ENOENT" ? missingFile(path) : new Error(`${resolve(path)} cannot be read (${code})`);
  }
}

function missingFile(path: string): Error {
  return new Error(`it names ${resolve(path)}, which does not exist`);
}

/** A number of bytes, such as 20mb. */
export function size() {
  return z
    .union([z.string(), z.number()])
    .transform((value, context) => attempt(() => parseSize(String(value)), context));
}

/** IP addresses and ranges. */
export function addresses() {
  return list((value) => {
    const entries = value.split(",").map((address) => address.trim());
    createAddressMatcher(entries);
    return entries;
  });
}

export function webUrl() {
  return urlWith(HTTP, "it must be http://… or https://…");
}

export function smtpUrl() {
  return urlWith(/^smtps?:$/, "it must be smtp://user:password@host:587 or smtps://…");
}

/** A URL of this server, without slashes at its end. */
export function serverUrl() {
  return baseUrl("it must be an http:// or https:// URL such as https://example.org/server");
}

/** A web URL, without slashes at its end; `error` says what is allowed. */
export function baseUrl(error: string) {
  return urlWith(HTTP, error).transform((value) => value.replace(/\/+$/, ""));
}

/** A URL with one of the protocols; `error` says what is allowed. */
export function urlWith(protocol: RegExp, error: string) {
  return z
    .string()
    .refine((value) => URL.canParse(value) && protocol.test(new URL(value).protocol), { error });
}

/** Parses in a transformation: what the function throws becomes an issue. */
export function attempt<Value>(parse: () => Value, context: z.RefinementCtx, path: string[] = []): Value {
  try {
    return parse();
  } catch (error) {
    context.addIssue({
      code: "custom",
      path,
      message: error instanceof Error ? error.message : String(error),
    });
    return z.NEVER;
  }
}
