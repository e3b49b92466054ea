import { CopyButton, formatBytes, RelativeTime, useTranslation } from "@purse/ui";
import { CrudSection } from "../../components/CrudSection.tsx";
import { Page } from "../../components/Page.tsx";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { useInfiniteStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { Pins } from "./Pins.tsx";

/** Uploaded files and IPFS pins. */
export function Files() {
  const { t } = useTranslation();
  return (
    <Page title={t("Files")} description={t("Uploaded files and content pinned in IPFS")} editRole="editor">
      <SearchTabs
        label={t("Files")}
        tabs={[
          { key: "files", label: t("Uploaded"), content: () => <Uploaded /> },
          { key: "pins", label: t("Pinned in IPFS"), content: () => <Pins /> },
        ]}
      />
    </Page>
  );
}

function Uploaded() {
  const { t, language } = useTranslation();
  const canEdit = useHasRole("editor");
  const files = useInfiniteStudioQuery("/files", {});
  return (
    <CrudSection
      title={t("Uploaded")}
      query={files}
      loadingLabel={t("Loading files…")}
      rowKey={({ name }) => name}
      empty={{ title: t("No files yet") }}
      columns={[
        {
          label: t("Name"),
          cell: ({ name, url }) => (
            <a href={url} target="_blank" rel="noreferrer" className="cut" title={name}>
              <bdi>{displayName(name)}</bdi>
            </a>
          ),
        },
        { label: t("Size"), number: true, cell: ({ size }) => formatBytes(size, language) },
        {
          label: t("CID"),
          hideOnPhone: true,
          cell: ({ hash }) =>
            hash === undefined ? (
              <span className="soft">–</span>
            ) : (
              <span className="row">
                <code title={hash}>{shortenCid(hash)}</code>
                <CopyButton text={hash} label={t("the CID")} />
              </span>
            ),
        },
        {
          label: t("Changed"),
          hideOnPhone: true,
          cell: ({ modifiedAt }) => <RelativeTime at={modifiedAt} />,
        },
      ]}
      canEdit={canEdit}
      removal={{
        verb: t("Delete"),
        label: ({ name }) => t("Delete {name}", { name: displayName(name) }),
        title: ({ name }) => t("Delete {name}?", { name: displayName(name) }),
        description: () =>
          t(
            "This can't be undone. Objects that reference this file will have a broken link. Pinned IPFS content stays pinned.",
          ),
        run: (studio, { name }) => studio.delete("/files", { name }),
        successMessage: t("File deleted"),
      }}
    />
  );
}

/** Removes the unique prefix that the server adds. */
function displayName(name: string): string {
  return name.replace(/(^|\/)[0-9a-f]{32}_/, "$1");
}

function shortenCid(cid: string): string {
  return `${cid.slice(0, 8)}…${cid.slice(-6)}`;
}
