import {
  Button,
  ConfirmDialog,
  Field,
  FilterChip,
  FilterList,
  type FilterListProps,
  useTranslation,
} from "@purse/ui";
import { Gauge } from "lucide-react";
import { useState } from "react";

export interface FiltersProps extends Omit<FilterListProps, "chips"> {
  as: string | undefined;
  onAs: (as: string | undefined) => void;
  onExplain: () => void;
}

/** The active filters, and the user whose view is shown. */
export function Filters({ as, onAs, onExplain, ...list }: FiltersProps) {
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
  const [text, setText] = useState("");
  const userId = text.trim() || "anonymous";
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("View as user")}
      confirmLabel={t("View")}
      onConfirm={() => onDone(userId)}
    >
      <Field
        label={t("User ID")}
        hint={t("Leave empty for an anonymous user.")}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
      />
    </ConfirmDialog>
  );
}
