import type { JsonObject } from "@purse/protocol";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Status } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { ConfigForm } from "./ConfigForm.tsx";
import { ConfigHistory } from "./ConfigHistory.tsx";
import type { Parameter } from "./value.ts";

/** What apps read as their config, with its versions. */
export function Config() {
  const { t } = useTranslation();
  const may = useMay("editor");
  const config = useAnswer<{ results: Parameter[] }>("/config");
  const [edited, setEdited] = useState<Parameter | "new" | undefined>(undefined);
  return (
    <Room
      title={t("Config")}
      about={t("Values that apps read while they run. Each change can be taken back.")}
      changes="editor"
      actions={
        <Button variant="primary" disabled={!may || !config.data} onClick={() => setEdited("new")}>
          <Plus size={16} aria-hidden="true" />
          {t("Add a value")}
        </Button>
      }
    >
      <Section title={t("Values")}>
        <Answered answer={config} label={t("Loading the config")}>
          {({ results }) => <Values values={results} onEdit={setEdited} />}
        </Answered>
      </Section>
      {config.data && <ConfigHistory now={config.data.results} />}
      {edited !== undefined && (
        <ConfigForm
          parameter={edited === "new" ? undefined : edited}
          taken={config.data?.results.map(({ name }) => name) ?? []}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Room>
  );
}

function Values({ values, onEdit }: { values: readonly Parameter[]; onEdit: (value: Parameter) => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const [gone, setGone] = useState<Parameter | undefined>(undefined);
  const remove = useChange(({ name }: Parameter) => {
    const params: JsonObject = { [name]: { __op: "Delete" } };
    return studio.put("/config", { params });
  }, t("The value is gone. The history has it still."));
  return (
    <>
      <Table
        caption={t("Values")}
        rows={values}
        rowKey={({ name }) => name}
        empty={
          <EmptyState title={t("There is no value yet")}>
            {t("A welcome text or a switch for a new feature: apps read them without a new version.")}
          </EmptyState>
        }
        columns={[
          { key: "name", label: t("Name"), cell: ({ name }) => <code>{name}</code> },
          {
            key: "value",
            label: t("Value"),
            cell: ({ value }) => (
              <code className="cut" title={JSON.stringify(value)}>
                {JSON.stringify(value)}
              </code>
            ),
          },
          { key: "type", label: t("Type"), hideOnPhone: true, cell: ({ type }) => type },
          {
            key: "who",
            label: t("Read by"),
            cell: ({ isMasterKeyOnly }) =>
              isMasterKeyOnly ? (
                <Status kind="warning">{t("The server alone")}</Status>
              ) : (
                <Status kind="idle">{t("Every app")}</Status>
              ),
          },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            number: true,
            cell: (value) => (
              <span className="actions">
                <Button
                  small
                  disabled={!may}
                  onClick={() => onEdit(value)}
                  aria-label={t("Change {name}", { name: value.name })}
                >
                  {t("Change")}
                </Button>
                <Button
                  small
                  variant="danger"
                  disabled={!may}
                  onClick={() => setGone(value)}
                  aria-label={t("Remove {name}", { name: value.name })}
                >
                  {t("Remove")}
                </Button>
              </span>
            ),
          },
        ]}
      />
      <Ask
        open={gone !== undefined}
        onClose={() => setGone(undefined)}
        title={t("Remove {name}?", { name: gone?.name ?? "" })}
        about={t("Apps that read it find nothing. You can go back to the version before.")}
        verb={t("Remove")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onDo={() => gone && remove.mutate(gone, { onSuccess: () => setGone(undefined) })}
      />
    </>
  );
}
