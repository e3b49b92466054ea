import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Code } from "../../../design/Code.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { Field } from "../../../design/Field.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Notice, Status } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { type ApiKeyRow, nameOf } from "./apiKey.ts";
import { KeyUsage } from "./KeyUsage.tsx";

const EVERY_MS = 5_000;

/** Keys of the data service: made, shown once, revoked; how much they are used. */
export function ApiKeys() {
  const { t } = useTranslation();
  const may = useMay("owner");
  const keys = useAnswer<{ results: ApiKeyRow[] }>("/keys", { every: EVERY_MS });
  const [isAdding, setAdding] = useState(false);
  return (
    <Room
      title={t("API keys")}
      about={t("Whoever asks the data service, /api/v2, shows one of these.")}
      changes="owner"
      actions={
        <Button variant="primary" disabled={!may} onClick={() => setAdding(true)}>
          <Plus size={16} aria-hidden="true" />
          {t("Make a key")}
        </Button>
      }
    >
      <Answered answer={keys} label={t("Loading the keys")}>
        {({ results }) => (
          <>
            <Section title={t("Keys")}>
              <KeyTable keys={results} />
            </Section>
            {results.length > 0 && <KeyUsage keys={results} />}
          </>
        )}
      </Answered>
      {isAdding && <NewKey onClose={() => setAdding(false)} />}
    </Room>
  );
}

function KeyTable({ keys }: { keys: readonly ApiKeyRow[] }) {
  const { t, language } = useTranslation();
  const studio = useStudio();
  const may = useMay("owner");
  const [gone, setGone] = useState<ApiKeyRow | undefined>(undefined);
  const revoke = useChange(
    ({ id }: ApiKeyRow) => studio.delete(`/keys/${encodeURIComponent(id)}`),
    t("The key is revoked."),
  );
  const number = new Intl.NumberFormat(language);
  return (
    <>
      <Table
        caption={t("Keys")}
        rows={keys}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title={t("There is no key yet")}>
            {t("In production the data service answers nobody without one.")}
          </EmptyState>
        }
        columns={[
          { key: "name", label: t("Name"), cell: (key) => <bdi>{nameOf(key)}</bdi> },
          {
            key: "state",
            label: t("State"),
            cell: ({ revokedAt }) =>
              revokedAt === undefined ? (
                <Status kind="ok">{t("Good")}</Status>
              ) : (
                <Status kind="danger">{t("Revoked")}</Status>
              ),
          },
          {
            key: "limit",
            label: t("This minute"),
            number: true,
            cell: ({ limit, usedThisMinute }) =>
              limit === undefined
                ? number.format(usedThisMinute)
                : t("{used} of {limit}", { used: usedThisMinute, limit }),
          },
          {
            key: "used",
            label: t("Last used"),
            cell: ({ lastUsedAt }) =>
              lastUsedAt === undefined ? (
                <span className="soft">{t("Never")}</span>
              ) : (
                <RelativeTime at={lastUsedAt} />
              ),
          },
          {
            key: "made",
            label: t("Made"),
            hideOnPhone: true,
            cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
          },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            number: true,
            cell: (key) =>
              key.revokedAt === undefined && (
                <Button
                  small
                  variant="danger"
                  disabled={!may}
                  onClick={() => setGone(key)}
                  aria-label={t("Revoke {name}", { name: nameOf(key) })}
                >
                  {t("Revoke")}
                </Button>
              ),
          },
        ]}
      />
      <Ask
        open={gone !== undefined}
        onClose={() => setGone(undefined)}
        title={t("Revoke {name}?", { name: gone ? nameOf(gone) : "" })}
        about={t("Whoever uses it is refused within five seconds, for good.")}
        verb={t("Revoke")}
        danger
        busy={revoke.isPending}
        error={revoke.error}
        onDo={() => gone && revoke.mutate(gone, { onSuccess: () => setGone(undefined) })}
      />
    </>
  );
}

function NewKey({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [name, setName] = useState("");
  const [limit, setLimit] = useState("");
  const isLimit = limit === "" || /^[1-9]\d{0,8}$/.test(limit.trim());
  const make = useChange(() =>
    studio.post<{ id: string; key: string }>("/keys", {
      ...(name.trim() !== "" && { name: name.trim() }),
      ...(limit !== "" && { limit: Number(limit) }),
    }),
  );
  if (make.data) {
    return (
      <Dialog open onClose={onClose} title={t("Your new key")}>
        <div className="stack">
          <Notice kind="warning" title={t("Copy it now")}>
            {t("It is shown this once. The server keeps only what it needs to know it again.")}
          </Notice>
          <Code label={t("The key")} text={make.data.key} />
          <p className="soft">{t("It goes into the header X-API-Key.")}</p>
        </div>
      </Dialog>
    );
  }
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Make a key")}
      verb={t("Make it")}
      busy={make.isPending}
      error={make.error}
      disabled={!isLimit}
      onDo={() => make.mutate()}
    >
      <Field
        label={t("Name")}
        hint={t("Who it is for. Empty: none.")}
        value={name}
        onChange={(event) => setName(event.target.value)}
        maxLength={100}
        autoComplete="off"
      />
      <Field
        label={t("Requests in a minute")}
        hint={t("Empty: as many as the server lets everybody.")}
        inputMode="numeric"
        value={limit}
        onChange={(event) => setLimit(event.target.value)}
        problem={isLimit ? undefined : t("A whole number from 1, or nothing.")}
      />
    </Ask>
  );
}
