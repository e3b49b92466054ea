import {
  Button,
  Dialog,
  FilterChip,
  FilterList,
  type FilterListProps,
  RowPicker,
  useTranslation,
} from "@purse/ui";
import { Gauge } from "lucide-react";
import { type ReactNode, useState } from "react";

export interface FiltersProps extends Omit<FilterListProps, "chips"> {
  as: string | undefined;
  onAs: (as: string | undefined) => void;
  onExplain: () => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** The active filters, and the user whose view is shown. */
export function Filters({ as, onAs, onExplain, children, ...list }: FiltersProps) {
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
      <Button small onClick={() => setChoosingUser(true)}>
        {t("View as user")}
      </Button>
      <Button small onClick={onExplain}>
        <Gauge size={15} aria-hidden="true" />
        {t("Explain")}
      </Button>
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
