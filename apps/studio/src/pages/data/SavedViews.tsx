import { Menu } from "@base-ui/react/menu";
import type { StudioView } from "@purse/server/studio-api";
import { Button, Checkbox, ConfirmDialog, Field, IconButton, QueryState, useTranslation } from "@purse/ui";
import { Bookmark, X } from "lucide-react";
import { useState } from "react";
import { useHasRole } from "../../StudioContext.tsx";
import { parseView, type ViewContent } from "./savedViews.ts";
import { useSavedViews } from "./useSavedViews.ts";

export interface SavedViewsProps {
  className: string;
  /** The filters and the order that are shown. */
  current: ViewContent;
  onOpen: (view: ViewContent) => void;
}

/** Saved filters, orders and charts of a class, one's own and those of colleagues: opens, adds and removes them. */
export function SavedViews({ className, current, onOpen }: SavedViewsProps) {
  const { t } = useTranslation();
  const isOwner = useHasRole("owner");
  const canShare = useHasRole("editor");
  const [isNeeded, setNeeded] = useState(false);
  const { views, save, remove } = useSavedViews(className, isNeeded);
  const [isNaming, setIsNaming] = useState(false);
  const [name, setName] = useState("");
  const [isShared, setIsShared] = useState(false);
  const authorOf = ({ isOwn, isShared: isPublic, username }: StudioView) =>
    !isOwn ? t("By {name}", { name: username }) : isPublic ? t("Shared") : t("Only you");
  return (
    <>
      <Menu.Root onOpenChange={(isOpen) => isOpen && setNeeded(true)}>
        <Menu.Trigger className="button small" title={t("Saved views")}>
          <Bookmark size={15} aria-hidden="true" />
          <span className="tool-label">{t("Saved views")}</span>
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="end" style={{ zIndex: 40 }}>
            <Menu.Popup className="menu">
              {!views.data && (
                <Menu.Item className="menu-item" disabled>
                  {views.error ? t("Saved views could not be loaded") : t("Loading saved views…")}
                </Menu.Item>
              )}
              {views.data?.map((each) => (
                <Menu.Item key={each.id} className="menu-item" onClick={() => onOpen(parseView(each.view))}>
                  <bdi className="grow cut">{each.name}</bdi>
                  {(each.isShared || !each.isOwn) && <bdi className="soft small">{authorOf(each)}</bdi>}
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
          description={t("Filters and sort order, on all your devices. Save a chart where it is shown.")}
          confirmLabel={t("Save current view")}
          disabled={name.trim() === ""}
          busy={save.isPending}
          error={save.error ?? remove.error}
          onConfirm={() =>
            save.mutate(
              { name: name.trim(), view: current, isShared },
              {
                onSuccess: () => {
                  setName("");
                  setIsNaming(false);
                },
              },
            )
          }
        >
          <Field label={t("Name")} value={name} maxLength={80} onText={setName} autoComplete="off" />
          <Checkbox
            label={t("Share with all operators")}
            checked={isShared}
            disabled={!canShare}
            onChange={setIsShared}
          />
          <QueryState query={views} label={t("Loading saved views…")}>
            {(saved) =>
              saved.length > 0 && (
                <ul className="related" aria-label={t("Saved views")}>
                  {saved.map((each) => (
                    <li key={each.id}>
                      <bdi className="grow cut">{each.name}</bdi>
                      <bdi className="soft small">{authorOf(each)}</bdi>
                      {each.isOwn && (
                        <Button
                          small
                          disabled={!canShare && !each.isShared}
                          busy={save.isPending}
                          onClick={() =>
                            save.mutate({
                              name: each.name,
                              view: parseView(each.view),
                              isShared: !each.isShared,
                            })
                          }
                          aria-label={
                            each.isShared
                              ? t("Stop sharing {name}", { name: each.name })
                              : t("Share {name}", { name: each.name })
                          }
                        >
                          {each.isShared ? t("Stop sharing") : t("Share")}
                        </Button>
                      )}
                      {(each.isOwn || isOwner) && (
                        <IconButton
                          icon={X}
                          label={t("Remove {name}", { name: each.name })}
                          disabled={remove.isPending}
                          onClick={() => remove.mutate(each)}
                        />
                      )}
                    </li>
                  ))}
                </ul>
              )
            }
          </QueryState>
        </ConfirmDialog>
      )}
    </>
  );
}
