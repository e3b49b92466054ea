import { join } from "node:path";
import type { Config } from "../config/loadConfig.ts";
import type { Logger } from "../core/logger.ts";
import { openStudioClasses } from "../data/schema/studioClasses.ts";
import type { Store } from "../database/store.ts";
import { createMailer, formatSender, type Mailer } from "./mailer.ts";
import { MailTemplates } from "./storedMailTemplates.ts";

export interface MailService {
  /** Undefined if email is not configured. */
  mailer: Mailer | undefined;
  templates: MailTemplates;
  /** The folder that collects emails during development if no mail server is configured. */
  outbox: string | undefined;
}

/** Creates the sender and the templates of emails. */
export async function openMailService(config: Config, store: Store, logger: Logger): Promise<MailService> {
  const outbox = config.environment === "development" ? join(config.dataDir, "outbox") : undefined;
  const mailer = await createMailer({
    mail: {
      from: config.mail.from ?? formatSender(config.appName, "no-reply@localhost"),
      smtpUrl: config.smtpUrl,
      adapter: config.mail.adapter,
    },
    outbox,
    logger,
  });
  const { _StudioMail: schema } = await openStudioClasses(store);
  return {
    mailer,
    templates: new MailTemplates({ store, schema, clock: store.now }),
    outbox: config.smtpUrl === undefined && config.mail.adapter === undefined ? outbox : undefined,
  };
}
