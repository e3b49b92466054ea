import { Menu } from "@base-ui/react/menu";
import { ConfirmDialog, Field, IconButton, useTranslation } from "@purse/ui";
import { Bookmark, X } from "lucide-react";
import { useState } from "react";
import { loadViews, type SavedView, saveViews, withView } from "./savedViews.ts";

export interface SavedViewsProps {
  className: string;
  /** The filters and the order that are shown. */
  current: Omit<SavedView, "name">;
  onOpen: (view: SavedView) => void;
}

/** Saved filters, orders and charts of a class: opens, adds and removes them. */
export function SavedViews({ className, current, onOpen }: SavedViewsProps) {
  const { t } = useTranslation();
  const [views, setViews] = useState(() => loadViews(className, localStorage));
  const [isNaming, setIsNaming] = useState(false);
  const [name, setName] = useState("");
  function store(next: SavedView[]) {
    saveViews(className, next, localStorage);
    setViews(next);
  }
  return (
    <>
      {/* Charts are saved in their own dialog. */}
      <Menu.Root onOpenChange={(isOpen) => isOpen && setViews(loadViews(className, localStorage))}>
        <Menu.Trigger className="button small" title={t("Saved views")}>
          <Bookmark size={15} aria-hidden="true" />
          <span className="tool-label">{t("Saved views")}</span>
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end" style={{ zIndex: 40 }}>
            <Menu.Popup className="menu">
              {views.map((view) => (
                <Menu.Item key={view.name} className="menu-item" onClick={() => onOpen(view)}>
                  <bdi className="cut">{view.name}</bdi>
                </Menu.Item>
              ))}
              <Menu.Item className="menu-item" onClick={() => setIsNaming(true)}>
                {t("Save or remove views…")}
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {isNaming && (
        <ConfirmDialog
          open
          onClose={() => setIsNaming(false)}
          title={t("Saved views")}
          description={t("Filters and sort order, saved in this browser. Save a chart where it is shown.")}
          confirmLabel={t("Save current view")}
          disabled={name.trim() === ""}
          onConfirm={() => {
            store(withView(views, { ...current, name: name.trim() }));
            setName("");
            setIsNaming(false);
          }}
        >
          <Field label={t("Name")} value={name} maxLength={80} onText={setName} autoComplete="off" />
          {views.length > 0 && (
            <ul className="related" aria-label={t("Saved views")}>
              {views.map((view) => (
                <li key={view.name}>
                  <bdi className="grow cut">{view.name}</bdi>
                  <IconButton
                    icon={X}
                    label={t("Remove {name}", { name: view.name })}
                    onClick={() => store(views.filter((each) => each !== view))}
                  />
                </li>
              ))}
            </ul>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}
