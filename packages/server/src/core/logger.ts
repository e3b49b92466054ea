import type { LogFields, Logger } from "@purse/kernel";
import type { JsonObject } from "@purse/protocol";
import { type Logger as PinoLogger, pino } from "pino";
import { traceFields } from "./tracing/tracing.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = "text" | "json";
export type { LogFields, Logger };

export interface LoggerOptions {
  /** The minimum level. */
  level: LogLevel;
  format: LogFormat;
  /** Receives one line without a line break. */
  write(line: string): void;
  /** Milliseconds since the epoch. */
  now?(): number;
}

const REDACTED = "[redacted]";
const MAX_DEPTH = 6;
const MAX_TEXT_LENGTH = 4_000;

/** Names of secret fields, compared case-insensitively and without underscores. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  "masterkey",
  "javascriptkey",
  "restapikey",
  "apikey",
  "sessiontoken",
  "password",
  "passwordhash",
  "newpassword",
  "secret",
  "privatekey",
  "mnemonic",
  "signature",
  "authdata",
  "authorization",
  "cookie",
  "setcookie",
  "xapikey",
  "xparsemasterkey",
  "xparsesessiontoken",
]);

/** A session token in any text. */
const SESSION_TOKEN = /\br:[0-9A-Za-z]{16,}/g;

/** The password in a URL; it ends at the last @, since one that is not encoded may contain others. */
const URL_PASSWORD = /(:\/\/[^\s/:@"]*:)[^\s/"]+(?=@)/g;

/** Creates a logger of pino, whose lines are JSON; lines of text are made of them. */
export function createLogger({ level, format, write, now = Date.now }: LoggerOptions): Logger {
  const writeLine = format === "json" ? write : (line: string) => write(textLine(JSON.parse(line)));
  return wrap(
    pino(
      {
        level,
        base: null,
        messageKey: "message",
        mixin: traceFields,
        timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write: (line: string) => writeLine(line.trimEnd()) },
    ),
  );
}

/** The message comes first, and nothing is written unredacted. */
function wrap(logger: PinoLogger): Logger {
  const writer =
    (level: Exclude<LogLevel, "silent">) =>
    (message: string, fields: LogFields = {}) => {
      if (logger.isLevelEnabled(level)) logger[level](redactFields(fields, 0), redactText(message));
    };
  return {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
    with: (fields) => wrap(logger.child(redactFields(fields, 0))),
  };
}

function textLine({ time, level, message, ...fields }: JsonObject): string {
  const details = Object.entries(fields).map(([name, value]) => ` ${name}=${formatValue(value)}`);
  return `${String(time)} ${String(level).padEnd(5)} ${oneLine(String(message))}${details.join("")}`;
}

function formatValue(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value)
    ? value
    : (JSON.stringify(value) ?? "undefined");
}

/** Prevents untrusted text from starting a new line of the log. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, " ⏎ ");
}

/** Whether a field with this name is secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.replace(/[_-]/g, "").toLowerCase());
}

function redactFields(fields: object, depth: number): LogFields {
  const safe: LogFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    safe[name] = isSecretName(name) ? REDACTED : redact(value, depth + 1);
  }
  return safe;
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return value;
  if (depth > MAX_DEPTH) return "…";
  if (value instanceof Error) return redactText(value.stack ?? `${value.name}: ${value.message}`);
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return redactFields(value, depth);
}

function redactText(text: string): string {
  const cut = text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
  return cut.replace(SESSION_TOKEN, `r:${REDACTED}`).replace(URL_PASSWORD, `$1${REDACTED}`);
}
