import {
  CopyButton,
  Field,
  FormDialog,
  RelativeTime,
  requiredText,
  useForm,
  useTranslation,
} from "@purse/ui";
import * as z from "zod/mini";
import { CrudSection } from "../../components/CrudSection.tsx";
import { useStudioList, useStudioMutation } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";

/** CIDs pinned by this server. */
export function Pins() {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const pins = useStudioList("/pins", {});
  return (
    <CrudSection
      title={t("Pinned in IPFS")}
      query={pins}
      loadingLabel={t("Loading pins…")}
      rowKey={(pin) => pin.cid}
      empty={{
        title: t("No pins yet"),
        text: t("Files saved with saveIPFS and uploaded NFT metadata appear here."),
      }}
      columns={[
        {
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
          label: t("Pinned"),
          hideOnPhone: true,
          cell: ({ pinnedAt }) => (pinnedAt ? <RelativeTime at={pinnedAt} /> : "–"),
        },
      ]}
      canEdit={canEdit}
      create={t("Pin CID")}
      form={(_, onClose) => <PinForm onClose={onClose} />}
      removal={{
        verb: t("Unpin"),
        label: (pin) => t("Unpin {cid}", { cid: pin.cid }),
        title: () => t("Unpin this CID?"),
        description: () => t("Content that is not pinned elsewhere may be lost, and links to it will break."),
        details: (pin) => <code className="address">{pin.cid}</code>,
        run: (studio, pin) => studio.delete("/pins/:cid", { cid: pin.cid }),
        successMessage: t("CID unpinned"),
      }}
    />
  );
}

const PIN = z.object({ cid: requiredText() });

function PinForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const form = useForm(PIN, { cid: "" });
  const add = useStudioMutation(
    (studio, pin: z.infer<typeof PIN>) => studio.post("/pins", pin),
    t("CID pinned"),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={t("Pin CID")}
      description={t("The complete content must already be available on this server or its IPFS node.")}
      confirmLabel={t("Pin CID")}
      form={form}
      mutation={add}
    >
      <Field label={t("CID")} {...form.input("cid")} isCode maxLength={200} />
    </FormDialog>
  );
}
