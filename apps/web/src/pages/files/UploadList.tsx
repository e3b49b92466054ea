import { Button, explain, formatBytes, Status, useTranslation } from "@purse/ui";
import { useSyncExternalStore } from "react";
import { isFinal } from "./rejection.ts";
import type { UploadState, Uploads, UploadView } from "./uploads.ts";

const STATES: Readonly<
  Record<UploadState, { kind: "idle" | "busy" | "warning" | "danger" | "ok"; label: string }>
> = {
  waiting: { kind: "idle", label: "Queued" },
  running: { kind: "busy", label: "Uploading" },
  paused: { kind: "warning", label: "Paused" },
  failed: { kind: "danger", label: "Failed" },
  done: { kind: "ok", label: "Uploaded" },
};

/** Current and finished uploads. */
export function UploadList({ uploads }: { uploads: Uploads }) {
  const { t } = useTranslation();
  const views = useSyncExternalStore(uploads.subscribe, uploads.get);
  if (views.length === 0) return null;
  return (
    <section className="card" aria-label={t("Uploads")}>
      <ul className="list">
        {views.map((view) => (
          <Row key={view.id} view={view} uploads={uploads} />
        ))}
      </ul>
    </section>
  );
}

function Row({ view, uploads }: { view: UploadView; uploads: Uploads }) {
  const { t, language } = useTranslation();
  const { id, name, size, state, progress, canPause, error } = view;
  const { kind, label } = STATES[state];
  const failure = error === undefined ? undefined : explain(error, t);
  const isOver = state === "done" || state === "failed";
  return (
    <li className="upload">
      <bdi className="clip">{name}</bdi>
      <span className="soft small number">{formatBytes(size, language)}</span>
      <span role="status">
        <Status kind={kind}>{t(label)}</Status>
      </span>
      <span className="row upload-actions">
        {state === "running" && canPause && (
          <Button small onClick={() => uploads.pause(id)} aria-label={t("Pause {name}", { name })}>
            {t("Pause")}
          </Button>
        )}
        {(state === "paused" || (state === "failed" && !isFinal(error))) && (
          <Button
            small
            onClick={() => uploads.resume(id)}
            aria-label={state === "paused" ? t("Resume {name}", { name }) : t("Retry {name}", { name })}
          >
            {state === "paused" ? t("Continue") : t("Try again")}
          </Button>
        )}
        <Button
          small
          variant="quiet"
          onClick={() => uploads.dismiss(id)}
          aria-label={isOver ? t("Dismiss {name}", { name }) : t("Cancel {name}", { name })}
        >
          {isOver ? t("Dismiss") : t("Cancel")}
        </Button>
      </span>
      {!isOver && (
        <progress
          className="upload-wide"
          value={progress}
          max={1}
          aria-label={t("Upload progress of {name}", { name })}
        />
      )}
      {failure && (
        <p className="problem upload-wide" role="alert">
          {failure.title}. {failure.detail}
        </p>
      )}
    </li>
  );
}
