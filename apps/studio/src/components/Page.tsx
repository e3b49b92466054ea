import type { StudioRole } from "@purse/server/studio-api";
import { useDocumentTitle, useTranslation } from "@purse/ui";
import type { ReactNode } from "react";
import { useHasRole } from "../StudioContext.tsx";
import "./components.css";

export interface PageProps {
  title: string;
  /** Describes the page in one sentence. */
  description?: ReactNode;
  /** Only shows the heading to screen readers, to leave the space to the content. */
  isCompact?: boolean;
  actions?: ReactNode;
  /** The role needed to edit; operators with less see a read-only notice. */
  editRole?: StudioRole;
  children: ReactNode;
}

/** A studio page with heading, description and primary actions. */
export function Page({ title, description, actions, editRole, isCompact, children }: PageProps) {
  const { t } = useTranslation();
  useDocumentTitle(title, "Studio");
  const isReadOnly = !useHasRole(editRole ?? "readOnly");
  return (
    <div className="stack studio-page">
      <header className={isCompact ? "visually-hidden" : "row studio-page-head"}>
        <div className="grow">
          <h1 tabIndex={-1}>{title}</h1>
          {description !== undefined && <p className="soft">{description}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {isReadOnly && editRole && (
        <p className="soft small" role="note">
          {editRole === "owner"
            ? t("Read-only. Owners can make changes.")
            : t("Read-only. Editors and owners can make changes.")}
        </p>
      )}
      {children}
    </div>
  );
}

export interface SectionProps {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled section of a page. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <section className="card stack" aria-label={title}>
      <div className="row spread">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
