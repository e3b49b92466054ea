import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { CopyButton } from "../../../design/CopyButton.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange, useRows } from "../parts/asking.ts";
import { bytes } from "../parts/fields.ts";
import { Room, Rows, Section } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { Pins } from "./Pins.tsx";

interface StoredFile {
  name: string;
  url: string;
  size: number;
  modifiedAt: string;
  /** Of IPFS, where it is kept there. */
  hash?: string;
}

const TABS = ["files", "pins"] as const;
type Tab = (typeof TABS)[number];

/** What people uploaded, and what is kept in IPFS. */
export function Files() {
  const { t } = useTranslation();
  const [shown, setShown] = useUrl("show");
  const tab: Tab = TABS.find((each) => each === shown) ?? "files";
  return (
    <Room title={t("Files")} about={t("What was uploaded, and what is kept in IPFS.")} changes="editor">
      <Tabs<Tab>
        label={t("Files")}
        value={tab}
        onChange={(to) => setShown(to === "files" ? "" : to)}
        tabs={[
          { key: "files", label: t("Uploaded") },
          { key: "pins", label: t("Kept in IPFS") },
        ]}
      >
        {tab === "files" ? <Uploaded /> : <Pins />}
      </Tabs>
    </Room>
  );
}

function Uploaded() {
  const { t, language } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const files = useRows<StoredFile>("/files");
  const [gone, setGone] = useState<StoredFile | undefined>(undefined);
  const remove = useChange(
    ({ name }: StoredFile) => studio.delete("/files", { name }),
    t("The file is deleted."),
  );
  return (
    <Section title={t("Uploaded")}>
      <Rows query={files} label={t("Loading the files")}>
        {(rows) => (
          <Table
            caption={t("Uploaded")}
            rows={rows}
            rowKey={({ name }) => name}
            empty={<EmptyState title={t("Nothing was uploaded yet")} />}
            columns={[
              {
                key: "name",
                label: t("Name"),
                cell: ({ name, url }) => (
                  <a href={url} target="_blank" rel="noreferrer" className="cut" title={name}>
                    <bdi>{nameForPeople(name)}</bdi>
                  </a>
                ),
              },
              { key: "size", label: t("Size"), number: true, cell: ({ size }) => bytes(size, language) },
              {
                key: "hash",
                label: t("CID"),
                hideOnPhone: true,
                cell: ({ hash }) =>
                  hash === undefined ? (
                    <span className="soft">–</span>
                  ) : (
                    <span className="row">
                      <code title={hash}>{shortCid(hash)}</code>
                      <CopyButton text={hash} label={t("the CID")} />
                    </span>
                  ),
              },
              {
                key: "at",
                label: t("Changed"),
                hideOnPhone: true,
                cell: ({ modifiedAt }) => <RelativeTime at={modifiedAt} />,
              },
              {
                key: "actions",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (file) => (
                  <Button
                    small
                    variant="danger"
                    disabled={!may}
                    onClick={() => setGone(file)}
                    aria-label={t("Delete {name}", { name: nameForPeople(file.name) })}
                  >
                    {t("Delete")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Rows>
      <Ask
        open={gone !== undefined}
        onClose={() => setGone(undefined)}
        title={t("Delete {name}?", { name: gone ? nameForPeople(gone.name) : "" })}
        about={t(
          "It cannot be brought back, and objects that show it lead nowhere. What is kept in IPFS stays there.",
        )}
        verb={t("Delete")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onDo={() => gone && remove.mutate(gone, { onSuccess: () => setGone(undefined) })}
      />
    </Section>
  );
}

/** Without what the server put before it so that no two have the same name. */
function nameForPeople(name: string): string {
  return name.replace(/(^|\/)[0-9a-f]{32}_/, "$1");
}

function shortCid(cid: string): string {
  return `${cid.slice(0, 8)}…${cid.slice(-6)}`;
}
