import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Room, Section } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { HookCalls, MessageDeliveries } from "./Deliveries.tsx";

interface Hook {
  url: string;
  functionName?: string;
  className?: string;
  triggerName?: string;
}

const TABS = ["hooks", "calls", "deliveries"] as const;
type Tab = (typeof TABS)[number];
const TRIGGERS = [
  "beforeSave",
  "afterSave",
  "beforeDelete",
  "afterDelete",
  "beforeFind",
  "afterFind",
] as const;

/** Functions and triggers that other servers carry out, and what they were told. */
export function Hooks() {
  const { t } = useTranslation();
  const [shown, setShown] = useUrl("show");
  const tab: Tab = TABS.find((each) => each === shown) ?? "hooks";
  return (
    <Room
      title={t("Hooks")}
      about={t("Other servers that carry out functions and triggers, or are told of events of chains.")}
      changes="editor"
    >
      <Tabs<Tab>
        label={t("Hooks")}
        value={tab}
        onChange={(to) => setShown(to === "hooks" ? "" : to)}
        tabs={[
          { key: "hooks", label: t("Functions and triggers") },
          { key: "calls", label: t("Their calls") },
          { key: "deliveries", label: t("Events of chains") },
        ]}
      >
        {tab === "hooks" && <HookList />}
        {tab === "calls" && <HookCalls />}
        {tab === "deliveries" && <MessageDeliveries />}
      </Tabs>
    </Room>
  );
}

function HookList() {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const hooks = useAnswer<{ functions: Hook[]; triggers: Hook[] }>("/hooks");
  const [edited, setEdited] = useState<Hook | "new" | undefined>(undefined);
  const [gone, setGone] = useState<Hook | undefined>(undefined);
  const remove = useChange((hook: Hook) => studio.delete(pathOf(hook)), t("The hook is gone."));
  return (
    <Section
      title={t("Functions and triggers")}
      actions={
        <Button small disabled={!may} onClick={() => setEdited("new")}>
          <Plus size={15} aria-hidden="true" />
          {t("Add a hook")}
        </Button>
      }
    >
      <Answered answer={hooks} label={t("Loading the hooks")}>
        {({ functions, triggers }) => (
          <Table
            caption={t("Hooks")}
            rows={[...functions, ...triggers]}
            rowKey={nameOf}
            empty={
              <EmptyState title={t("There is no hook yet")}>
                {t("A hook has another server carry out a function, or asks it before an object is saved.")}
              </EmptyState>
            }
            columns={[
              { key: "name", label: t("What"), cell: (hook) => <code>{nameOf(hook)}</code> },
              {
                key: "url",
                label: t("Where"),
                cell: ({ url }) => (
                  <bdi className="cut" title={url}>
                    {url}
                  </bdi>
                ),
              },
              {
                key: "actions",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (hook) => (
                  <span className="actions">
                    <Button
                      small
                      disabled={!may}
                      onClick={() => setEdited(hook)}
                      aria-label={t("Change {name}", { name: nameOf(hook) })}
                    >
                      {t("Change")}
                    </Button>
                    <Button
                      small
                      variant="danger"
                      disabled={!may}
                      onClick={() => setGone(hook)}
                      aria-label={t("Remove {name}", { name: nameOf(hook) })}
                    >
                      {t("Remove")}
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Answered>
      {edited !== undefined && (
        <HookForm hook={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      <Ask
        open={gone !== undefined}
        onClose={() => setGone(undefined)}
        title={t("Remove {name}?", { name: gone ? nameOf(gone) : "" })}
        about={t("Its server is not asked any more, from now on.")}
        verb={t("Remove")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onDo={() => gone && remove.mutate(gone, { onSuccess: () => setGone(undefined) })}
      />
    </Section>
  );
}

function HookForm({ hook, onClose }: { hook: Hook | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [kind, setKind] = useState<"function" | "trigger">("function");
  const [functionName, setFunctionName] = useState("");
  const [className, setClassName] = useState("");
  const [triggerName, setTriggerName] = useState<(typeof TRIGGERS)[number]>("beforeSave");
  const [url, setUrl] = useState(hook?.url ?? "");
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  const named = hook !== undefined || (kind === "function" ? functionName !== "" : className !== "");
  const save = useChange(
    () =>
      hook
        ? studio.put(pathOf(hook), { url })
        : studio.post(
            "/hooks",
            kind === "function" ? { functionName, url } : { className, triggerName, url },
          ),
    hook ? t("The hook is changed.") : t("The hook is there."),
  );
  return (
    <Ask
      open
      onClose={onClose}
      title={hook ? t("Change {name}", { name: nameOf(hook) }) : t("Add a hook")}
      verb={hook ? t("Save") : t("Add")}
      busy={save.isPending}
      error={save.error}
      disabled={!isUrl || !named}
      onDo={() => save.mutate(undefined, { onSuccess: onClose })}
    >
      {!hook && (
        <Select
          label={t("What it carries out")}
          value={kind}
          onChange={setKind}
          options={[
            { key: "function", label: t("A function") },
            { key: "trigger", label: t("A trigger of a class") },
          ]}
        />
      )}
      {!hook && kind === "function" && (
        <Field
          label={t("Name of the function")}
          value={functionName}
          onChange={(event) => setFunctionName(event.target.value)}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {!hook && kind === "trigger" && (
        <>
          <Field
            label={t("Class")}
            value={className}
            onChange={(event) => setClassName(event.target.value)}
            maxLength={128}
            autoComplete="off"
            spellCheck={false}
          />
          <Select
            label={t("Trigger")}
            value={triggerName}
            onChange={setTriggerName}
            options={TRIGGERS.map((key) => ({ key, label: key }))}
          />
        </>
      )}
      <Field
        label={t("Address of the server")}
        hint={t(
          "It is sent a POST with what the function or trigger is told, and answers {success} or {error}.",
          {
            success: "{ success }",
            error: "{ error }",
          },
        )}
        type="url"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
        problem={url !== "" && !isUrl ? t("It begins with https:// or http://.") : undefined}
        maxLength={2000}
        autoComplete="off"
        spellCheck={false}
      />
    </Ask>
  );
}

function nameOf({ functionName, className, triggerName }: Hook): string {
  return functionName ?? `${triggerName}.${className}`;
}

function pathOf({ functionName, className = "", triggerName = "" }: Hook): string {
  return functionName === undefined
    ? `/hooks/triggers/${encodeURIComponent(className)}/${encodeURIComponent(triggerName)}`
    : `/hooks/functions/${encodeURIComponent(functionName)}`;
}
