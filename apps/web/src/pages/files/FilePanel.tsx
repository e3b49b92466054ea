import {
  Button,
  Code,
  CopyButton,
  Dialog,
  ErrorState,
  explain,
  Field,
  formatBytes,
  IconButton,
  RelativeTime,
  Status,
  Switch,
  useAction,
  useToast,
  useTranslation,
  useUnsaved,
} from "@purse/ui";
import { Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useSettings } from "../../SettingsContext.tsx";
import { isFieldName } from "../data/classes.ts";
import type { StoredFile } from "./fileRecord.ts";
import { gatewaysOf } from "./gateways.ts";
import { Preview } from "./Preview.tsx";

export interface FilePanelProps {
  file: StoredFile;
  onClose: () => void;
  onChanged: () => void;
}

/** A file with its preview, links, visibility and metadata. */
export function FilePanel({ file, onClose, onChanged }: FilePanelProps) {
  const { t, language } = useTranslation();
  const { name, type, size, sha256, cid, url, paths, record } = file;
  return (
    <Dialog
      open
      side
      onClose={onClose}
      title={name}
      description={
        <>
          {formatBytes(size, language)} · {type || t("unknown type")} ·{" "}
          <RelativeTime at={record.createdAt ?? 0} />
        </>
      }
    >
      <div className="stack">
        <Preview file={file} size="large" />
        {url !== undefined && (
          <div className="row">
            <a className="button" href={url} target="_blank" rel="noreferrer">
              {t("Open")}
            </a>
            <CopyButton text={url} label={t("link")} />
          </div>
        )}
        <VisibilitySwitch file={file} onChanged={onChanged} />
        {cid !== undefined && <IpfsDetails cid={cid} />}
        {paths.length > 0 && (
          <section className="stack tight" aria-label={t("Folder contents")}>
            <h3>{t("Folder contents")}</h3>
            <ul className="parts">
              {paths.map((path) => (
                <li key={path}>
                  <bdi>{path}</bdi>
                </li>
              ))}
            </ul>
          </section>
        )}
        {sha256 !== undefined && <Code label={t("SHA-256")} text={sha256} wrap />}
        <MetadataForm file={file} onChanged={onChanged} />
      </div>
    </Dialog>
  );
}

function IpfsDetails({ cid }: { cid: string }) {
  const { t } = useTranslation();
  const { serverUrl } = useSettings();
  const pinned = useServerQuery({
    queryKey: ["is pinned", cid],
    async queryFn({ signal }) {
      const { ok, status } = await fetch(`/ipfs/${cid}`, { method: "HEAD", signal });
      if (!ok && status !== 404) throw new Error(`The gateway responded with ${status}`);
      return ok;
    },
  });
  return (
    <section className="stack tight" aria-label={t("IPFS")}>
      <h3>{t("IPFS")}</h3>
      <p role="status">
        {pinned.data === undefined ? (
          <span className="row tight-row soft small">
            {pinned.error !== null ? t("Pin status unavailable.") : t("Checking…")}
            {pinned.error !== null && (
              <Button small busy={pinned.isFetching} onClick={() => void pinned.refetch()}>
                {t("Try again")}
              </Button>
            )}
          </span>
        ) : pinned.data ? (
          <Status kind="ok">{t("Pinned by this server")}</Status>
        ) : (
          <Status kind="warning">{t("No longer pinned by this server")}</Status>
        )}
      </p>
      <Code label={t("Content identifier (CID)")} text={cid} />
      <ul className="chips" aria-label={t("Gateways")}>
        {gatewaysOf(serverUrl).map(({ name, urlOf: address }) => (
          <li key={name}>
            <a className="button small" href={address(cid)} target="_blank" rel="noreferrer">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function VisibilitySwitch({ file, onChanged }: { file: StoredFile; onChanged: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [isShared, setIsShared] = useState(file.isShared);
  const isOnIpfs = file.cid !== undefined;
  async function share(isOn: boolean) {
    const { record } = file;
    const acl = record.getACL();
    if (!acl) return;
    setIsShared(isOn);
    try {
      acl.setPublicReadAccess(isOn);
      record.setACL(acl);
      await record.save();
      toast(
        isOn
          ? t("File is now public")
          : isOnIpfs
            ? t("No longer listed. The file stays public on IPFS.")
            : t("File is now private"),
      );
      onChanged();
    } catch (error) {
      record.revert();
      setIsShared(!isOn);
      toast(explain(error, t).detail);
    }
  }
  return (
    <section className="stack tight" aria-label={t("Visibility")}>
      {isOnIpfs && (
        <p>
          <Status kind="warning">{t("Public on IPFS")}</Status>
        </p>
      )}
      <Switch
        label={isOnIpfs ? t("List publicly") : t("Public")}
        checked={isShared}
        onChange={(isOn) => void share(isOn)}
      />
      <p className="soft small">
        {isShared
          ? t("Anyone can find this file and its metadata.")
          : isOnIpfs
            ? t("Not listed. The file itself is public on IPFS to anyone with the CID.")
            : t("Private listing. Anyone with the secret link can open the file.")}
      </p>
    </section>
  );
}

/** Edits the tags and metadata of a file. */
function MetadataForm({ file, onChanged }: { file: StoredFile; onChanged: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [tags, setTags] = useState(file.tags.join(", "));
  const [pairs, setPairs] = useState(() =>
    Object.entries(file.metadata).map(([key, value], id) => ({ id, key, value })),
  );
  const [problem, setProblem] = useState<string>();
  const edited = pairs.filter(({ key, value }) => key !== "" || value !== "");
  useUnsaved(
    tags !== file.tags.join(", ") ||
      JSON.stringify(edited.map(({ key, value }) => [key, value])) !==
        JSON.stringify(Object.entries(file.metadata)),
  );
  const { run, busy, error } = useAction(async (filled: typeof pairs) => {
    try {
      await file.record.save({
        tags: [...new Set(tags.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== ""),
        metadata: Object.fromEntries(filled.map(({ key, value }) => [key, value])),
      });
    } catch (failure) {
      file.record.revert();
      throw failure;
    }
    toast(t("Saved"));
    onChanged();
  });
  const change = (id: number, to: { key?: string; value?: string }) =>
    setPairs(pairs.map((pair) => (pair.id === id ? { ...pair, ...to } : pair)));

  function save(event: FormEvent) {
    event.preventDefault();
    const filled = pairs.filter(({ key, value }) => key !== "" || value !== "");
    const invalid = filled.find(({ key }) => !isFieldName(key));
    const hasDuplicates = new Set(filled.map(({ key }) => key)).size < filled.length;
    if (invalid || hasDuplicates) {
      setProblem(
        hasDuplicates
          ? t("Names must be unique.")
          : t("Names start with a letter and contain only letters, digits and underscores."),
      );
      return;
    }
    setProblem(undefined);
    run(filled);
  }

  return (
    <form className="stack" onSubmit={save} noValidate aria-label={t("Tags and metadata")}>
      <Field label={t("Tags")} value={tags} onText={setTags} hint={t("Comma-separated.")} />
      <fieldset className="access stack tight">
        <legend>{t("Metadata")}</legend>
        {pairs.map(({ id, key, value }) => (
          <div key={id} className="pair">
            <Field
              label={t("Name")}
              value={key}
              onChange={({ target }) => change(id, { key: target.value })}
            />
            <Field
              label={t("Value")}
              value={value}
              onChange={({ target }) => change(id, { value: target.value })}
            />
            <IconButton
              icon={X}
              label={t("Remove {field}", { field: key })}
              onClick={() => setPairs(pairs.filter((pair) => pair.id !== id))}
            />
          </div>
        ))}
        <div>
          <Button
            small
            onClick={() =>
              setPairs([
                ...pairs,
                { id: Math.max(-1, ...pairs.map((pair) => pair.id)) + 1, key: "", value: "" },
              ])
            }
          >
            <Plus size={14} aria-hidden="true" /> {t("Add metadata")}
          </Button>
        </div>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
      </fieldset>
      {error !== undefined && <ErrorState error={error} />}
      <div>
        <Button type="submit" variant="primary" busy={busy}>
          {t("Save")}
        </Button>
      </div>
    </form>
  );
}
