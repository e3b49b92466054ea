import {
  Button,
  Dialog,
  FilterChip,
  FilterList,
  type FilterListProps,
  RowPicker,
  useTranslation,
} from "@purse/ui";
import { ChartColumn, Gauge, UserSearch } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ToolButton } from "./ToolButton.tsx";

export interface FiltersProps extends Omit<FilterListProps, "chips"> {
  as: string | undefined;
  onAs: (as: string | undefined) => void;
  onExplain: () => void;
  /** Undefined while data is viewed as a user. */
  onChart: (() => void) | undefined;
  /** Further buttons. */
  children?: ReactNode;
}

/** The active filters, and the user whose view is shown. */
export function Filters({ as, onAs, onExplain, onChart, children, ...list }: FiltersProps) {
  const { t } = useTranslation();
  const [isChoosingUser, setChoosingUser] = useState(false);
  return (
    <div className="data-tools">
      <FilterList
        {...list}
        chips={
          as !== undefined && (
            <FilterChip label={t("Viewing as {user}", { user: as })} onRemove={() => onAs(undefined)} />
          )
        }
      />
      <ToolButton icon={UserSearch} label={t("View as user")} onClick={() => setChoosingUser(true)} />
      <ToolButton icon={ChartColumn} label={t("Chart")} disabled={!onChart} onClick={onChart} />
      <ToolButton icon={Gauge} label={t("Explain")} onClick={onExplain} />
      {children}
      {isChoosingUser && (
        <ViewAsDialog
          onClose={() => setChoosingUser(false)}
          onDone={(userId) => {
            setChoosingUser(false);
            onAs(userId);
          }}
        />
      )}
    </div>
  );
}

function ViewAsDialog({ onDone, onClose }: { onDone: (userId: string) => void; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("View as user")}
      description={t("Shows only what this user may read.")}
      actions={<Button onClick={onClose}>{t("Cancel")}</Button>}
    >
      <div className="stack">
        <div>
          <Button onClick={() => onDone("anonymous")}>{t("Anonymous user")}</Button>
        </div>
        <RowPicker className="_User" onChoose={({ objectId }) => onDone(String(objectId))} />
      </div>
    </Dialog>
  );
}
