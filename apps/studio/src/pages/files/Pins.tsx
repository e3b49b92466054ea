import {
  Button,
  CopyButton,
  EmptyState,
  Field,
  QueryState,
  RelativeTime,
  Table,
  useTranslation,
} from "@purse/ui";
import { useState } from "react";
import { ConfirmDialog } from "../../components/ConfirmDialog.tsx";
import { Section } from "../../components/Page.tsx";
import { useStudioMutation, useStudioQuery } from "../../components/queries.ts";
import { useHasRole, useStudio } from "../../StudioContext.tsx";

interface Pin {
  cid: string;
  pinnedAt?: string;
}

/** CIDs pinned by this server. */
export function Pins() {
  const { t } = useTranslation();
  const studio = useStudio();
  const canEdit = useHasRole("editor");
  const pins = useStudioQuery<{ results: Pin[] }>("/pins");
  const [isAdding, setAdding] = useState(false);
  const [cid, setCid] = useState("");
  const [removing, setRemoving] = useState<Pin | undefined>(undefined);
  const add = useStudioMutation(() => studio.post("/pins", { cid: cid.trim() }), t("CID pinned"));
  const remove = useStudioMutation(
    (pin: Pin) => studio.delete(`/pins/${encodeURIComponent(pin.cid)}`),
    t("CID unpinned"),
  );
  return (
    <Section
      title={t("Pinned in IPFS")}
      actions={
        <Button small disabled={!canEdit} onClick={() => setAdding(true)}>
          {t("Pin CID")}
        </Button>
      }
    >
      <QueryState query={pins} label={t("Loading pins…")}>
        {({ results }) => (
          <Table
            caption={t("Pinned in IPFS")}
            rows={results}
            rowKey={(pin) => pin.cid}
            empty={
              <EmptyState title={t("No pins yet")}>
                {t("Files saved with saveIPFS and uploaded NFT metadata appear here.")}
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
                label: t("Pinned"),
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
                    disabled={!canEdit}
                    onClick={() => setRemoving(pin)}
                    aria-label={t("Unpin {cid}", { cid: pin.cid })}
                  >
                    {t("Unpin")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </QueryState>
      <ConfirmDialog
        open={isAdding}
        onClose={() => setAdding(false)}
        title={t("Pin CID")}
        description={t("The complete content must already be available on this server or its IPFS node.")}
        confirmLabel={t("Pin CID")}
        busy={add.isPending}
        error={add.error}
        disabled={cid.trim() === ""}
        onConfirm={() =>
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
      </ConfirmDialog>
      <ConfirmDialog
        open={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={t("Unpin this CID?")}
        description={t("Content that is not pinned elsewhere may be lost, and links to it will break.")}
        confirmLabel={t("Unpin")}
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => removing && remove.mutate(removing, { onSuccess: () => setRemoving(undefined) })}
      >
        <code className="address">{removing?.cid}</code>
      </ConfirmDialog>
    </Section>
  );
}
