import { escapeHtml } from "./escapeHtml.ts";

/** A mail with places for values: `{{link}}`. */
export interface MailTemplate {
  subject: string;
  text: string;
  html?: string;
}

export type MailName = "verification" | "passwordReset";

/** What can stand in the places of a mail. */
export type MailVariable = "appName" | "email" | "username" | "link";
export type MailValues = Partial<Record<MailVariable, string>>;

/** The mails that the server sends on its own, as they are where nobody has written others. */
export const MAILS: Readonly<
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
      subject: "Reset your password for {{appName}}",
      text: "You, or someone with your address, asked to reset the password of {{username}}.\n\nChoose a new one here:\n{{link}}\n\nIf it was not you, there is nothing to do.\n",
    },
  },
};

export function isMailName(name: string): name is MailName {
  return Object.hasOwn(MAILS, name);
}

const MOST = { subject: 200, text: 20_000, html: 100_000 } as const;
const PLACE = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** What is wrong with a mail that somebody wrote, by its part; nothing where it can be sent. */
export function mailProblems(
  name: MailName,
  template: MailTemplate,
): Partial<Record<keyof MailTemplate, string>> {
  const problems: Partial<Record<keyof MailTemplate, string>> = {};
  for (const part of ["subject", "text", "html"] as const) {
    const text = template[part];
    const problem = text === undefined ? undefined : problemOf(name, part, text);
    if (problem !== undefined) problems[part] = problem;
  }
  return problems;
}

function problemOf(name: MailName, part: keyof MailTemplate, text: string): string | undefined {
  if (text.trim() === "") return `The ${part} is empty.`;
  if (text.length > MOST[part]) return `The ${part} has more than ${MOST[part]} characters.`;
  const used = [...text.matchAll(PLACE)].map(([, variable = ""]) => variable);
  const { variables } = MAILS[name];
  const unknown = used.find((variable) => !variables.some((known) => known === variable));
  if (unknown !== undefined) {
    return `There is no {{${unknown.slice(0, 40)}}}: this mail has ${variables.map((each) => `{{${each}}}`).join(", ")}.`;
  }
  const isLink = used.includes("link");
  if (part === "subject") {
    if (hasControl(text)) return "The subject is one line.";
    // Subjects are shown by whoever passes a mail on, and on locked screens.
    return isLink
      ? "The link is a secret of whoever gets the mail: it does not belong into the subject."
      : undefined;
  }
  return isLink ? undefined : `Without {{link}} nobody can do what the mail is for: put it into the ${part}.`;
}

function hasControl(text: string): boolean {
  return [...text].some((char) => char < " " || char === "\u007f");
}

/** Characters of a value that are shown in a mail. */
const MOST_SHOWN = { username: 60, appName: 100, email: 320 } as const;

/**
 * A value as it may stand in a mail: in one line, without control characters and those that turn the direction of
 * text. Of names, which anybody may choose for a mail to anybody else, no more is shown than letters, digits, spaces
 * and `._@+'-`, so that they bring no link and no text of their own.
 */
function shown(name: MailVariable, value: string): string {
  if (name === "link") return value;
  const plain = name === "username" ? value.replace(/[^\p{L}\p{M}\p{N}._@+'-]+/gu, " ") : value;
  const line = plain.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  const characters = [...line.slice(0, 4 * MOST_SHOWN[name])];
  if (characters.length <= MOST_SHOWN[name]) return characters.join("");
  return `${characters.slice(0, MOST_SHOWN[name]).join("")}…`;
}

/** A mail with the values in their places. Values are text: in HTML they are escaped, and in none of them are places looked for. */
export function fillMail(template: MailTemplate, values: MailValues): MailTemplate {
  const written = new Map<string, string>();
  for (const name of ["appName", "email", "username", "link"] as const) {
    const value = values[name];
    if (value !== undefined) written.set(name, shown(name, value));
  }
  const fill = (text: string, write: (value: string) => string) =>
    text.replace(PLACE, (place, name: string) => {
      const value = written.get(name);
      return value === undefined ? place : write(value);
    });
  return {
    subject: fill(template.subject, (value) => value),
    text: fill(template.text, (value) => value),
    ...(template.html !== undefined && { html: fill(template.html, escapeHtml) }),
  };
}
