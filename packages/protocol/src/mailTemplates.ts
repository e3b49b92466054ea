import { escapeHtml } from "./escapeHtml.ts";

/** A mail with placeholders for values: `{{link}}`. */
export interface MailTemplate {
  subject: string;
  text: string;
  html?: string;
}

export type MailName = "verification" | "passwordReset";

/** The placeholders that a mail can use. */
export type MailVariable = "appName" | "email" | "username" | "link";
export type MailValues = Partial<Record<MailVariable, string>>;

/** The default texts of the mails that the server sends. */
export const DEFAULT_MAILS: Readonly<
  Record<MailName, { variables: readonly MailVariable[]; template: MailTemplate }>
> = {
  verification: {
    variables: ["appName", "email", "link"],
    template: {
      subject: "Please verify your e-mail for {{appName}}",
      text: "Please confirm that {{email}} is your address:\n{{link}}\n",
    },
  },
  passwordReset: {
    variables: ["appName", "email", "username", "link"],
    template: {
      subject: "Password Reset for {{appName}}",
      text: "You, or someone with your address, asked to reset the password of {{username}}.\n\nChoose a new one here:\n{{link}}\n\nIf it was not you, there is nothing to do.\n",
    },
  },
};

export function isMailName(name: string): name is MailName {
  return Object.hasOwn(DEFAULT_MAILS, name);
}

const MAX_LENGTHS = { subject: 200, text: 20_000, html: 100_000 } as const;
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Returns the problems of a custom mail by part; an empty object if it can be sent. */
export function validateMail(
  name: MailName,
  template: MailTemplate,
): Partial<Record<keyof MailTemplate, string>> {
  const problems: Partial<Record<keyof MailTemplate, string>> = {};
  for (const part of ["subject", "text", "html"] as const) {
    const text = template[part];
    const problem = text === undefined ? undefined : validatePart(name, part, text);
    if (problem !== undefined) problems[part] = problem;
  }
  return problems;
}

function validatePart(name: MailName, part: keyof MailTemplate, text: string): string | undefined {
  if (text.trim() === "") return `The ${part} is empty.`;
  if (text.length > MAX_LENGTHS[part]) return `The ${part} has more than ${MAX_LENGTHS[part]} characters.`;
  const used = [...text.matchAll(PLACEHOLDER)].map(([, variable = ""]) => variable);
  const { variables } = DEFAULT_MAILS[name];
  const unknown = used.find((variable) => !variables.some((known) => known === variable));
  if (unknown !== undefined) {
    return `There is no {{${unknown.slice(0, 40)}}}. This email has ${variables.map((each) => `{{${each}}}`).join(", ")}.`;
  }
  const hasLink = used.includes("link");
  if (part === "subject") {
    if (hasControl(text)) return "The subject must be one line.";
    // Subjects are visible to mail relays and on lock screens.
    return hasLink ? "{{link}} is a secret of the recipient and not allowed in the subject." : undefined;
  }
  return hasLink ? undefined : `{{link}} is missing from the ${part}.`;
}

function hasControl(text: string): boolean {
  return [...text].some((char) => char < " " || char === "\u007f");
}

/** Maximum number of characters of a value that are shown in a mail. */
const MAX_VALUE_LENGTHS = { username: 60, appName: 100, email: 320 } as const;

/**
 * Sanitizes a value for a mail: a single line without control characters or bidirectional overrides. Anyone can choose
 * a username and trigger a mail to another person, so usernames are reduced to letters, digits, spaces and `._@+'-`;
 * they cannot inject links or other text.
 */
function sanitizeValue(name: MailVariable, value: string): string {
  if (name === "link") return value;
  const plain = name === "username" ? value.replace(/[^\p{L}\p{M}\p{N}._@+'-]+/gu, " ") : value;
  const line = plain.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const characters = [...line.slice(0, 4 * MAX_VALUE_LENGTHS[name])];
  if (characters.length <= MAX_VALUE_LENGTHS[name]) return characters.join("");
  return `${characters.slice(0, MAX_VALUE_LENGTHS[name]).join("")}…`;
}

/**
 * Fills the placeholders of a mail. Values are plain text: they are escaped in HTML and never searched for
 * placeholders.
 */
export function renderMail(template: MailTemplate, values: MailValues): MailTemplate {
  const sanitized = new Map<string, string>();
  for (const name of ["appName", "email", "username", "link"] as const) {
    const value = values[name];
    if (value !== undefined) sanitized.set(name, sanitizeValue(name, value));
  }
  const fill = (text: string, format: (value: string) => string) =>
    text.replace(PLACEHOLDER, (placeholder, name: string) => {
      const value = sanitized.get(name);
      return value === undefined ? placeholder : format(value);
    });
  return {
    subject: fill(template.subject, (value) => value),
    text: fill(template.text, (value) => value),
    ...(template.html !== undefined && { html: fill(template.html, escapeHtml) }),
  };
}
