import { setting } from "@purse/kernel";
import { integer, list, positiveNumber, settingGroup, webUrl } from "../settingTypes.ts";

/** Alerts to operators. */
export const alertSettings = settingGroup("Server", {
  alertEmails: setting(list(parseEmails).default([]), {
    description:
      "Email addresses, separated by commas, that receive alerts of failed jobs and webhooks, indexing lag, and full disks. Requires a mail server.",
  }),
  alertWebhookUrl: setting(webUrl().optional(), {
    description:
      "URL that receives the same alerts as a POST with JSON (`kind`, `subject`, `title`, `details`, `isResolved`, `at`, `app`), signed as other webhooks are.",
  }),
  alertLagBlocks: setting(integer(1, 1_000_000_000), {
    default: "100",
    description: "Maximum indexing lag without an alert, in blocks.",
  }),
  alertFreeDiskPercent: setting(positiveNumber(100), {
    default: "5",
    description: "Minimum free space of the data directory's disk without an alert, in percent.",
  }),
});

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
