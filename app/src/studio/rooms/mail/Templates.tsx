import {
  MAILS,
  type MailName,
  type MailTemplate,
  mailProblems,
  type StudioMailTemplate,
} from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Field, TextArea } from "../../../design/Field.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Status } from "../../../design/Status.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Section } from "../parts/Room.tsx";
import { useUnsaved } from "../parts/useUnsaved.ts";
import { useUrl } from "../parts/useUrl.ts";
import { MailPreview } from "./MailPreview.tsx";
import { SendTest } from "./SendTest.tsx";

interface Templates {
  appName: string;
  results: StudioMailTemplate[];
}

const FIRST: MailName = "verification";

/** What the server's own mails say: written here, seen as they arrive, sent as a test, set back. */
export function MailTemplates({ canSend }: { canSend: boolean }) {
  const { t } = useTranslation();
  const templates = useAnswer<Templates>("/mail/templates");
  const [chosen, setChosen] = useUrl("template");
  const [drafts, setDrafts] = useState<Readonly<Partial<Record<MailName, MailTemplate>>>>({});
  useUnsaved(Object.keys(drafts).length > 0);
  function keep(name: MailName, draft: MailTemplate | undefined): void {
    const { [name]: _, ...others } = drafts;
    setDrafts(draft ? { ...others, [name]: draft } : others);
  }
  return (
    <Answered answer={templates} label={t("Loading the mails")}>
      {({ appName, results }) => {
        const shown = results.find(({ name }) => name === (chosen || FIRST)) ?? results[0];
        return (
          <div className="workbench">
            <nav className="card" aria-label={t("Mails of the server")}>
              {results.map(({ name, writtenBy }) => (
                <button
                  key={name}
                  type="button"
                  className="pick"
                  aria-current={name === shown?.name}
                  onClick={() => setChosen(name === FIRST ? "" : name)}
                >
                  <span className="grow">{t(TITLES[name])}</span>
                  {drafts[name] ? (
                    <Status kind="warning">{t("Not saved")}</Status>
                  ) : (
                    writtenBy !== undefined && <Status kind="info">{t("Changed")}</Status>
                  )}
                </button>
              ))}
            </nav>
            {shown && (
              <TemplateEditor
                key={shown.name}
                of={shown}
                appName={appName}
                canSend={canSend}
                draft={drafts[shown.name]}
                onDraft={(draft) => keep(shown.name, draft)}
              />
            )}
          </div>
        );
      }}
    </Answered>
  );
}

interface TemplateEditorProps {
  of: StudioMailTemplate;
  appName: string;
  canSend: boolean;
  /** Undefined where nothing is other than saved. */
  draft: MailTemplate | undefined;
  onDraft: (draft: MailTemplate | undefined) => void;
}

function TemplateEditor({ of, appName, canSend, draft, onDraft }: TemplateEditorProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const isOwner = useMay("owner");
  const [asked, setAsked] = useState<"reset" | "test" | undefined>(undefined);
  const { name, template: saved, writtenBy, writtenAt } = of;
  const template = draft ?? saved;
  const sent = withoutEmptyHtml(template);
  const problems = mailProblems(name, sent);
  const isWhole = Object.keys(problems).length === 0;
  const path = `/mail/templates/${name}`;
  const save = useChange(() => studio.put(path, { template: sent }), t("The mail is saved."));
  const reset = useChange(() => studio.delete(path), t("The mail is as it comes with the server."));
  function change(part: Partial<MailTemplate>): void {
    const next = { ...template, ...part };
    onDraft(isSame(next, saved) ? undefined : next);
  }
  return (
    <Section
      title={t(TITLES[name])}
      actions={
        <span className="actions">
          <Button small disabled={!may || !canSend || !isWhole} onClick={() => setAsked("test")}>
            {t("Send it to me")}
          </Button>
          {writtenBy !== undefined && (
            <Button small disabled={!may} onClick={() => setAsked("reset")}>
              {t("Back to the default")}
            </Button>
          )}
        </span>
      }
    >
      <p className="soft">
        {t(ABOUT[name])}{" "}
        {writtenBy !== undefined && writtenAt !== undefined ? (
          <>
            {t("Written by {who}", { who: writtenBy })}, <RelativeTime at={writtenAt} />.{" "}
            {isOwner && (
              <Link to="/audit" search={{ what: "PUT /mail/templates/:name" }}>
                {t("Earlier versions are in the audit trail")}
              </Link>
            )}
          </>
        ) : (
          t("It is as it comes with the server.")
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
            onChange={(event) => change({ subject: event.target.value })}
            problem={problems.subject && t(problems.subject)}
            readOnly={!may}
            autoComplete="off"
          />
          <TextArea
            label={t("Text")}
            value={template.text}
            onChange={(event) => change({ text: event.target.value })}
            problem={problems.text && t(problems.text)}
            hint={<Variables name={name} />}
            readOnly={!may}
            rows={9}
          />
          <div className="mono-field">
            <TextArea
              label={t("HTML (may be left out)")}
              value={template.html ?? ""}
              onChange={(event) => change({ html: event.target.value })}
              problem={problems.html && t(problems.html)}
              hint={t("Programs that show no HTML show the text.")}
              readOnly={!may}
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
              disabled={!may || !draft || !isWhole}
            >
              {t("Save")}
            </Button>
            {draft && <Button onClick={() => onDraft(undefined)}>{t("Forget the changes")}</Button>}
          </div>
        </form>
        <MailPreview template={sent} values={{ ...SAMPLE, appName }} />
      </div>
      {asked === "test" && (
        <SendTest path={`${path}/test`} body={{ template: sent }} onClose={() => setAsked(undefined)} />
      )}
      <Ask
        open={asked === "reset"}
        onClose={() => setAsked(undefined)}
        title={t("Back to the default?")}
        about={t(
          "The mail says again what it says on a new server. What is written now stays in the audit trail.",
        )}
        verb={t("Set it back")}
        busy={reset.isPending}
        error={reset.error}
        onDo={() =>
          reset.mutate(undefined, {
            onSuccess: () => {
              setAsked(undefined);
              onDraft(undefined);
            },
          })
        }
      />
    </Section>
  );
}

/** What the places of a mail are filled with. */
function Variables({ name }: { name: MailName }) {
  const { t } = useTranslation();
  return (
    <>
      {t("Filled in when it is sent:")}{" "}
      {MAILS[name].variables.map((variable) => (
        <code key={variable} className="place">{`{{${variable}}}`}</code>
      ))}
    </>
  );
}

const TITLES: Readonly<Record<MailName, string>> = {
  verification: "Confirm an address",
  passwordReset: "Set a new password",
};

const ABOUT: Readonly<Record<MailName, string>> = {
  verification:
    "Sent to whoever signs up with an address or changes it, where PURSE_VERIFY_USER_EMAILS is 1.",
  passwordReset: "Sent to whoever has forgotten the password.",
};

const SAMPLE = {
  email: "ada@example.org",
  username: "ada",
  link: "https://example.org/server/apps/my-app/…?token=a1b2c3",
};

function withoutEmptyHtml({ subject, text, html }: MailTemplate): MailTemplate {
  return { subject, text, ...(html !== undefined && html.trim() !== "" && { html }) };
}

function isSame(one: MailTemplate, other: MailTemplate): boolean {
  return one.subject === other.subject && one.text === other.text && (one.html ?? "") === (other.html ?? "");
}
