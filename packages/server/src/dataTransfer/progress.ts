/** Reports the progress of a long operation. */
export interface Progress {
  /** `count` is the number of items processed so far, `total` the overall number if known. */
  report(what: string, count: number, total?: number): void;
  done(): void;
}

/** Updates a single line on a terminal; otherwise writes a line every few seconds. */
export function terminalProgress(stream: NodeJS.WriteStream): Progress {
  const started = Date.now();
  let lastShownAt = 0;
  const intervalMs = stream.isTTY ? 100 : 3_000;
  return {
    report(what, count, total) {
      const now = Date.now();
      if (now - lastShownAt < intervalMs) return;
      lastShownAt = now;
      const rate = Math.round(count / Math.max(0.001, (now - started) / 1000));
      const of = total === undefined ? "" : ` of ${total.toLocaleString("en")}`;
      const line = `${what}: ${count.toLocaleString("en")}${of} (${rate.toLocaleString("en")}/s)`;
      stream.write(stream.isTTY ? `\r\u001b[2K${line}` : `${line}\n`);
    },
    done() {
      if (stream.isTTY) stream.write("\r\u001b[2K");
    },
  };
}
