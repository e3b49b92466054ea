import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { CopyButton } from "../../../design/CopyButton.tsx";
import { Field } from "../../../design/Field.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange } from "../parts/asking.ts";
import { Answered, Section } from "../parts/Room.tsx";

interface Pin {
  cid: string;
  pinnedAt?: string;
}

/** What this server keeps in IPFS until somebody lets it go. */
export function Pins() {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const pins = useAnswer<{ results: Pin[] }>("/pins");
  const [isAdding, setAdding] = useState(false);
  const [cid, setCid] = useState("");
  const [gone, setGone] = useState<Pin | undefined>(undefined);
  const add = useChange(() => studio.post("/pins", { cid: cid.trim() }), t("It is kept."));
  const remove = useChange(
    (pin: Pin) => studio.delete(`/pins/${encodeURIComponent(pin.cid)}`),
    t("It is let go."),
  );
  return (
    <Section
      title={t("Kept in IPFS")}
      actions={
        <Button small disabled={!may} onClick={() => setAdding(true)}>
          {t("Keep a CID")}
        </Button>
      }
    >
      <Answered answer={pins} label={t("Loading what is kept")}>
        {({ results }) => (
          <Table
            caption={t("Kept in IPFS")}
            rows={results}
            rowKey={(pin) => pin.cid}
            empty={
              <EmptyState title={t("Nothing is kept in IPFS yet")}>
                {t("Files that are saved with saveIPFS show here, and metadata of NFTs that was uploaded.")}
              </EmptyState>
            }
            columns={[
              {
                key: "cid",
                label: t("CID"),
                cell: (pin) => (
                  <span className="row">
                    <a href={`/ipfs/${pin.cid}`} target="_blank" rel="noreferrer" className="cut">
                      <code>{pin.cid}</code>
                    </a>
                    <CopyButton text={pin.cid} label={t("the CID")} />
                  </span>
                ),
              },
              {
                key: "at",
                label: t("Since"),
                hideOnPhone: true,
                cell: ({ pinnedAt }) => (pinnedAt ? <RelativeTime at={pinnedAt} /> : "–"),
              },
              {
                key: "actions",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (pin) => (
                  <Button
                    small
                    variant="danger"
                    disabled={!may}
                    onClick={() => setGone(pin)}
                    aria-label={t("Let {cid} go", { cid: pin.cid })}
                  >
                    {t("Let go")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Answered>
      <Ask
        open={isAdding}
        onClose={() => setAdding(false)}
        title={t("Keep a CID")}
        about={t("All of it must be here already, or at the node that the server works with.")}
        verb={t("Keep")}
        busy={add.isPending}
        error={add.error}
        disabled={cid.trim() === ""}
        onDo={() =>
          add.mutate(undefined, {
            onSuccess() {
              setAdding(false);
              setCid("");
            },
          })
        }
      >
        <Field
          label={t("CID")}
          value={cid}
          onChange={(event) => setCid(event.target.value)}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
        />
      </Ask>
      <Ask
        open={gone !== undefined}
        onClose={() => setGone(undefined)}
        title={t("Let it go?")}
        about={t("What nothing else keeps is gone for good, and links to it lead nowhere.")}
        verb={t("Let go")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onDo={() => gone && remove.mutate(gone, { onSuccess: () => setGone(undefined) })}
      >
        <code className="address">{gone?.cid}</code>
      </Ask>
    </Section>
  );
}
