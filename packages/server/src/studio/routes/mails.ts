import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  ErrorCode,
  fillMail,
  type JsonObject,
  MAILS,
  type MailName,
  type MailTemplate,
  ProtocolError,
  type StudioMailTemplate,
} from "@purse/protocol";
import { isEmailAddress } from "../../auth/emailAddress.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { assertMailTemplate, type MailTemplates, requireMailName } from "../../mail/mailTemplates.ts";
import { objectIn, optionalTextIn, textIn } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute, signedInAs } from "../route.ts";

export interface MailParts {
  /** Undefined where mails cannot be sent. */
  mailer: Mailer | undefined;
  mails: MailTemplates;
  /** Where mails are put down in development; undefined where they are sent. */
  outbox: string | undefined;
  appName: string;
}

const MOST_MAILS = 200;
const MAIL_FILE = /^[\w-]{1,100}\.eml$/;
/** More than any part of a mail may have: what is too long is told by its part. */
const MOST_TEXT = 200_000;

/** Mails: what was put down in development, what they say, and whether they arrive. */
export function mailRoutes({ mailer, mails: templates, outbox, appName }: MailParts): StudioRoute[] {
  return [
    { method: "GET", path: "/mail", needs: "readOnly", handle: mails },
    { method: "GET", path: "/mail/outbox/:file", needs: "editor", handle: mail },
    { method: "POST", path: "/mail/test", needs: "editor", handle: testMail },
    { method: "GET", path: "/mail/templates", needs: "readOnly", handle: listTemplates },
    { method: "PUT", path: "/mail/templates/:name", needs: "editor", handle: writeTemplate },
    { method: "DELETE", path: "/mail/templates/:name", needs: "editor", handle: resetTemplate },
    { method: "POST", path: "/mail/templates/:name/test", needs: "editor", handle: testTemplate },
  ];

  /** The mails in the outbox, the newest first; what is sent by a mail server is not kept. */
  async function mails() {
    const names = outbox === undefined ? [] : await filesIn(outbox);
    const newestFirst = names
      .filter((name) => MAIL_FILE.test(name))
      .sort()
      .reverse()
      .slice(0, MOST_MAILS);
    const results = await Promise.all(
      newestFirst.map(async (file) => ({ file, ...headersOf(await readMail(file)) })),
    );
    return json({ canSend: mailer !== undefined, hasOutbox: outbox !== undefined, results });
  }

  /** A whole mail: with it, links by which passwords are set anew. */
  async function mail({ names: { file = "" } }: StudioRequest) {
    return json({ text: await readMail(file) });
  }

  async function testMail(request: StudioRequest) {
    return send(request, { subject: "A test", text: "Mails of the server arrive." });
  }

  async function readMail(file: string): Promise<string> {
    if (outbox === undefined || !MAIL_FILE.test(file)) throw noMail();
    try {
      return await readFile(join(outbox, file), "utf8");
    } catch (error) {
      if (isMissing(error)) throw noMail();
      throw error;
    }
  }

  async function listTemplates() {
    const results = await Promise.all((["verification", "passwordReset"] as const).map(told));
    return json({ appName, results });
  }

  async function told(name: MailName): Promise<StudioMailTemplate> {
    const written = await templates.findCustom(name);
    return {
      name,
      template: written?.template ?? MAILS[name].template,
      ...(written && { writtenBy: written.username, writtenAt: written.updatedAt }),
    };
  }

  async function writeTemplate(request: StudioRequest) {
    const name = requireMailName(request.names.name ?? "");
    const template = templateIn(request.params);
    const before = (await told(name)).template;
    request.note({ before: { ...before }, after: { ...template } });
    await templates.save(name, template, signedInAs(request).operator.username);
    return json(await told(name));
  }

  async function resetTemplate(request: StudioRequest) {
    const name = requireMailName(request.names.name ?? "");
    request.note({ before: { ...(await told(name)).template }, after: { ...MAILS[name].template } });
    await templates.reset(name);
    return json(await told(name));
  }

  /** Sends a mail as it would be, saved or not; its link leads nowhere. */
  async function testTemplate(request: StudioRequest) {
    const name = requireMailName(request.names.name ?? "");
    const template = templateIn(request.params);
    assertMailTemplate(name, template);
    const values = { appName, email: "ada@example.org", username: "ada", link: "https://example.org/a-test" };
    return send(request, fillMail(template, values));
  }

  async function send(request: StudioRequest, said: MailTemplate): Promise<JsonObject> {
    const to = textIn(request.params, "to", 300);
    if (!mailer)
      throw new ProtocolError(ErrorCode.OTHER_CAUSE, "Mails cannot be sent: PURSE_SMTP_URL is not set.");
    if (!isEmailAddress(to))
      throw new ProtocolError(ErrorCode.INVALID_EMAIL_ADDRESS, "to must be one address.");
    request.note({ target: to });
    await mailer.send({ to, ...said });
    return {};
  }

  async function filesIn(folder: string): Promise<string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }
}

/** As somebody typed it: a mail without HTML has none. */
function templateIn(params: JsonObject): MailTemplate {
  const template = objectIn(params, "template");
  const html = optionalTextIn(template, "html", MOST_TEXT);
  return {
    subject: textIn(template, "subject", MOST_TEXT),
    text: textIn(template, "text", MOST_TEXT),
    ...(html !== undefined && html.trim() !== "" && { html }),
  };
}

/** The headers that people look for. */
function headersOf(text: string): { to: string; subject: string; date: string } {
  const [head = ""] = text.split(/\r?\n\r?\n/, 1);
  const unfolded = head.replace(/\r?\n[ \t]+/g, " ");
  const header = (name: string) =>
    new RegExp(`^${name}: *(.*)$`, "im").exec(unfolded)?.[1]?.slice(0, 500) ?? "";
  return { to: header("To"), subject: header("Subject"), date: header("Date") };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function noMail(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such mail.");
}
