import type { StudioView } from "@purse/server/studio-api";
import { useTranslation } from "@purse/ui";
import { useEffect, useEffectEvent } from "react";
import { useStudioList, useStudioMutation } from "../../components/useStudioQuery.ts";
import { useStudio } from "../../StudioContext.tsx";
import { browserViews, forgetBrowserViews, type ViewContent, viewJson } from "./savedViews.ts";

export interface ViewToSave {
  name: string;
  view: ViewContent;
  isShared: boolean;
}

/**
 * The saved views of a class: the operator's own ones, and those that others share. They are read once `isNeeded` is set, and
 * views of the browser become the operator's own ones.
 */
export function useSavedViews(className: string, isNeeded: boolean) {
  const { t } = useTranslation();
  const studio = useStudio();
  const views = useStudioList("/views/:className", { className }, { enabled: isNeeded });
  const save = useSaveView(className, t("View saved"));
  const remove = useStudioMutation(
    (studio, { id }: StudioView) => studio.delete("/views/:className/:id", { className, id }),
    t("View removed"),
  );
  const takeOver = useEffectEvent(async (known: readonly StudioView[]) => {
    const own = new Set(known.filter(({ isOwn }) => isOwn).map(({ name }) => name));
    const stored = browserViews(className, localStorage);
    if (stored.length === 0) return;
    for (const { name, view } of stored)
      if (!own.has(name))
        await studio.put("/views/:className", { className, name, view: viewJson(view), isShared: false });
    forgetBrowserViews(className, localStorage);
    await views.refetch();
  });
  const { data } = views;
  useEffect(() => {
    // Views that the server does not take stay in the browser, and are tried again the next time.
    if (data) takeOver(data).catch(() => undefined);
  }, [data]);
  return { views, save, remove };
}

/** Saves a view of a class, in place of the operator's own one of that name. */
export function useSaveView(className: string, successMessage: string) {
  return useStudioMutation(
    (studio, { name, view, isShared }: ViewToSave) =>
      studio.put("/views/:className", { className, name, view: viewJson(view), isShared }),
    successMessage,
  );
}
