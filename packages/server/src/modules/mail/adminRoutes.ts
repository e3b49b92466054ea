import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  DEFAULT_MAILS,
  ErrorCode,
  type MailName,
  type MailTemplate,
  ProtocolError,
  renderMail,
} from "@purse/protocol";
import { isEmailAddress } from "../../auth/emailAddress.ts";
import type { Mailer } from "../../core/mail.ts";
import {
  type Requests,
  requireSignedIn,
  route,
  type StudioRequest,
  type StudioRoute,
} from "../../studio/route.ts";
import { mailEndpoints as endpoints, type StudioMailTemplate } from "../../studioApi/mails.ts";
import { assertMailTemplate, type MailTemplates, requireMailName } from "./storedMailTemplates.ts";

type MailRequests = Requests<typeof endpoints>;

export interface MailAdminDependencies {
  /** Undefined if mails cannot be sent. */
  mailer: Mailer | undefined;
  mails: MailTemplates;
  /** Folder of unsent mails in development; undefined if mails are sent. */
  outbox: string | undefined;
  appName: string;
}

const TEST_MAIL: MailTemplate = { subject: "A test", text: "Mails of the server arrive." };
const MAX_MAILS = 200;
const MAIL_FILE = /^[\w-]{1,100}\.eml$/;

/** Routes for mails: outbox in development, templates, and test mails. */
export function mailAdminRoutes({
  mailer,
  mails: templates,
  outbox,
  appName,
}: MailAdminDependencies): StudioRoute[] {
  return [
    route(endpoints.list, listMails),
    route(endpoints.get, async ({ pathParams }) => ({ text: await readMail(pathParams.file) })),
    route(endpoints.test, (request) => send(request, TEST_MAIL)),
    route(endpoints.templates, listTemplates),
    route(endpoints.writeTemplate, writeTemplate),
    route(endpoints.resetTemplate, resetTemplate),
    route(endpoints.testTemplate, testTemplate),
  ];

  /** Lists the mails in the outbox, newest first; sent mails are not stored. */
  async function listMails() {
    const names = outbox === undefined ? [] : await listFiles(outbox);
    const newestFirst = names
      .filter((name) => MAIL_FILE.test(name))
      .sort()
      .reverse()
      .slice(0, MAX_MAILS);
    const results = await Promise.all(
      newestFirst.map(async (file) => ({ file, ...parseHeaders(await readMail(file)) })),
    );
    return { canSend: mailer !== undefined, hasOutbox: outbox !== undefined, results };
  }

  /** Returns a complete mail, including links that reset passwords. */
  async function readMail(file: string): Promise<string> {
    if (outbox === undefined || !MAIL_FILE.test(file)) throw mailNotFound();
    try {
      return await readFile(join(outbox, file), "utf8");
    } catch (error) {
      if (isMissing(error)) throw mailNotFound();
      throw error;
    }
  }

  async function listTemplates() {
    const results = await Promise.all((["verification", "passwordReset"] as const).map(describeTemplate));
    return { appName, results };
  }

  async function describeTemplate(name: MailName): Promise<StudioMailTemplate> {
    const written = await templates.findCustom(name);
    return {
      name,
      template: written?.template ?? DEFAULT_MAILS[name].template,
      ...(written && { writtenBy: written.username, writtenAt: written.updatedAt }),
    };
  }

  async function writeTemplate(request: MailRequests["writeTemplate"]) {
    const name = requireMailName(request.pathParams.name);
    const template = withoutEmptyHtml(request.params.template);
    const before = (await describeTemplate(name)).template;
    request.setAuditDetails({ before: { ...before }, after: { ...template } });
    await templates.save(name, template, requireSignedIn(request).operator.username);
    return describeTemplate(name);
  }

  async function resetTemplate(request: MailRequests["resetTemplate"]) {
    const name = requireMailName(request.pathParams.name);
    request.setAuditDetails({
      before: { ...(await describeTemplate(name)).template },
      after: { ...DEFAULT_MAILS[name].template },
    });
    await templates.reset(name);
    return describeTemplate(name);
  }

  /** Sends a test mail of a template, saved or not; its link is not valid. */
  async function testTemplate(request: MailRequests["testTemplate"]) {
    const name = requireMailName(request.pathParams.name);
    const template = withoutEmptyHtml(request.params.template);
    assertMailTemplate(name, template);
    const values = { appName, email: "ada@example.org", username: "ada", link: "https://example.org/a-test" };
    return send(request, renderMail(template, values));
  }

  async function send(
    request: StudioRequest<{ to: string }>,
    content: MailTemplate,
  ): Promise<Record<string, never>> {
    const { to } = request.params;
    if (!mailer)
      throw new ProtocolError(ErrorCode.OTHER_CAUSE, "Mails cannot be sent: PURSE_SMTP_URL is not set.");
    if (!isEmailAddress(to))
      throw new ProtocolError(ErrorCode.INVALID_EMAIL_ADDRESS, "to must be a single e-mail address.");
    request.setAuditDetails({ target: to });
    await mailer.send({ to, ...content });
    return {};
  }

  async function listFiles(folder: string): Promise<string[]> {
    try {
      return await readdir(folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }
}

/** Empty HTML counts as none. */
function withoutEmptyHtml({ subject, text, html }: MailTemplate): MailTemplate {
  return { subject, text, ...(html !== undefined && html.trim() !== "" && { html }) };
}

/** Parses the headers to display. */
function parseHeaders(text: string): { to: string; subject: string; date: string } {
  const [head = ""] = text.split(/\r?\n\r?\n/, 1);
  const unfolded = head.replace(/\r?\n[ \t]+/g, " ");
  const header = (name: string) =>
    new RegExp(`^${name}: *(.*)$`, "im").exec(unfolded)?.[1]?.slice(0, 500) ?? "";
  return { to: header("To"), subject: header("Subject"), date: header("Date") };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function mailNotFound(): ProtocolError {
  return new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The mail does not exist.");
}
