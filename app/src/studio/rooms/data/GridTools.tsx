import { Menu } from "@base-ui/react/menu";
import { ChevronDown, Columns3, Plus, RefreshCw, Upload } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../../design/Button.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import type { Asked, useCount } from "./usePages.ts";

/** What can be done with all rows that are shown. */
export function GridTools({
  className,
  asked,
  count,
  loaded,
  news,
  isReading,
  onNew,
  onImport,
  onUpdate,
  onDelete,
  onColumns,
  onRead,
  onCountAll,
}: {
  className: string;
  asked: Asked;
  count: ReturnType<typeof useCount>;
  loaded: number | undefined;
  /** Rows that have come and are not shown yet. */
  news: number;
  isReading: boolean;
  onNew: () => void;
  onImport: () => void;
  onUpdate: () => void;
  onDelete: () => void;
  onColumns: () => void;
  onRead: () => void;
  onCountAll: () => void;
}) {
  const { t, count: say } = useTranslation();
  const studio = useStudio();
  const mayChange = useMay("editor");
  const { where, as } = asked;
  const isAnother = as !== undefined;
  return (
    <div className="data-tools">
      <h2 className="grow">
        <bdi>{className}</bdi> <Total count={count.data} loaded={loaded} />
      </h2>
      <div className="data-actions">
        {count.data?.isCapped && (
          <Button small busy={count.isFetching} onClick={onCountAll}>
            {t("Count all")}
          </Button>
        )}
        {mayChange && (
          <>
            <Button small variant="primary" onClick={onNew}>
              <Plus size={15} aria-hidden="true" />
              {t("New row")}
            </Button>
            <Button small onClick={onImport}>
              <Upload size={15} aria-hidden="true" />
              {t("Import")}
            </Button>
          </>
        )}
        <ToolMenu label={t("Export")}>
          {(["csv", "json", "jsonl"] as const).map((format) => (
            <Menu.Item
              key={format}
              className="menu-item"
              render={
                <a href={studio.urlOf(`/data/${className}/export`, { format, where, as })} download>
                  {format === "csv" ? "CSV" : format === "json" ? "JSON" : t("JSON lines")}
                </a>
              }
            />
          ))}
        </ToolMenu>
        {mayChange && (
          <ToolMenu label={t("All of these")}>
            <Menu.Item className="menu-item" disabled={isAnother} onClick={onUpdate}>
              {t("Change all rows…")}
            </Menu.Item>
            <Menu.Item className="menu-item" data-danger disabled={isAnother} onClick={onDelete}>
              {t("Delete all rows…")}
            </Menu.Item>
          </ToolMenu>
        )}
        <Button small onClick={onColumns}>
          <Columns3 size={15} aria-hidden="true" />
          {t("Columns")}
        </Button>
        <Button small busy={isReading} onClick={onRead}>
          <RefreshCw size={15} aria-hidden="true" />
          {news > 0 ? say(news, "{n} new row", "{n} new rows") : t("Read again")}
        </Button>
      </div>
    </div>
  );
}

function ToolMenu({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Menu.Root>
      <Menu.Trigger className="button small">
        {label}
        <ChevronDown size={14} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" style={{ zIndex: 40 }}>
          <Menu.Popup className="menu">{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** How many rows there are; the rows do not wait for it. */
function Total({
  count,
  loaded,
}: {
  count: { count: number; isCapped: boolean } | undefined;
  loaded: number | undefined;
}) {
  const { t, count: say } = useTranslation();
  return (
    <span className="soft small" role="status">
      {count &&
        (count.isCapped
          ? t("more than {n} rows", { n: count.count })
          : say(count.count, "{n} row", "{n} rows"))}
      {count && loaded !== undefined && loaded < count.count && ` · ${t("{n} loaded", { n: loaded })}`}
    </span>
  );
}
