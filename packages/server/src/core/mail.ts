import type { MailName, MailValues } from "@purse/protocol";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html?: string;
}

/** Sends emails. Rejects if the mail server does not accept an email. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
}

/** Emails of the server. */
export interface MailService {
  /** Undefined if email is not configured. */
  mailer: Mailer | undefined;
  /** Renders an email from its template. */
  render(name: MailName, to: string, values: MailValues): Promise<Mail>;
}
