import { Menu } from "@base-ui/react/menu";
import { Button, useTranslation } from "@purse/ui";
import {
  ChevronDown,
  Columns3,
  Download,
  ListChecks,
  type LucideIcon,
  Plus,
  RefreshCw,
  Upload,
} from "lucide-react";
import type { ReactNode } from "react";
import { useHasRole, useStudio } from "../../StudioContext.tsx";
import type { GridDialog } from "./GridDialogs.tsx";
import { ToolButton } from "./ToolButton.tsx";
import type { useGridSearch } from "./useGridSearch.ts";
import type { useCount } from "./useRowPages.ts";

/** Toolbar of the grid. */
export function GridTools({
  className,
  query,
  count,
  loaded,
  newRowCount,
  isRefreshing,
  onDialog,
  onRefresh,
  onCountExact,
}: {
  className: string;
  query: ReturnType<typeof useGridSearch>["query"];
  count: ReturnType<typeof useCount>;
  loaded: number | undefined;
  /** Number of new rows that are not shown yet. */
  newRowCount: number;
  isRefreshing: boolean;
  onDialog: (dialog: GridDialog) => void;
  onRefresh: () => void;
  onCountExact: () => void;
}) {
  const { t } = useTranslation();
  const studio = useStudio();
  const canEdit = useHasRole("editor");
  const { where, as } = query;
  const isImpersonating = as !== undefined;
  const target = { where: where ?? {} };
  return (
    <div className="data-tools">
      <h2 className="grow">
        <bdi className="cut">{className}</bdi>{" "}
        <RowCount
          count={count.data}
          loaded={loaded}
          isCounting={count.isFetching}
          onCountExact={onCountExact}
        />
      </h2>
      <div className="data-actions">
        {canEdit && (
          <>
            <Button icon={Plus} small variant="primary" onClick={() => onDialog({ kind: "new" })}>
              {t("New row")}
            </Button>
            <ToolButton icon={Upload} label={t("Import")} onClick={() => onDialog({ kind: "import" })} />
          </>
        )}
        <ToolMenu icon={Download} label={t("Export")}>
          {(["csv", "json", "jsonl"] as const).map((format) => (
            <Menu.Item
              key={format}
              className="menu-item"
              render={
                <a href={studio.urlOf("/data/:className/export", { className, format, where, as })} download>
                  {format === "csv" ? "CSV" : format === "json" ? "JSON" : t("JSON Lines")}
                </a>
              }
            />
          ))}
        </ToolMenu>
        {canEdit && (
          <ToolMenu icon={ListChecks} label={t("Bulk actions")}>
            <Menu.Item
              className="menu-item"
              disabled={isImpersonating}
              onClick={() => onDialog({ kind: "update", target })}
            >
              {t("Update all rows…")}
            </Menu.Item>
            <Menu.Item
              className="menu-item"
              data-danger
              disabled={isImpersonating}
              onClick={() => onDialog({ kind: "delete", target })}
            >
              {t("Delete all rows…")}
            </Menu.Item>
          </ToolMenu>
        )}
        <ToolButton icon={Columns3} label={t("Columns")} onClick={() => onDialog({ kind: "columns" })} />
        {newRowCount > 0 ? (
          <Button icon={RefreshCw} small busy={isRefreshing} onClick={onRefresh}>
            {t("{n, plural, one {# new row} other {# new rows}}", { n: newRowCount })}
          </Button>
        ) : (
          <ToolButton icon={RefreshCw} label={t("Refresh")} busy={isRefreshing} onClick={onRefresh} />
        )}
      </div>
    </div>
  );
}

function ToolMenu({ icon: Icon, label, children }: { icon: LucideIcon; label: string; children: ReactNode }) {
  return (
    <Menu.Root>
      <Menu.Trigger className="button small" title={label}>
        <Icon size={15} aria-hidden="true" />
        <span className="tool-label">{label}</span>
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

interface RowCountProps {
  count: { count: number; isCapped: boolean } | undefined;
  loaded: number | undefined;
  isCounting: boolean;
  onCountExact: () => void;
}

/** The row count, loaded separately from the rows. Large classes are counted completely on demand. */
function RowCount({ count, loaded, isCounting, onCountExact }: RowCountProps) {
  const { t } = useTranslation();
  return (
    <span className="soft small" role="status">
      {count &&
        (count.isCapped ? (
          <button
            type="button"
            className="count-button"
            disabled={isCounting}
            title={t("Show exact count")}
            onClick={onCountExact}
          >
            {t("{n, number}+ rows", { n: count.count })}
            <span className="visually-hidden">. {t("Show exact count")}</span>
          </button>
        ) : (
          t("{n, plural, one {# row} other {# rows}}", { n: count.count })
        ))}
      {count &&
        loaded !== undefined &&
        loaded < count.count &&
        ` · ${t("{n, number} loaded", { n: loaded })}`}
    </span>
  );
}
