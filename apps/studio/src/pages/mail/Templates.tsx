import { DEFAULT_MAILS, type MailName, type MailTemplate, validateMail } from "@purse/protocol";
import type { StudioMailTemplate } from "@purse/server/studio-api";
import {
  Button,
  Field,
  QueryState,
  RelativeTime,
  Status,
  TextArea,
  useTranslation,
  useUnsaved,
} from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ConfirmButton, DialogButton } from "../../components/DialogButton.tsx";
import { Section } from "../../components/Page.tsx";
import { PickSheet } from "../../components/PickSheet.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioMutation, useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { MailPreview } from "./MailPreview.tsx";
import { SendTest } from "./SendTest.tsx";

const DEFAULT_TEMPLATE: MailName = "verification";

/** Edits, previews, tests and resets the email templates. */
export function MailTemplates({ canSend }: { canSend: boolean }) {
  const { t } = useTranslation();
  const templates = useStudioQuery("/mail/templates", {});
  const [chosen, setChosen] = useSearchParam("template");
  const [drafts, setDrafts] = useState<Readonly<Partial<Record<MailName, MailTemplate>>>>({});
  useUnsaved(Object.keys(drafts).length > 0);
  function setDraft(name: MailName, draft: MailTemplate | undefined): void {
    setDrafts(({ [name]: _, ...others }) => (draft ? { ...others, [name]: draft } : others));
  }
  return (
    <QueryState query={templates} label={t("Loading emails…")}>
      {({ appName, results }) => {
        const shown = results.find(({ name }) => name === (chosen || DEFAULT_TEMPLATE)) ?? results[0];
        return (
          <div className="workbench">
            <PickSheet label={t("Email templates")} picked={shown && t(TITLES[shown.name])}>
              <nav className="card" aria-label={t("Email templates")}>
                {results.map(({ name, writtenBy }) => (
                  <button
                    key={name}
                    type="button"
                    className="pick"
                    aria-current={name === shown?.name}
                    onClick={() => setChosen(name === DEFAULT_TEMPLATE ? "" : name)}
                  >
                    <span className="grow">{t(TITLES[name])}</span>
                    {drafts[name] ? (
                      <Status kind="warning">{t("Unsaved")}</Status>
                    ) : (
                      writtenBy !== undefined && <Status kind="info">{t("Changed")}</Status>
                    )}
                  </button>
                ))}
              </nav>
            </PickSheet>
            {shown && (
              <TemplateEditor
                key={shown.name}
                entry={shown}
                appName={appName}
                canSend={canSend}
                draft={drafts[shown.name]}
                onDraft={(draft) => setDraft(shown.name, draft)}
              />
            )}
          </div>
        );
      }}
    </QueryState>
  );
}

interface TemplateEditorProps {
  entry: StudioMailTemplate;
  appName: string;
  canSend: boolean;
  /** Undefined without unsaved changes. */
  draft: MailTemplate | undefined;
  onDraft: (draft: MailTemplate | undefined) => void;
}

function TemplateEditor({ entry, appName, canSend, draft, onDraft }: TemplateEditorProps) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const isOwner = useHasRole("owner");
  const { name, template: saved, writtenBy, writtenAt } = entry;
  const template = draft ?? saved;
  const outgoing = withoutEmptyHtml(template);
  const problems = validateMail(name, outgoing);
  const isValid = Object.keys(problems).length === 0;
  const save = useStudioMutation(
    (studio) => studio.put("/mail/templates/:name", { name, template: outgoing }),
    t("Template saved"),
  );
  function update(patch: Partial<MailTemplate>): void {
    const next = { ...template, ...patch };
    onDraft(isSame(next, saved) ? undefined : next);
  }
  return (
    <Section
      title={t(TITLES[name])}
      actions={
        <span className="actions">
          <DialogButton
            small
            disabled={!canEdit || !canSend || !isValid}
            label={t("Send test")}
            dialog={(close) => <SendTest template={{ name, template: outgoing }} onClose={close} />}
          />
          {writtenBy !== undefined && (
            <ConfirmButton
              small
              disabled={!canEdit}
              label={t("Reset to default")}
              confirm={{
                title: t("Reset to the default template?"),
                description: t(
                  "Replaces this template with the default. The current version stays in the audit log.",
                ),
                confirmLabel: t("Reset"),
              }}
              run={(studio) => studio.delete("/mail/templates/:name", { name })}
              successMessage={t("Template reset to default")}
              onDone={() => onDraft(undefined)}
            />
          )}
        </span>
      }
    >
      <p className="soft">
        {t(DESCRIPTIONS[name])}{" "}
        {writtenBy !== undefined && writtenAt !== undefined ? (
          <>
            {t("Edited by {who}", { who: writtenBy })}, <RelativeTime at={writtenAt} />.{" "}
            {isOwner && (
              <Link to="/audit" search={{ what: "PUT /mail/templates/:name" }}>
                {t("View earlier versions in the audit log")}
              </Link>
            )}
          </>
        ) : (
          t("Default template")
        )}
      </p>
      <div className="halves">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate(undefined, { onSuccess: () => onDraft(undefined) });
          }}
        >
          <Field
            label={t("Subject")}
            value={template.subject}
            onText={(text) => update({ subject: text })}
            problem={problems.subject && t(problems.subject)}
            readOnly={!canEdit}
            autoComplete="off"
          />
          <TextArea
            label={t("Text")}
            value={template.text}
            onText={(to) => update({ text: to })}
            problem={problems.text && t(problems.text)}
            hint={<Variables name={name} />}
            readOnly={!canEdit}
            rows={9}
          />
          <div className="mono-field">
            <TextArea
              label={t("HTML (optional)")}
              value={template.html ?? ""}
              onText={(text) => update({ html: text })}
              problem={problems.html && t(problems.html)}
              hint={t("Email clients without HTML support show the text version.")}
              readOnly={!canEdit}
              spellCheck={false}
              rows={7}
            />
          </div>
          {save.error && <p role="alert">{save.error.message}</p>}
          <div className="row">
            <Button
              type="submit"
              variant="primary"
              busy={save.isPending}
              disabled={!canEdit || !draft || !isValid}
            >
              {t("Save")}
            </Button>
            {draft && <Button onClick={() => onDraft(undefined)}>{t("Discard changes")}</Button>}
          </div>
        </form>
        <MailPreview template={outgoing} values={{ ...SAMPLE_VALUES, appName }} />
      </div>
    </Section>
  );
}

/** Variables of a template. */
function Variables({ name }: { name: MailName }) {
  const { t } = useTranslation();
  return (
    <>
      {t("Variables:")}{" "}
      {DEFAULT_MAILS[name].variables.map((variable) => (
        <code key={variable} className="place">{`{{${variable}}}`}</code>
      ))}
    </>
  );
}

const TITLES: Readonly<Record<MailName, string>> = {
  verification: "Email verification",
  passwordReset: "Password reset",
};

const DESCRIPTIONS: Readonly<Record<MailName, string>> = {
  verification: "Sent when a user signs up or changes their email address, if PURSE_VERIFY_USER_EMAILS is 1.",
  passwordReset: "Sent when a user requests a password reset.",
};

const SAMPLE_VALUES = {
  email: "ada@example.org",
  username: "ada",
  link: "https://example.org/server/apps/my-app/…?token=a1b2c3",
};

function withoutEmptyHtml({ subject, text, html }: MailTemplate): MailTemplate {
  return { subject, text, ...(html !== undefined && html.trim() !== "" && { html }) };
}

function isSame(first: MailTemplate, second: MailTemplate): boolean {
  return (
    first.subject === second.subject &&
    first.text === second.text &&
    (first.html ?? "") === (second.html ?? "")
  );
}
