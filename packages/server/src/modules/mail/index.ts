import { join } from "node:path";
import { defineModule } from "@purse/kernel";
import { openStudioClasses } from "../../data/schema/studioClasses.ts";
import { CLOCK, LOG, SHARED_SETTINGS, STORE } from "../../module/tokens.ts";
import { createMailer, formatSender } from "./mailer.ts";
import { MailTemplates } from "./storedMailTemplates.ts";
import { MAIL } from "./token.ts";

/** Emails: sending them, and their templates. */
export const mail = defineModule({
  name: "mail",
  provides: MAIL,
  needs: { store: STORE, clock: CLOCK, log: LOG, shared: SHARED_SETTINGS },
  async open({ facts, store, clock, log, shared }) {
    const { appName, smtpUrl } = shared;
    const { from = formatSender(appName, "no-reply@localhost"), adapter } = shared.mail;
    // It collects emails during development if no mail server is configured.
    const outbox = facts.environment === "development" ? join(facts.dataDir, "outbox") : undefined;
    const mailer = await createMailer({ mail: { from, smtpUrl, adapter }, outbox, logger: log });
    const { _StudioMail: schema } = await openStudioClasses(store);
    const templates = new MailTemplates({ store, schema, clock });
    return {
      service: { mailer, render: (...email) => templates.render(...email) },
      async adminRoutes() {
        const { mailAdminRoutes } = await import("./adminRoutes.ts");
        const isUnsent = smtpUrl === undefined && adapter === undefined;
        return mailAdminRoutes({ mailer, mails: templates, outbox: isUnsent ? outbox : undefined, appName });
      },
    };
  },
});
