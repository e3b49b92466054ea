/** Shows how far long work has come. */
export interface Progress {
  /** `count` is what has been done of a thing so far, `of` how much there is, where that is known. */
  report(what: string, count: number, of?: number): void;
  done(): void;
}

/** One line on standard error that is written over; where that is no terminal, a line every few seconds. */
export function terminalProgress(stream: NodeJS.WriteStream): Progress {
  const started = Date.now();
  let shown = 0;
  const every = stream.isTTY ? 100 : 3_000;
  return {
    report(what, count) {
      const now = Date.now();
      if (now - shown < every) return;
      shown = now;
      const rate = Math.round(count / Math.max(0.001, (now - started) / 1000));
      const line = `${what}: ${count.toLocaleString("en")} (${rate.toLocaleString("en")}/s)`;
      stream.write(stream.isTTY ? `\r\u001b[2K${line}` : `${line}\n`);
    },
    done() {
      if (stream.isTTY) stream.write("\r\u001b[2K");
    },
  };
}
