import type { JsonObject } from "@purse/protocol";
import { createLogger, LOG_LEVELS, type LogFields, type Logger, type LogLevel } from "./logger.ts";

export interface LogLine {
  /** Increases by one with each line. */
  seq: number;
  time: string;
  level: string;
  message: string;
  fields: JsonObject;
}

export interface LogFilter {
  /** The minimum level. */
  level?: string | undefined;
  /** Text in the message or the fields, case-insensitive. */
  text?: string | undefined;
  requestId?: string | undefined;
  /** Only lines after this sequence number. */
  after?: number | undefined;
}

/** Keeps the last lines of the log in memory, without secrets. */
export interface LogBuffer {
  /** Writes to the given logger and to the buffer. */
  logger: Logger;
  /** Returns matching lines, oldest first. */
  lines(filter: LogFilter): LogLine[];
  /** Calls the listener with each new line. Returns a function that removes it. */
  onLine(listener: (line: LogLine) => void): () => void;
}

const MAX_LINES = 2_000;

export function createLogBuffer(target: Logger, level: LogLevel): LogBuffer {
  const buffer: LogLine[] = [];
  const listeners = new Set<(line: LogLine) => void>();
  let seq = 0;
  const bufferLogger = createLogger({
    level: level === "debug" ? "debug" : "info",
    format: "json",
    write: append,
  });

  function append(text: string): void {
    const { time, level: lineLevel, message, ...fields }: JsonObject = JSON.parse(text);
    const line = {
      seq: ++seq,
      time: String(time),
      level: String(lineLevel),
      message: redactSetupToken(String(message)),
      fields,
    };
    buffer.push(line);
    // Trims in larger steps, so that it does not happen with every line.
    if (buffer.length > MAX_LINES * 1.25) buffer.splice(0, buffer.length - MAX_LINES);
    for (const listener of listeners) listener(line);
  }

  return {
    logger: teeLogger(target, bufferLogger),
    lines: (filter) => buffer.filter((line) => matchesFilter(line, filter)),
    onLine(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Redacts the setup token of the studio, which is for the terminal only. */
function redactSetupToken(message: string): string {
  return message.replace(/(#setup=)[\w-]+/g, "$1…");
}

/** Whether a line matches a filter. */
export function matchesFilter(line: LogLine, { level, text, requestId, after }: LogFilter): boolean {
  if (after !== undefined && line.seq <= after) return false;
  if (level !== undefined && rankOf(line.level) < rankOf(level)) return false;
  if (requestId !== undefined && line.fields.requestId !== requestId) return false;
  if (text === undefined) return true;
  return `${line.message} ${JSON.stringify(line.fields)}`.toLowerCase().includes(text.toLowerCase());
}

const LEVELS: readonly string[] = LOG_LEVELS;

function rankOf(level: string): number {
  return LEVELS.indexOf(level);
}

function teeLogger(first: Logger, second: Logger): Logger {
  const writeBoth = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: LogFields) => {
    first[level](message, fields);
    second[level](message, fields);
  };
  return {
    debug: writeBoth("debug"),
    info: writeBoth("info"),
    warn: writeBoth("warn"),
    error: writeBoth("error"),
    with: (fields) => teeLogger(first.with(fields), second.with(fields)),
  };
}
