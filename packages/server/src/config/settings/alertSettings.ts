import { integer, list, positiveNumber, setting, webUrl } from "../settingTypes.ts";

/** Alerts to operators. */
export const alertSettings = {
  alertEmails: setting(list(parseEmails).default([]), {
    group: "Server",
    env: "PURSE_ALERT_EMAILS",
    description:
      "Email addresses, separated by commas, that receive alerts of failed jobs and webhooks, indexes that are behind, and full disks. Needs a mail server.",
  }),
  alertWebhookUrl: setting(webUrl().optional(), {
    group: "Server",
    env: "PURSE_ALERT_WEBHOOK_URL",
    description:
      "URL that receives the same as a POST with JSON (`kind`, `subject`, `title`, `details`, `isResolved`, `at`, `app`), signed as other webhooks are.",
  }),
  alertLagBlocks: setting(integer(1, 1_000_000_000), {
    group: "Server",
    env: "PURSE_ALERT_LAG_BLOCKS",
    default: "100",
    description: "How many blocks an index may be behind its chain without an alert.",
  }),
  alertFreeDiskPercent: setting(positiveNumber(100), {
    group: "Server",
    env: "PURSE_ALERT_FREE_DISK_PERCENT",
    default: "5",
    description: "The part of the data directory's disk, in percent, that has to be free.",
  }),
};

/** Throws Error that says what is allowed. */
function parseEmails(text: string): string[] {
  const emails = text
    .split(",")
    .map((email) => email.trim())
    .filter((email) => email !== "");
  if (emails.some((email) => !/^[^\s@]+@[^\s@]+$/.test(email)))
    throw new Error("it must be email addresses, separated by commas");
  return emails;
}
