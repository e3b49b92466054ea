import type { JsonObject, StudioLogLine } from "@purse/protocol";
import { createLog, LOG_LEVELS, type Log, type LogFields, type LogLevel } from "./log.ts";

export interface LogFilter {
  /** The least important level. */
  level?: string | undefined;
  /** Somewhere in the message or the fields, whatever the case. */
  text?: string | undefined;
  requestId?: string | undefined;
  /** Only lines after this one. */
  after?: number | undefined;
}

/** The last lines of the log in memory, as safe as what is written: without secrets. */
export interface RecentLog {
  /** Writes where the given log does, and is remembered. */
  log: Log;
  /** The oldest first. */
  lines(filter: LogFilter): StudioLogLine[];
  /** Returns the way to be told no longer. */
  onLine(listener: (line: StudioLogLine) => void): () => void;
}

const MOST = 2_000;

export function createRecentLog(written: Log, level: LogLevel): RecentLog {
  const kept: StudioLogLine[] = [];
  const listeners = new Set<(line: StudioLogLine) => void>();
  let seq = 0;
  const own = createLog({ level: level === "debug" ? "debug" : "info", format: "json", write: keep });

  function keep(text: string): void {
    const { time, level: lineLevel, message, ...fields }: JsonObject = JSON.parse(text);
    const line = {
      seq: ++seq,
      time: String(time),
      level: String(lineLevel),
      message: withoutSetup(String(message)),
      fields,
    };
    kept.push(line);
    // Cut off a good part at once, so that this is not done at every line.
    if (kept.length > MOST * 1.25) kept.splice(0, kept.length - MOST);
    for (const listener of listeners) listener(line);
  }

  return {
    log: both(written, own),
    lines: (filter) => kept.filter((line) => isWanted(line, filter)),
    onLine(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Who may read the log may not yet become its owner: the way to set up the studio is for the terminal alone. */
function withoutSetup(message: string): string {
  return message.replace(/(#setup=)[\w-]+/g, "$1…");
}

/** Whether a line fulfils a filter. */
export function isWanted(line: StudioLogLine, { level, text, requestId, after }: LogFilter): boolean {
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

function both(first: Log, second: Log): Log {
  const tell = (level: "debug" | "info" | "warn" | "error") => (message: string, fields?: LogFields) => {
    first[level](message, fields);
    second[level](message, fields);
  };
  return {
    debug: tell("debug"),
    info: tell("info"),
    warn: tell("warn"),
    error: tell("error"),
    with: (fields) => both(first.with(fields), second.with(fields)),
  };
}
