import {
  ErrorCode,
  fillMail,
  isMailName,
  type JsonObject,
  MAILS,
  type MailName,
  type MailTemplate,
  type MailValues,
  mailProblems,
  ProtocolError,
} from "@purse/protocol";
import type { ClassSchema } from "../schema/classSchema.ts";
import type { Store } from "../store/store.ts";
import type { Mail } from "./mailer.ts";

export interface MailTemplatesParts {
  store: Store;
  schema: ClassSchema;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/** A mail as somebody wrote it, and who. */
export interface WrittenTemplate {
  template: MailTemplate;
  username: string;
  /** ISO. */
  writtenAt: string;
}

/**
 * What the server's own mails say: what an operator wrote, or else what comes with the server. Each mail asks the
 * database, so that all processes say the same from the moment of a change on.
 */
export class MailTemplates {
  readonly #parts: MailTemplatesParts;

  constructor(parts: MailTemplatesParts) {
    this.#parts = parts;
  }

  /** A mail that can be sent. */
  async mail(name: MailName, to: string, values: MailValues): Promise<Mail> {
    const written = await this.written(name);
    return { to, ...fillMail(written?.template ?? MAILS[name].template, values) };
  }

  /** What somebody wrote; undefined where the mail is as it comes. */
  async written(name: MailName): Promise<WrittenTemplate | undefined> {
    const text = await this.#parts.store.get(this.#parts.schema, name, null);
    if (text === undefined) return undefined;
    const { subject, text: body, html, username, updatedAt }: JsonObject = JSON.parse(text);
    return {
      template: {
        subject: String(subject),
        text: String(body),
        ...(typeof html === "string" && { html }),
      },
      username: String(username),
      writtenAt: String(updatedAt),
    };
  }

  /** Throws 102, and says what is wrong, where the mail could not do its work. */
  async write(name: MailName, template: MailTemplate, username: string): Promise<void> {
    assertMail(name, template);
    const at = new Date(this.#parts.clock()).toISOString();
    const object: JsonObject = {
      objectId: name,
      createdAt: at,
      updatedAt: at,
      ...template,
      username,
      ACL: {},
    };
    await this.#parts.store.write([
      { kind: "restore", schema: this.#parts.schema, id: name, object, secret: {} },
    ]);
  }

  /** The mail is again as it comes. */
  async reset(name: MailName): Promise<void> {
    if (!(await this.written(name))) return;
    await this.#parts.store.write([
      { kind: "delete", schema: this.#parts.schema, id: name, principals: null },
    ]);
  }
}

/** Throws 101. */
export function mailNameOf(text: string): MailName {
  if (isMailName(text)) return text;
  throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such mail.");
}

export function assertMail(name: MailName, template: MailTemplate): void {
  const [problem] = Object.values(mailProblems(name, template));
  if (problem !== undefined) throw new ProtocolError(ErrorCode.INVALID_QUERY, problem);
}
