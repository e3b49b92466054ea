import type { StudioResponse } from "@purse/server/studio-api";
import { Button, Dialog, EmptyState, Notice, QueryState, RelativeTime, useTranslation } from "@purse/ui";
import { useQuery } from "@tanstack/react-query";
import { DialogButton } from "../../components/DialogButton.tsx";
import { ListSection } from "../../components/ListSection.tsx";
import { Page } from "../../components/Page.tsx";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole, useStudio } from "../../StudioContext.tsx";
import { MailView } from "./MailView.tsx";
import { SendTest } from "./SendTest.tsx";
import { MailTemplates } from "./Templates.tsx";

type MailsResponse = StudioResponse<"GET", "/mail">;

const REFETCH_INTERVAL_MS = 10_000;

/** Email templates, the development outbox and a test email. */
export function Mail() {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const mails = useStudioQuery("/mail", {}, { refetchInterval: REFETCH_INTERVAL_MS });
  return (
    <Page
      title={t("Email")}
      description={t("Templates and delivery of verification and password reset emails")}
      editRole="editor"
      actions={
        <DialogButton
          disabled={!canEdit || mails.data?.canSend !== true}
          label={t("Send test email")}
          dialog={(close) => <SendTest onClose={close} />}
        />
      }
    >
      <QueryState query={mails} label={t("Loading emails…")}>
        {(data) => (
          <>
            <DeliveryNotice {...data} />
            <SearchTabs
              label={t("Email")}
              tabs={[
                { key: "outbox", label: t("Outbox"), content: () => <Outbox {...data} /> },
                {
                  key: "templates",
                  label: t("Templates"),
                  content: () => <MailTemplates canSend={data.canSend} />,
                },
              ]}
            />
          </>
        )}
      </QueryState>
    </Page>
  );
}

function DeliveryNotice({ canSend, hasOutbox }: MailsResponse) {
  const { t } = useTranslation();
  if (!canSend) {
    return (
      <Notice kind="warning" title={t("Email is not configured")}>
        {t("Set PURSE_SMTP_URL to a mail server and restart the server.")}
      </Notice>
    );
  }
  if (hasOutbox) {
    return (
      <Notice kind="info" title={t("Emails go to the outbox")}>
        {t("Nothing is delivered in development. Set PURSE_SMTP_URL to send real email.")}
      </Notice>
    );
  }
  return (
    <Notice kind="ok" title={t("Emails are sent through the mail server")}>
      {t("The server does not store copies.")}
    </Notice>
  );
}

function Outbox({ hasOutbox, results }: MailsResponse) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const [file, setFile] = useSearchParam("mail");
  const shown = results.find((mail) => mail.file === file);
  if (!hasOutbox) {
    return (
      <EmptyState title={t("No outbox")}>
        {t("The server stores copies of emails only in development.")}
      </EmptyState>
    );
  }
  return (
    <ListSection
      title={t("Outbox")}
      rows={results}
      rowKey={(mail) => mail.file}
      empty={{
        title: t("The outbox is empty"),
        text: t(
          "Emails appear here when a user signs up with an email address or requests a password reset.",
        ),
      }}
      columns={[
        { label: t("To"), cell: ({ to }) => <bdi className="cut">{to}</bdi> },
        { label: t("Subject"), cell: ({ subject }) => <bdi className="cut">{subject}</bdi> },
        { label: t("When"), hideOnPhone: true, cell: ({ date }) => <RelativeTime at={date} /> },
      ]}
      actions={(mail) => (
        <Button
          small
          disabled={!canEdit}
          onClick={() => setFile(mail.file)}
          aria-label={t("Open email to {who}", { who: mail.to })}
        >
          {t("Open")}
        </Button>
      )}
    >
      {shown && canEdit && <MailDialog {...shown} onClose={() => setFile("")} />}
    </ListSection>
  );
}

function MailDialog({
  file,
  to,
  subject,
  onClose,
}: MailsResponse["results"][number] & { onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const mail = useQuery({
    queryKey: ["/mail/outbox", file],
    queryFn: ({ signal }) => studio.get("/mail/outbox/:file", { file }, signal),
  });
  return (
    <Dialog open onClose={onClose} title={subject} description={to} wide>
      <QueryState query={mail} label={t("Loading email…")}>
        {({ text }) => <MailView source={text} />}
      </QueryState>
    </Dialog>
  );
}
