import {
  DEFAULT_MAILS,
  ErrorCode,
  isMailName,
  type JsonObject,
  type MailName,
  type MailTemplate,
  type MailValues,
  ProtocolError,
  renderMail,
  validateMail,
} from "@purse/protocol";
import type { Mail } from "../../core/mail.ts";
import type { ClassSchema } from "../../database/classSchema.ts";
import { getRow } from "../../database/serverRows.ts";
import type { Store } from "../../database/store.ts";

export interface MailTemplatesDependencies {
  store: Store;
  schema: ClassSchema;
  /** Milliseconds since the epoch. */
  clock(): number;
}

/** A template that an operator has written. */
export interface CustomTemplate {
  template: MailTemplate;
  username: string;
  /** ISO 8601. */
  updatedAt: string;
}

/**
 * The templates of the server's emails: custom ones of the operator, or else the built-in ones. They are not cached, so
 * that a change applies to all processes at once.
 */
export class MailTemplates {
  readonly #dependencies: MailTemplatesDependencies;

  constructor(dependencies: MailTemplatesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Renders an email from its template. */
  async render(name: MailName, to: string, values: MailValues): Promise<Mail> {
    const custom = await this.findCustom(name);
    return { to, ...renderMail(custom?.template ?? DEFAULT_MAILS[name].template, values) };
  }

  /** The custom template; undefined if the built-in one is used. */
  async findCustom(name: MailName): Promise<CustomTemplate | undefined> {
    const row = await getRow(this.#dependencies.store, this.#dependencies.schema, name);
    if (!row) return undefined;
    const { subject, text, html, username, updatedAt } = row;
    return {
      template: {
        subject: String(subject),
        text: String(text),
        ...(typeof html === "string" && { html }),
      },
      username: String(username),
      updatedAt: String(updatedAt),
    };
  }

  /** Stores a custom template. Throws 102 if it is not valid. */
  async save(name: MailName, template: MailTemplate, username: string): Promise<void> {
    assertMailTemplate(name, template);
    const at = new Date(this.#dependencies.clock()).toISOString();
    const object: JsonObject = {
      objectId: name,
      createdAt: at,
      updatedAt: at,
      ...template,
      username,
      ACL: {},
    };
    await this.#dependencies.store.write([
      { kind: "restore", schema: this.#dependencies.schema, id: name, object, secret: {} },
    ]);
  }

  /** Deletes the custom template, so that the built-in one is used again. */
  async reset(name: MailName): Promise<void> {
    if (!(await this.findCustom(name))) return;
    await this.#dependencies.store.write([
      { kind: "delete", schema: this.#dependencies.schema, id: name, subjects: null },
    ]);
  }
}

/** Throws 101 if there is no email template of this name. */
export function requireMailName(text: string): MailName {
  if (isMailName(text)) return text;
  throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "Email template not found.");
}

/** Throws 102 if a template is not valid. */
export function assertMailTemplate(name: MailName, template: MailTemplate): void {
  const [problem] = Object.values(validateMail(name, template));
  if (problem !== undefined) throw new ProtocolError(ErrorCode.INVALID_QUERY, problem);
}
