import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Logger } from "../observe/logger.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

/** Sends mails. Rejects where a mail could not be handed over. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

export interface MailConfig {
  /** The sender, as in `Purse <no-reply@example.org>`. */
  from: string;
  /** `smtp://user:password@host:587`, or `smtps://…`. */
  smtpUrl?: string | undefined;
  /** A module whose default export has `sendMail({ to, from, subject, text, html })`. */
  adapter?: string | undefined;
}

export interface MailerParts {
  mail: MailConfig;
  /** Where mails are put down when there is nothing to send them with: in development. */
  outbox: string | undefined;
  log: Logger;
}

/** A sender with a display name, quoted: a comma or a bracket in it begins no other address. */
export function senderOf(name: string, address: string): string {
  const quoted = name.replace(/[\p{Cc}\s]+/gu, " ").replace(/["\\]/g, "\\$&");
  return `"${quoted.trim()}" <${address}>`;
}

/** How long a mail server may keep us waiting, in ms. */
const TIMEOUT_MS = 15_000;

/** The way mails take: an adapter, an SMTP server, the outbox; undefined where there is none. */
export async function createMailer({ mail, outbox, log }: MailerParts): Promise<Mailer | undefined> {
  const { from, smtpUrl, adapter } = mail;
  if (adapter !== undefined) return adapterMailer(adapter, from);
  if (smtpUrl !== undefined) {
    const timeouts = {
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    };
    // A server that sends no mails does not load what sends them.
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({ url: smtpUrl, ...timeouts });
    return {
      async send(message) {
        await transport.sendMail({ from, ...message });
      },
    };
  }
  return outbox === undefined ? undefined : outboxMailer(outbox, from, log);
}

async function adapterMailer(path: string, from: string): Promise<Mailer> {
  const module: { default?: unknown } = await import(pathToFileURL(path).href);
  const adapter = module.default;
  if (!isAdapter(adapter)) throw new Error(`${path} must export an object with sendMail as default`);
  return {
    async send(message) {
      await adapter.sendMail({ from, ...message });
    },
  };
}

function isAdapter(value: unknown): value is { sendMail(mail: Mail & { from: string }): unknown } {
  return (
    typeof value === "object" && value !== null && "sendMail" in value && typeof value.sendMail === "function"
  );
}

/** Each mail becomes a file that a mail program opens. */
function outboxMailer(folder: string, from: string, log: Logger): Mailer {
  return {
    async send(mail) {
      const { default: MailComposer } = await import("nodemailer/lib/mail-composer/index.js");
      const message = await new MailComposer({ from, ...mail }).compile().build();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
      const file = join(folder, `${time}-${randomUUID().slice(0, 8)}.eml`);
      await writeFile(file, message, { mode: 0o600 });
      log.info("a mail was put into the outbox", { to: mail.to, subject: mail.subject, file });
    },
  };
}
