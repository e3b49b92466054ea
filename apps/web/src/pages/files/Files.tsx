import { ParseObject } from "@purse/client";
import { useMoralis } from "@purse/react";
import {
  Button,
  Dialog,
  EmptyState,
  ErrorState,
  explain,
  Field,
  formatBytes,
  QueryState,
  RelativeTime,
  SkeletonList,
  Status,
  Table,
  useToast,
  useTranslation,
} from "@purse/ui";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { useLiveRecords } from "../../query/useLiveRecords.ts";
import { useSettings } from "../../SettingsContext.tsx";
import { usePageTitle } from "../../usePageTitle.ts";
import { useOpenedRecord } from "../data/useOpenedRecord.ts";
import { DropZone } from "./DropZone.tsx";
import { FilePanel } from "./FilePanel.tsx";
import { FILE_CLASS, type StoredFile, toStoredFile } from "./fileRecord.ts";
import { Preview } from "./Preview.tsx";
import { UploadList } from "./UploadList.tsx";
import { Uploads } from "./uploads.ts";
import "./Files.css";

/** The user's files: stored on this server, optionally pinned to IPFS, private until shared. */
export function Files() {
  usePageTitle("Files");
  const { t } = useTranslation();
  const { user, isAuthUndefined } = useMoralis();
  return (
    <>
      <div className="page-head">
        <h1>{t("Files")}</h1>
      </div>
      {user?.id ? (
        <OwnFiles key={user.id} userId={user.id} />
      ) : (
        <div className="card">
          {isAuthUndefined ? (
            <SkeletonList label={t("Loading")} />
          ) : (
            <EmptyState
              title={t("Sign in to view your files")}
              action={
                <Link to="/sign-in" search={{ next: "/files" }} className="button primary">
                  {t("Sign in")}
                </Link>
              }
            >
              {t("Sign in to upload and view your files.")}
            </EmptyState>
          )}
        </div>
      )}
    </>
  );
}

function OwnFiles({ userId }: { userId: string }) {
  const { t, language } = useTranslation();
  const toast = useToast();
  const { uploads: rules } = useSettings();
  const navigate = useNavigate({ from: "/files" });
  const { file: opened, find } = useSearch({ from: "/files" });
  const found = useLiveRecords(FILE_CLASS, (query) => query.descending("createdAt"), []);
  const refetchLatest = useRef(found.refetch);
  refetchLatest.current = found.refetch;
  const [uploads] = useState(() => new Uploads(userId, () => void refetchLatest.current(), rules));
  const all = useMemo(
    () => (found.data ?? []).filter((record) => record.getACL()?.getWriteAccess(userId)).map(toStoredFile),
    [found.data, userId],
  );
  const shown = find === undefined ? all : all.filter((file) => matchesSearch(file, find));
  const { record: openedRecord, error: openError } = useOpenedRecord(FILE_CLASS, opened, found);
  const shownFile = all.find(({ id }) => id === opened) ?? (openedRecord && toStoredFile(openedRecord));
  const open = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, file: id }), resetScroll: false });
  const refetch = () => void found.refetch();

  async function remove({ record, name }: StoredFile) {
    const { createdAt: _, updatedAt: __, ACL: ___, ...fields } = record.attributes;
    const acl = record.getACL();
    try {
      await record.destroy();
      refetch();
      toast(t("{name} deleted", { name }), {
        label: t("Undo"),
        run: () => {
          const restored = new ParseObject(FILE_CLASS, fields);
          if (acl) restored.setACL(acl);
          restored.save().then(refetch, (error: unknown) => toast(explain(error, t).detail));
        },
      });
    } catch (error) {
      const { title, detail } = explain(error, t);
      toast(`${title}. ${detail}`);
    }
  }

  return (
    <div className="stack">
      <DropZone uploads={uploads} rules={rules} />
      <UploadList uploads={uploads} />
      <section className="card stack" aria-label={t("My files")}>
        <Field
          label={t("Search")}
          type="search"
          value={find ?? ""}
          placeholder={t("Name or tag")}
          onChange={({ target }) =>
            void navigate({
              search: (before) => ({ ...before, find: target.value || undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
        <QueryState query={found} label={t("Loading files")} skeleton={renderTable(undefined)}>
          {() => renderTable(shown)}
        </QueryState>
        {found.hasMore && (
          <div className="row spread">
            <p className="small soft" role="status">
              {t("From the newest {n, number} files that you can read.", { n: found.data?.length ?? 0 })}
            </p>
            <Button small busy={found.isFetching} onClick={found.showMore}>
              {t("Show more")}
            </Button>
          </div>
        )}
      </section>
      {openError !== null && (
        <Dialog open side title={t("File")} onClose={() => open(undefined)}>
          <ErrorState error={openError} />
        </Dialog>
      )}
      {shownFile && (
        <FilePanel key={shownFile.id} file={shownFile} onClose={() => open(undefined)} onChanged={refetch} />
      )}
    </div>
  );

  function renderTable(files: readonly StoredFile[] | undefined) {
    return (
      <Table
        caption={t("My files")}
        rows={files}
        rowKey={({ id }) => id}
        empty={
          <EmptyState title={find === undefined && !found.hasMore ? t("No files yet") : t("No results")}>
            {found.hasMore
              ? t("None of the files that were read so far. Show more to look further.")
              : find === undefined
                ? t("Drop a file above, paste it, or browse.")
                : t("No files match your search.")}
          </EmptyState>
        }
        columns={[
          {
            label: t("Name"),
            cell: (file) => (
              <button type="button" className="file-name" onClick={() => open(file.id)}>
                <Preview file={file} size="small" />
                <bdi className="clip">{file.name}</bdi>
              </button>
            ),
          },
          { label: t("Size"), number: true, cell: ({ size }) => formatBytes(size, language) },
          {
            label: t("Storage"),
            isShort: true,
            hideOnPhone: true,
            cell: ({ cid }) => (cid ? t("IPFS") : t("This server")),
          },
          {
            label: t("Visibility"),
            cell: ({ isShared, cid }) =>
              cid !== undefined ? (
                <Status kind="warning">{t("Public on IPFS")}</Status>
              ) : isShared ? (
                <Status kind="info">{t("Everyone")}</Status>
              ) : (
                <Status kind="ok">{t("Only you")}</Status>
              ),
          },
          { label: t("Added"), cell: ({ record }) => <RelativeTime at={record.createdAt ?? 0} /> },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            cell: (file) => (
              <Button
                small
                variant="quiet"
                onClick={() => void remove(file)}
                aria-label={t("Delete {record}", { record: file.name })}
              >
                {t("Delete")}
              </Button>
            ),
          },
        ]}
      />
    );
  }
}

function matchesSearch({ name, tags }: StoredFile, query: string): boolean {
  const word = query.trim().toLowerCase();
  return [name, ...tags].some((each) => each.toLowerCase().includes(word));
}
