import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { nothing, results, text } from "./fields.ts";

/** Exceeded limits of the parts of a template are reported for each part. */
const templateText = text(200_000);
const mailTemplate = z.object({
  subject: templateText,
  text: templateText,
  html: z.string().max(200_000).optional(),
});

/** The current text of a mail. Without `writtenBy` it is the default. */
export const studioMailTemplate = z
  .object({
    name: z.enum(["verification", "passwordReset"]),
    template: mailTemplate,
    writtenBy: z.string().optional(),
    writtenAt: z.string().optional(),
  })
  .meta({ id: "StudioMailTemplate" });
export type StudioMailTemplate = z.infer<typeof studioMailTemplate>;

const recipient = { to: text(300) };

export const mailEndpoints = {
  list: endpoint("GET", "/mail", {
    needs: "readOnly",
    summary: "Whether emails can be sent, and the newest emails of the outbox",
    input: nothing,
    response: z.object({
      canSend: z.boolean(),
      hasOutbox: z.boolean(),
      results: z.array(z.object({ file: z.string(), to: z.string(), subject: z.string(), date: z.string() })),
    }),
  }),
  get: endpoint("GET", "/mail/outbox/:file", {
    needs: "editor",
    summary: "One email of the outbox",
    input: nothing,
    response: z.object({ text: z.string() }),
  }),
  test: endpoint("POST", "/mail/test", {
    needs: "editor",
    summary: "Sends a test email",
    input: z.object(recipient),
    response: nothing,
  }),
  templates: endpoint("GET", "/mail/templates", {
    needs: "readOnly",
    summary: "Email templates",
    input: nothing,
    response: results(studioMailTemplate).extend({ appName: z.string() }),
  }),
  writeTemplate: endpoint("PUT", "/mail/templates/:name", {
    needs: "editor",
    summary: "Changes a template; 102 if a required placeholder is missing",
    input: z.object({ template: mailTemplate }),
    response: studioMailTemplate,
  }),
  resetTemplate: endpoint("DELETE", "/mail/templates/:name", {
    needs: "editor",
    summary: "Restores the default",
    input: nothing,
    response: studioMailTemplate,
  }),
  testTemplate: endpoint("POST", "/mail/templates/:name/test", {
    needs: "editor",
    summary: "Sends the email with sample values",
    input: z.object({ template: mailTemplate, ...recipient }),
    response: nothing,
  }),
};
