import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Notice } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { LetterText } from "./LetterText.tsx";
import { SendTest } from "./SendTest.tsx";
import { MailTemplates } from "./Templates.tsx";

interface Mails {
  canSend: boolean;
  hasOutbox: boolean;
  results: { file: string; to: string; subject: string; date: string }[];
}

type Tab = "outbox" | "templates";

const EVERY_MS = 10_000;

/** Mails that the server wrote: the outbox in development, and a test of the mail server. */
export function Mail() {
  const { t } = useTranslation();
  const may = useMay("editor");
  const mails = useAnswer<Mails>("/mail", { every: EVERY_MS });
  const [shown, setShown] = useUrl("show");
  const tab: Tab = shown === "templates" ? "templates" : "outbox";
  const [isTesting, setTesting] = useState(false);
  return (
    <Room
      title={t("Mail")}
      about={t(
        "Mails to confirm addresses and to set passwords anew: what they say, and whether they arrive.",
      )}
      changes="editor"
      actions={
        <Button disabled={!may || mails.data?.canSend !== true} onClick={() => setTesting(true)}>
          {t("Send a test mail")}
        </Button>
      }
    >
      <Answered answer={mails} label={t("Loading the mails")}>
        {(data) => (
          <>
            <Means {...data} />
            <Tabs<Tab>
              label={t("Mail")}
              value={tab}
              onChange={(to) => setShown(to === "outbox" ? "" : to)}
              tabs={[
                { key: "outbox", label: t("Outbox") },
                { key: "templates", label: t("What mails say") },
              ]}
            >
              {tab === "templates" ? (
                <MailTemplates canSend={data.canSend} />
              ) : data.hasOutbox ? (
                <Outbox mails={data.results} />
              ) : (
                <EmptyState title={t("Nothing is kept here")}>
                  {t("The server keeps copies of mails in development alone.")}
                </EmptyState>
              )}
            </Tabs>
          </>
        )}
      </Answered>
      {isTesting && <SendTest path="/mail/test" onClose={() => setTesting(false)} />}
    </Room>
  );
}

function Means({ canSend, hasOutbox }: Mails) {
  const { t } = useTranslation();
  if (!canSend) {
    return (
      <Notice kind="warning" title={t("Mails cannot be sent")}>
        {t("Set PURSE_SMTP_URL to the address of a mail server and start the server again.")}
      </Notice>
    );
  }
  if (hasOutbox) {
    return (
      <Notice kind="info" title={t("Mails are put into the outbox")}>
        {t("In development nobody gets them. With PURSE_SMTP_URL they go out.")}
      </Notice>
    );
  }
  return (
    <Notice kind="ok" title={t("Mails go out by the mail server")}>
      {t("The server keeps no copies of them.")}
    </Notice>
  );
}

function Outbox({ mails }: { mails: Mails["results"] }) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const [file, setFile] = useUrl("mail");
  const shown = mails.find((mail) => mail.file === file);
  return (
    <Section title={t("Outbox")}>
      <Table
        caption={t("Outbox")}
        rows={mails}
        rowKey={(mail) => mail.file}
        empty={
          <EmptyState title={t("The outbox is empty")}>
            {t("A mail shows here when somebody signs up with an address or forgets a password.")}
          </EmptyState>
        }
        columns={[
          { key: "to", label: t("To"), cell: ({ to }) => <bdi className="cut">{to}</bdi> },
          {
            key: "subject",
            label: t("Subject"),
            cell: ({ subject }) => <bdi className="cut">{subject}</bdi>,
          },
          {
            key: "date",
            label: t("When"),
            hideOnPhone: true,
            cell: ({ date }) => <RelativeTime at={date} />,
          },
          {
            key: "read",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            number: true,
            cell: (mail) => (
              <Button
                small
                disabled={!may}
                onClick={() => setFile(mail.file)}
                aria-label={t("Read the mail to {who}", { who: mail.to })}
              >
                {t("Read")}
              </Button>
            ),
          },
        ]}
      />
      {shown && may && <Letter {...shown} onClose={() => setFile("")} />}
    </Section>
  );
}

function Letter({ file, to, subject, onClose }: Mails["results"][number] & { onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const mail = useQuery({
    queryKey: ["/mail/outbox", file],
    queryFn: ({ signal }) =>
      studio.get<{ text: string }>(`/mail/outbox/${encodeURIComponent(file)}`, {}, signal),
  });
  return (
    <Dialog open onClose={onClose} title={subject} description={to} wide>
      <Answered answer={mail} label={t("Loading the mail")}>
        {({ text }) => <LetterText source={text} />}
      </Answered>
    </Dialog>
  );
}
