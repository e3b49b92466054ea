/** Shows how far long work has come. */
export interface Progress {
  /** `count` is what has been done of a thing so far. */
  report(what: string, count: number): void;
  done(): void;
}

/** One line on standard error that is written over; where that is no terminal, a line every few seconds. */
export function terminalProgress(stream: NodeJS.WriteStream): Progress {
  let shown = 0;
  /** Of what is under way, and how many of it there were when it began to be told. */
  let current = { what: "", since: Date.now(), from: 0 };
  const every = stream.isTTY ? 100 : 3_000;
  return {
    report(what, count) {
      const now = Date.now();
      if (what !== current.what || count < current.from) current = { what, since: now, from: count };
      if (now - shown < every) return;
      shown = now;
      const seconds = (now - current.since) / 1000;
      const rate = seconds < 0.1 ? "" : ` (${perSecond((count - current.from) / seconds)})`;
      const line = `${what}: ${count.toLocaleString("en")}${rate}`;
      stream.write(stream.isTTY ? `\r\u001b[2K${line}` : `${line}\n`);
    },
    done() {
      if (stream.isTTY) stream.write("\r\u001b[2K");
    },
  };
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en")}/s`;
}
