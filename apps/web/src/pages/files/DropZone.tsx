import { Button, explain, formatBytes, Switch, useToast, useTranslation } from "@purse/ui";
import { FolderUp, Upload } from "lucide-react";
import { type DragEvent, useEffect, useRef, useState } from "react";
import type { UploadRules } from "../../settings.ts";
import { type FileSelection, filesOfTransfer, folderOfInput } from "./fileSelection.ts";
import type { Uploads } from "./uploads.ts";

/** Accepts files and folders by drop, paste or file picker. */
export function DropZone({ uploads, rules }: { uploads: Uploads; rules: UploadRules | undefined }) {
  const { t, language } = useTranslation();
  const toast = useToast();
  const [isOver, setIsOver] = useState(false);
  const [toIpfs, setToIpfs] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const addSelection = useRef<(selection: Promise<FileSelection>) => void>(() => {});
  addSelection.current = (selection) => {
    selection.then(
      (found) => {
        for (const file of found.files) uploads.add(file, toIpfs);
        for (const each of found.folders) uploads.addFolder(each);
      },
      (error: unknown) => toast(explain(error, t).detail),
    );
  };
  useEffect(() => {
    const onPaste = ({ clipboardData, target }: ClipboardEvent) => {
      const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
      if (!clipboardData || clipboardData.files.length === 0 || isTyping) return;
      addSelection.current(filesOfTransfer(clipboardData));
    };
    window.addEventListener("paste", onPaste);
    return () => window.removeEventListener("paste", onPaste);
  }, []);
  function handleDrop(event: DragEvent) {
    event.preventDefault();
    setIsOver(false);
    addSelection.current(filesOfTransfer(event.dataTransfer));
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside offer the same by keyboard.
    <div
      className="drop-zone"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={handleDrop}
    >
      <Upload size={28} strokeWidth={1.6} aria-hidden="true" />
      <p>
        <strong>{t("Drop files or folders here")}</strong>
        <br />
        <span className="soft small">{t("or paste them, or browse:")}</span>
        {rules && (
          <>
            <br />
            <span className="soft small">
              {t("Up to {size} per file.", { size: formatBytes(rules.maxBytes, language) })}{" "}
              {rules.extensions === null
                ? t("No web pages and SVG images, which browsers may run.")
                : rules.extensions.every((each) => /^\w+$/.test(each)) &&
                  t("Types: {types}", { types: rules.extensions.join(", ").slice(0, 200) })}
            </span>
          </>
        )}
      </p>
      <div className="row">
        <Button variant="primary" onClick={() => files.current?.click()}>
          {t("Choose files")}
        </Button>
        <Button icon={FolderUp} onClick={() => folder.current?.click()}>
          {t("Upload folder to IPFS")}
        </Button>
      </div>
      <Switch label={t("Also pin to IPFS")} checked={toIpfs} onChange={setToIpfs} />
      {toIpfs && (
        <p className="soft small">
          {t("Files on IPFS are public to anyone with the CID, and others may pin them permanently.")}
        </p>
      )}
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t("Files to upload")}
        onChange={({ target }) => {
          addSelection.current(Promise.resolve({ files: [...(target.files ?? [])], folders: [] }));
          target.value = "";
        }}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        aria-label={t("Folder to upload")}
        {...{ webkitdirectory: "" }}
        onChange={({ target }) => {
          const selection = folderOfInput([...(target.files ?? [])]);
          addSelection.current(Promise.resolve({ files: [], folders: selection ? [selection] : [] }));
          target.value = "";
        }}
      />
    </div>
  );
}
