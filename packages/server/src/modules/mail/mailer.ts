import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Logger } from "../../core/logger.ts";
import type { Mail, Mailer } from "../../core/mail.ts";

interface MailConfig {
  /** The sender, as in `Purse <no-reply@example.org>`. */
  from: string;
  /** `smtp://user:password@host:587`, or `smtps://…`. */
  smtpUrl?: string | undefined;
  /** A module whose default export has `sendMail({ to, from, subject, text, html })`. */
  adapter?: string | undefined;
}

export interface MailerOptions {
  mail: MailConfig;
  /** Folder that emails are written to if no mail server is configured; in development only. */
  outbox: string | undefined;
  logger: Logger;
}

/** Formats a sender with a quoted display name, so that special characters in it cannot start another address. */
export function formatSender(name: string, address: string): string {
  const quoted = name.replace(/[\p{Cc}\s]+/gu, " ").replace(/["\\]/g, "\\$&");
  return `"${quoted.trim()}" <${address}>`;
}

/** Timeout of a mail server, in ms. */
const TIMEOUT_MS = 15_000;

/** Creates a mailer that uses an adapter, an SMTP server or the outbox; undefined if none is configured. */
export async function createMailer({ mail, outbox, logger }: MailerOptions): Promise<Mailer | undefined> {
  const { from, smtpUrl, adapter } = mail;
  if (adapter !== undefined) return adapterMailer(adapter, from);
  if (smtpUrl !== undefined) {
    const timeouts = {
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    };
    // Loaded on demand: not every server sends emails.
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({ url: smtpUrl, ...timeouts });
    return {
      async send(message) {
        await transport.sendMail({ from, ...message });
      },
    };
  }
  return outbox === undefined ? undefined : outboxMailer(outbox, from, logger);
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

/** Writes each email to a file that mail clients can open. */
function outboxMailer(folder: string, from: string, logger: Logger): Mailer {
  return {
    async send(mail) {
      const { default: MailComposer } = await import("nodemailer/lib/mail-composer/index.js");
      const message = await new MailComposer({ from, ...mail }).compile().build();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
      const file = join(folder, `${time}-${randomUUID().slice(0, 8)}.eml`);
      await writeFile(file, message, { mode: 0o600 });
      logger.info("an email was written to the outbox", { to: mail.to, subject: mail.subject, file });
    },
  };
}
