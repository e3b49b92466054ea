import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { until } from "./until.ts";

/** A mail server that stores received mails. */
export interface MailServer {
  /** For PURSE_SMTP_URL. */
  url: string;
  /** Returns and removes the next mail to an address. */
  next(to: string): Promise<ReceivedMail>;
  /** Whether a mail to an address has come that was not taken yet. */
  has(to: string): boolean;
  count(): number;
  stop(): Promise<void>;
}

export interface ReceivedMail {
  to: string[];
  text: string;
  /** The first link in it. */
  link: string;
  /** All headers, unfolded, with lowercase names. */
  headers: [string, string][];
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let received = 0;
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        // Long lines are folded with `=` at their ends.
        const raw = Buffer.concat(chunks).toString("utf8");
        const end = raw.indexOf("\r\n\r\n");
        const text = raw.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=");
        const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
        received += 1;
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push({ to, text, link, headers: headersIn(raw.slice(0, end)) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    async next(to) {
      const mail = await until(() => mails.find((each) => each.to.includes(to)), {
        otherwise: `No mail to ${to} came`,
      });
      mails.splice(mails.indexOf(mail), 1);
      return mail;
    },
    has: (to) => mails.some((mail) => mail.to.includes(to)),
    count: () => received,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function headersIn(head: string): [string, string][] {
  return head
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
}
